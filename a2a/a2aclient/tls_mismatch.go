package a2aclient

import (
	"bytes"
	"crypto/tls"
	"errors"
	"net/http"
	"slices"
	"strings"

	"rialto/a2a"
)

// The errors if only one end speaks TLS.
var (
	errTakesPlain = errors.New(
		"it speaks plain HTTP and was asked over HTTPS; let it serve TLS, or write http:// in its URL",
	)
	errTakesTLS = errors.New(
		"it speaks HTTPS and was asked over plain HTTP; write https:// in its URL",
	)
)

// tlsMismatch returns the one of these errors that caused err, or err. net/http reports
// a TLS alert (RFC 8446 section 6) in its text only.
func tlsMismatch(err error) error {
	notTLS, _ := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case errors.Is(err, http.ErrSchemeMismatch), string(notTLS.RecordHeader[:]) == "HTTP/":
		return errTakesPlain
	case strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`):
		return errTakesTLS
	}
	return err
}

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
	return noAnswer(a2a.Unavailable, resp.Request.URL.Host, errTakesTLS)
}
