package transport

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/mcp/internal/wire"
)

// CORS returns a handler that lets pages of the allowed origins read what next answers, and answers
// their preflight requests itself. A guard that may answer 401 belongs inside: preflight requests
// carry no token, and a page must be able to read the challenge.
//
//	srv.CORS(guard(srv))
func (e *Endpoint) CORS(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !e.guard(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// guard tells whether it has answered the request itself: because the page or
// the host it names is not welcome, or because it is a preflight.
func (e *Endpoint) guard(w http.ResponseWriter, r *http.Request) bool {
	if !e.hostAllowed(r) {
		writeError(w, wire.Refuse(http.StatusForbidden, "the Host header names another server"))
		return true
	}

	h := w.Header()
	origin := r.Header.Get("Origin")
	if origin != "" {
		if !slices.Contains(h.Values("Vary"), "Origin") {
			h.Add("Vary", "Origin")
		}
		if !e.originAllowed(origin, r.Host) {
			writeError(
				w,
				wire.Refuse(http.StatusForbidden, "pages of this origin may not call this server"),
			)
			return true
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set(
			"Access-Control-Expose-Headers",
			"WWW-Authenticate, Mcp-Session-Id, Retry-After, RateLimit, RateLimit-Policy",
		)
	}
	if r.Method != http.MethodOptions {
		return false
	}

	h.Set("Allow", "POST, OPTIONS")
	if origin != "" {
		preflight(h, r)
	}

	w.WriteHeader(http.StatusNoContent)
	return true
}

// preflight allows what an MCP client sends. No credentials are allowed: a
// token is put into a header by the page, and cookies mean nothing here.
func preflight(h http.Header, r *http.Request) {
	allowed := []string{
		"Accept", "Authorization", "Content-Type", "DPoP", "Last-Event-ID", "MCP-Protocol-Version",
		gomcp.HeaderMethod, gomcp.HeaderName, gomcp.HeaderSessionID,
	}
	for name := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		// The names of parameters come from the tools' schemas; ChatGPT's pages add "oai-…".
		name = strings.TrimSpace(name)
		if hasPrefixFold(name, gomcp.HeaderParamPrefix) || hasPrefixFold(name, "oai-") {
			allowed = append(allowed, name)
		}
	}

	h.Set("Access-Control-Allow-Methods", "POST, GET, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers", strings.Join(allowed, ", "))
	h.Set("Access-Control-Max-Age", "600")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// originAllowed tells whether pages of origin may call the server: its own, and those listed
// (2026-07-28, basic/transports/streamable-http, "Security & Endpoint"). The scheme of its own is
// not compared, for a proxy may have taken TLS off.
func (e *Endpoint) originAllowed(origin, host string) bool {
	matches := func(allowed string) bool { return originMatches(allowed, origin) }
	if slices.ContainsFunc(e.Server.AllowedOrigins(), matches) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") &&
		strings.EqualFold(u.Host, host)
}

// originMatches tells whether an origin is an allowed one. "https://*.example.com" stands for the
// origins of all hosts below example.com, at any depth, on the default port.
func originMatches(allowed, origin string) bool {
	before, after, wildcard := strings.Cut(allowed, "*")
	if !wildcard {
		return allowed == origin
	}

	host, ok := strings.CutPrefix(origin, before)
	if !ok || !strings.HasSuffix(host, after) {
		return false
	}

	labels := strings.TrimSuffix(host, after)
	return labels != "" && !strings.ContainsAny(labels, "/:@?#") && !strings.HasPrefix(labels, ".")
}

// hostAllowed guards local servers against DNS rebinding: a page whose name has been made to point
// to 127.0.0.1 is of the same origin as what answers there, but it still sends its own name.
func (e *Endpoint) hostAllowed(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || !local.IP.IsLoopback() {
		return true
	}
	allowed := func(host string) bool { return strings.EqualFold(host, r.Host) }
	return loopback(r.Host) || slices.ContainsFunc(e.Server.AllowedHosts(), allowed)
}

// loopback tells whether addr, with or without a port, is this machine.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = strings.Trim(addr, "[]")
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
