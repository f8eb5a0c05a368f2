package directhttp

import (
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// takes reports whether req goes this way.
func (t *Transport) takes(req *http.Request) bool {
	if req.URL == nil || req.URL.Scheme != "http" || req.URL.Host == "" || isNotPrintable(req.URL.Host) {
		return false // a host that is not ASCII has another name for the network
	}
	if req.Close || req.TransferEncoding != nil || req.Trailer != nil || !inMemory(req) || !plain(req.Header) {
		return false
	}
	if t.Next.Proxy == nil {
		return true
	}
	proxy, err := t.Next.Proxy(req)
	return proxy == nil && err == nil
}

// inMemory reports whether all that is to be written is there already, and little.
func inMemory(req *http.Request) bool {
	switch req.Method {
	case http.MethodGet:
		return req.Body == nil || req.Body == http.NoBody
	case http.MethodPost:
		return req.Body != nil && req.GetBody != nil && 0 < req.ContentLength && req.ContentLength <= maxBody
	default:
		return false
	}
}

// plain reports whether a header may be written as it is, and asks nothing of the
// connection. http.Transport says what is wrong with any other, or copes with it.
func plain(h http.Header) bool {
	if h == nil {
		return false
	}
	for name, values := range h {
		if slices.Contains(special, name) || !isName(name) || slices.ContainsFunc(values, isNotPrintable) {
			return false
		}
	}
	return true
}

// special are the headers that change how the request or the answer travels.
var special = []string{"Accept-Encoding", "Connection", "Expect", "Keep-Alive", "Proxy-Connection", "Range", "Te", "Upgrade"}

// isName reports whether s is the name of a header as net/http writes names.
func isName(s string) bool {
	odd := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_')
	}
	return s != "" && strings.IndexFunc(s, odd) < 0 && s == http.CanonicalHeaderKey(s)
}

// isNotPrintable reports whether s has anything but printable ASCII and blanks.
func isNotPrintable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) >= 0
}

// zipped returns req asking for an answer that may be compressed, as http.Transport
// asks: to a peer both ways are one.
func zipped(req *http.Request) *http.Request {
	out := *req
	out.Header = maps.Clone(req.Header)
	out.Header["Accept-Encoding"] = onlyGzip
	return &out
}

var onlyGzip = []string{"gzip"} // nobody writes to it

// hostPort returns what to dial for u.
func hostPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return net.JoinHostPort(u.Hostname(), "80")
}
