package a2aclient

import (
	"bytes"
	"net/http"
	"slices"

	"rialto/a2a"
	"rialto/internal/neterr"
)

// notInPlain are the words in which web servers say that they take only TLS at a port:
// net/http, nginx, Apache.
var notInPlain = [][]byte{
	[]byte("Client sent an HTTP request to an HTTPS server"),
	[]byte("The plain HTTP request was sent to HTTPS port"),
	[]byte("speaking plain HTTP to an SSL-enabled server port"),
}

// wantsTLS returns an error if an answer says that its server takes only TLS, or nil.
func wantsTLS(resp *http.Response, body []byte) *a2a.Error {
	says := func(words []byte) bool { return bytes.Contains(body, words) }
	if resp.StatusCode != http.StatusBadRequest || resp.Request == nil ||
		resp.Request.URL.Scheme != "http" ||
		!slices.ContainsFunc(notInPlain, says) {
		return nil
	}
	return noAnswer(a2a.Unavailable, resp.Request.URL.Host, neterr.TakesTLS)
}
