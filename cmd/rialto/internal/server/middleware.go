package server

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gorilla/mux"

	"rialto/a2a/a2apush"
	"rialto/bridge/documents"
	"rialto/bridge/uploads"
	"rialto/cmd/rialto/internal/telemetry"
)

// maxLoggedSegment is the longest part of a path that is logged: tokens are longer than the IDs that
// stand in our paths.
const maxLoggedSegment = 64

// redactPath returns a path without the part that is a capability, and without what may be a token.
func redactPath(path string) string {
	for _, prefix := range []string{documents.SharedPath, documents.DownloadPath, uploads.Path, a2apush.InboxPath} {
		if rest, ok := strings.CutPrefix(path, prefix); ok && rest != "" {
			return prefix + "…"
		}
	}

	parts := strings.Split(path, "/")
	for i, part := range parts {
		if len(part) > maxLoggedSegment {
			parts[i] = "…"
		}
	}

	return strings.Join(parts, "/")
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

// noteDoor notes the part of the server that the route belongs to, for the observer.
func noteDoor(name string) mux.MiddlewareFunc {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if of := telemetry.RequestOf(r.Context()); of != nil {
				of.Door = name
			}
			next.ServeHTTP(w, r)
		})
	}
}

// textAddresses rejects addresses with NUL or invalid UTF-8, which PostgreSQL does not accept.
func textAddresses(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isText(r.URL.Path) || !areTexts(r.URL) {
			rejectInvalidText(w)
			return
		}
		next.ServeHTTP(w, r)
	})
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
	for name, values := range u.Query() {
		if !isText(name) || slices.ContainsFunc(values, func(v string) bool { return !isText(v) }) {
			return false
		}
	}
	return true
}
