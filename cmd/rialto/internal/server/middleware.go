package server

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gorilla/mux"
	"github.com/klauspost/compress/gzhttp"

	"rialto/a2a/a2apush"
	"rialto/bridge/documents"
	"rialto/cmd/rialto/internal/telemetry"
	"rialto/static"
)

// redactPath returns a path without the part that is a capability.
func redactPath(path string) string {
	for _, prefix := range []string{documents.SharedPath, documents.DownloadPath, a2apush.InboxPath} {
		if rest, ok := strings.CutPrefix(path, prefix); ok && rest != "" {
			return prefix + "…"
		}
	}
	return path
}

// schemeOf returns the scheme that the client used: that of the listener, unless a trusted proxy
// says another.
func schemeOf(r *http.Request, own string, proxies []netip.Prefix) string {
	told := r.Header.Get("X-Forwarded-Proto")
	if told != "http" && told != "https" {
		return own
	}
	peer, _ := netip.ParseAddrPort(r.RemoteAddr)
	if slices.ContainsFunc(
		proxies, func(p netip.Prefix) bool { return p.Contains(peer.Addr().Unmap()) },
	) {
		return told
	}
	return own
}

// noteRoute notes which route matched, for the observer.
func noteRoute(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if of := telemetry.RequestOf(r.Context()); of != nil {
			of.Route, _ = mux.CurrentRoute(r).GetPathTemplate()
		}
		next.ServeHTTP(w, r)
	})
}

// routing passes requests on to the routes. It rejects addresses with NUL or invalid UTF-8, which
// PostgreSQL does not accept, and compresses what browsers read: pages, style sheets, scripts and
// the description of the API. It leaves alone what the protocols answer, streams, and files.
//
// A page that has a secret and something that an attacker chose tells the secret by its size when
// it is compressed (the BREACH attack). So pages with one-time secrets in their forms (/authorize,
// /signin, /connect/) and all answers to forms, which may have a new secret, are not compressed.
// Neither is a page that another site opened, as the browser says (Sec-Fetch-Site).
type routing struct{ routes, compressed, compressedJSON http.Handler }

func newRouting(routes http.Handler) (*routing, error) {
	compressed, err := compressing(
		routes,
		"text/html",
		"text/css",
		"text/javascript",
		"image/svg+xml",
	)
	compressedJSON, errJSON := compressing(routes, "application/json")
	return &routing{routes, compressed, compressedJSON}, errors.Join(err, errJSON)
}

// compressing returns h with answers of some types compressed.
func compressing(h http.Handler, types ...string) (http.HandlerFunc, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.ContentTypes(types))
	if err != nil {
		return nil, err
	}
	return wrap(h), nil
}

// ServeHTTP implements http.Handler.
func (h *routing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	switch {
	case !isText(path) || !areTexts(r.URL):
		rejectInvalidText(w)
	case path == "/openapi.json":
		h.compressedJSON.ServeHTTP(w, r)
	case r.Method == http.MethodGet && compressible(r):
		h.compressed.ServeHTTP(w, r)
	default:
		h.routes.ServeHTTP(w, r)
	}
}

func rejectInvalidText(w http.ResponseWriter) {
	writeError(
		w,
		http.StatusBadRequest,
		"invalid_request",
		"The address holds a NUL, or bytes that are not UTF-8.",
	)
}

func isText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

// areTexts reports whether all parameters of an address are text.
func areTexts(u *url.URL) bool {
	if u.RawQuery == "" {
		return true
	}
	for name, values := range u.Query() {
		if !isText(name) || slices.ContainsFunc(values, func(v string) bool { return !isText(v) }) {
			return false
		}
	}
	return true
}

// compressible reports whether the page at an address may be compressed.
func compressible(r *http.Request) bool {
	return isPublic(r.URL.Path) || isPage(r.URL.Path) && openedHere(r)
}

// isPublic reports whether everybody gets the same at a path.
func isPublic(path string) bool { return path == "/docs" || strings.HasPrefix(path, static.Prefix) }

// isPage reports whether a path is that of a page without one-time secrets.
func isPage(path string) bool {
	if strings.HasSuffix(path, "/events") || strings.HasSuffix(path, "/export") {
		return false
	}
	for _, prefix := range []string{"/account", "/admin", documents.DocumentPath, documents.TaskPath} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return path == "/"
}

// openedHere reports whether the person opened a page, or followed a link of ours.
func openedHere(r *http.Request) bool {
	from := r.Header.Get("Sec-Fetch-Site")
	return from == "same-origin" || from == "none"
}
