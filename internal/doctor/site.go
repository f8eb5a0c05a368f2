package doctor

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"rialto/internal/jsonrpc"
)

const (
	resourcePath = "/.well-known/oauth-protected-resource"
	serverPath   = "/.well-known/oauth-authorization-server"
	openIDPath   = "/.well-known/openid-configuration"
)

// target is the examined server as a client without a token sees it: its address, its
// challenge and its metadata.
type target struct {
	*prober
	address string // as it was typed
	url     *url.URL
	names   Resolver
}

func (s *target) origin() string { return originOf(s.url) }

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// local tells whether the server is on this computer, which hosted clients cannot reach.
func (s *target) local() bool {
	host := s.url.Hostname()
	ip, _ := netip.ParseAddr(host)
	return host == "localhost" || ip.IsLoopback()
}

func (s *target) addresses() ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(s.url.Hostname()); err == nil {
		return []netip.Addr{ip}, nil
	}
	return s.names.LookupNetIP(s.ctx, "ip", s.url.Hostname())
}

// message posts a JSON-RPC request with the id 1, or a notification.
func (s *target) message(address string, h http.Header, method string, params any) *answer {
	b, _ := json.Marshal(params) // only our own values
	r := jsonrpc.Request{Method: method, Params: b}
	if method != "notifications/initialized" {
		r.ID = jsonrpc.IntID(1)
	}

	return s.post(address, h, string(r.Append(nil)))
}

// post posts a body with the headers of an MCP client, and others.
func (s *target) post(address string, others http.Header, body string) *answer {
	h := http.Header{
		"Content-Type": {"application/json"},
		"Accept":       {"application/json, text/event-stream"},
	}
	maps.Copy(h, others)
	return s.send(http.MethodPost, address, h, body)
}

// initialize sends the first message of a client of 2025-06-18, with no other headers
// than are given.
func (s *target) initialize(address string, h http.Header) *answer {
	return s.message(address, h, "initialize", initializeParams(rev202506))
}

// unauthorized sends a request without a token, once.
func (s *target) unauthorized(method string) *answer {
	return s.once("unauthorized "+method, func() *answer {
		if method == http.MethodPost {
			return s.initialize(s.address, nil)
		}
		h := http.Header{"Accept": {"text/event-stream"}, "Mcp-Protocol-Version": {"2024-11-05"}}
		return s.do(method, s.address, h, "", true)
	})
}

// badToken sends a request with a token that does not exist, once.
func (s *target) badToken() *answer {
	return s.once("bad token", func() *answer {
		return s.initialize(s.address, http.Header{"Authorization": {"Bearer no-token-of-anybody"}})
	})
}

// challenge returns the parameters of the challenge to a POST, nil if there is none.
func (s *target) challenge() map[string]string { return challenge(s.unauthorized(http.MethodPost)) }

// challenge returns the parameters of an answer's Bearer challenge, nil if it has none.
func challenge(a *answer) map[string]string {
	for _, value := range a.header.Values("WWW-Authenticate") {
		if scheme, rest, _ := strings.Cut(value, " "); strings.EqualFold(scheme, "Bearer") {
			return parameters(rest)
		}
	}
	return nil
}

// parameters reads auth-params (RFC 9110 section 11.2).
func parameters(s string) map[string]string {
	params := map[string]string{}
	for s != "" {
		name, rest, ok := strings.Cut(s, "=")
		if !ok {
			break
		}
		name = strings.ToLower(strings.Trim(name, " ,\t"))
		params[name], s = parameterValue(strings.TrimLeft(rest, " \t"))
	}

	return params
}

// parameterValue reads a token or a quoted string and returns what follows.
func parameterValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		value, rest, _ = strings.Cut(s, ",")
		return strings.TrimSpace(value), rest
	}

	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}

	return b.String(), ""
}

// metadataURL returns the address of the metadata in the challenge, or "".
func (s *target) metadataURL() string {
	if raw := s.challenge()["resource_metadata"]; absolute(raw) {
		return raw
	}
	return ""
}

func (s *target) resourcePathURL() string {
	return s.origin() + resourcePath + strings.TrimSuffix(s.url.EscapedPath(), "/")
}

// resource returns the resource's metadata from where a client finds them first: the
// challenge, the path, the root. It may be nil.
func (s *target) resource() document {
	return s.first(s.metadataURL(), s.resourcePathURL(), s.origin()+resourcePath)
}

// first returns the first document at the addresses.
func (s *target) first(addresses ...string) document {
	for _, address := range addresses {
		if address == "" {
			continue
		}
		if d, err := s.get(address).document(); err == nil {
			return d
		}
	}
	return nil
}

// canonical returns the resource as clients send it: as in the metadata.
func (s *target) canonical() string {
	return cmp.Or(s.resource().text("resource"), s.address)
}

// scope returns the scopes that a client asks for: the challenge's, or else the resource's.
func (s *target) scope() string {
	return cmp.Or(
		s.challenge()["scope"], strings.Join(s.resource().list("scopes_supported"), " "),
	)
}

// issuer returns the issuer that the resource names. Without one it is the endpoint's
// origin, as before RFC 9728.
func (s *target) issuer() string {
	if servers := s.resource().list("authorization_servers"); len(servers) > 0 &&
		absolute(servers[0]) {
		return servers[0]
	}
	return s.origin()
}

// serverURLs returns where clients look for the authorization server's metadata, in
// their order (MCP authorization, "Authorization Server Metadata Discovery").
func (s *target) serverURLs() []string {
	u := parsed(s.issuer())
	at := originOf(u)
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	urls := []string{at + serverPath + path, at + openIDPath + path}
	if path != "" {
		urls = append(urls, at+path+openIDPath)
	}
	return urls
}

// server returns the authorization server's metadata. It may be nil.
func (s *target) server() document { return s.first(s.serverURLs()...) }

// endpoint returns an endpoint of the authorization server, or "".
func (s *target) endpoint(name string) string {
	if raw := s.server().text(name); absolute(raw) {
		return raw
	}
	return ""
}

// parsed parses a URL that has been checked.
func parsed(raw string) *url.URL {
	u, err := url.Parse(raw)
	if err != nil {
		return &url.URL{}
	}
	return u
}

func absolute(raw string) bool {
	u := parsed(raw)
	return (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

func sameOrigin(a, b string) bool {
	return absolute(a) && originOf(parsed(a)) == originOf(parsed(b))
}
