package oauth

import (
	"errors"
	"net/url"
	"slices"
	"strings"
)

const maxRedirectURIs = 10

// maxURL bounds the length of a URL that others choose.
const maxURL = 2048

// redirectURI is a redirect URI that has passed every check of parseRedirect.
type redirectURI struct {
	raw string
	u   *url.URL
}

// parseRedirect checks a redirect URI by itself, whoever registered it. It
// refuses everything about which two parsers could differ: user information,
// fragments, backslashes, bytes that are not printable ASCII, dot segments and
// encoded separators in the authority (RFC 9700 section 2.1, RFC 3986). Each
// of these has let codes escape from some other server.
func parseRedirect(raw string) (redirectURI, error) {
	if raw == "" || len(raw) > maxURL {
		return redirectURI{}, errors.New("redirect_uri is empty or too long")
	}
	for i := range len(raw) {
		if c := raw[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`\#*<>"`, c) >= 0 {
			return redirectURI{}, errors.New("redirect_uri has a character that is not allowed")
		}
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" || u.Opaque != "" || u.User != nil {
		return redirectURI{}, errors.New("redirect_uri must be an absolute URI without user information")
	}
	if web := u.Scheme == "http" || u.Scheme == "https"; web && u.Hostname() == "" {
		return redirectURI{}, errors.New("redirect_uri has no host")
	}
	if strings.ContainsAny(authority(raw), "%@") || hasDotSegment(u) {
		return redirectURI{}, errors.New("redirect_uri has an encoded character in its host, or dots in its path")
	}
	return redirectURI{raw, u}, nil
}

// host is what a person is shown: where the answer goes.
func (r redirectURI) host() string {
	if r.u.Scheme == "http" || r.u.Scheme == "https" {
		return r.u.Host
	}
	return r.u.Scheme + "://" + r.u.Host
}

// authority returns what stands between "//" and the next "/" or "?".
func authority(raw string) string {
	_, rest, _ := strings.Cut(raw, "//")
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// hasDotSegment looks at the decoded path, so that %2e does not hide.
func hasDotSegment(u *url.URL) bool {
	segments := strings.Split(u.Path, "/")
	return slices.Contains(segments, ".") || slices.Contains(segments, "..")
}

// loopback tells whether the URI leads to an app on the user's own computer.
// The hosts are compared literally: 127.0.0.2 or an encoded address is not
// something that a client has a reason to use.
func (r redirectURI) loopback() bool {
	return r.u.Scheme == "http" && slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, r.u.Hostname())
}

// local tells whether the answer stays on the user's computer: it goes to
// whichever app listens there, or has claimed the scheme.
func (r redirectURI) local() bool { return r.u.Scheme != "https" }

// registrable tells whether a client may register the URI: https anywhere,
// http on the user's own computer, or a private-use scheme that the operator
// allows. It does not depend on application_type, which clients leave out.
func (r redirectURI) registrable(schemes []string) bool {
	return r.u.Scheme == "https" || r.loopback() || slices.Contains(schemes, r.u.Scheme)
}

// under tells whether the URI leads to where a prefix does: to the same host, and
// to its path or below it. The prefix is no text to compare with: a host that
// begins like it is another host.
func (r redirectURI) under(prefix string) bool {
	p, err := parseRedirect(prefix)
	if err != nil || r.u.Scheme != p.u.Scheme || !strings.EqualFold(r.u.Host, p.u.Host) {
		return false
	}
	path := strings.TrimSuffix(p.u.EscapedPath(), "/")
	return r.u.EscapedPath() == path || strings.HasPrefix(r.u.EscapedPath(), path+"/")
}

// matches tells whether a requested URI is the registered one: byte for byte,
// or the same loopback address with any port, because an app takes the port
// that it gets (RFC 8252 section 7.3).
func (r redirectURI) matches(requested redirectURI) bool {
	if r.raw == requested.raw {
		return true
	}
	return r.loopback() && requested.loopback() &&
		r.u.Hostname() == requested.u.Hostname() &&
		r.u.EscapedPath() == requested.u.EscapedPath() &&
		r.u.RawQuery == requested.u.RawQuery &&
		r.u.ForceQuery == requested.u.ForceQuery
}

// redirectFor returns the registered client's redirect URI for a request. An
// absent parameter stands for the only URI there is.
func redirectFor(c *Client, requested string) (redirectURI, error) {
	if requested == "" {
		if len(c.RedirectURIs) != 1 {
			return redirectURI{}, errors.New("redirect_uri is missing")
		}
		return parseRedirect(c.RedirectURIs[0])
	}
	uri, err := parseRedirect(requested)
	if err != nil {
		return redirectURI{}, err
	}
	for _, raw := range c.RedirectURIs {
		if registered, err := parseRedirect(raw); err == nil && registered.matches(uri) {
			return uri, nil
		}
	}
	return redirectURI{}, errors.New("redirect_uri is not one that the client registered")
}

// param is a query parameter of an answer; a slice of them keeps its order.
type param struct{ name, value string }

// with returns the URI with parameters added. What the client registered in
// the query stays as it is, byte for byte (RFC 6749 section 3.1.2).
func (r redirectURI) with(params ...param) string {
	var b strings.Builder
	b.WriteString(r.raw)
	sep := byte('?')
	if r.u.RawQuery != "" || r.u.ForceQuery {
		sep = '&'
	}
	for _, p := range params {
		if p.value == "" {
			continue
		}
		b.WriteByte(sep)
		b.WriteString(p.name + "=" + url.QueryEscape(p.value))
		sep = '&'
	}
	return b.String()
}

// schemes returns the private-use schemes that clients may register.
func (s *Server) schemes() []string {
	if s.Schemes == nil {
		return []string{"cursor"}
	}
	return slices.DeleteFunc(slices.Clone(s.Schemes), func(scheme string) bool {
		return slices.Contains([]string{"http", "https", "javascript", "data", "file", "vbscript", "blob", "about"}, scheme)
	})
}
