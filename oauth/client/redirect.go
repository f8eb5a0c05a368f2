package client

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"rialto/oauth"
)

const maxRedirectURIs = 10

// RedirectURI is a redirect URI that has passed every check of parseRedirect.
type RedirectURI struct {
	Raw string
	URL *url.URL
}

// ParseRedirect checks a redirect URI on its own. It refuses everything that two parsers could read
// differently: user information, fragments, backslashes, bytes that are not printable ASCII, dot
// segments and encoded separators in the authority (RFC 9700 section 2.1, RFC 3986). Each has
// leaked codes from some other server.
func ParseRedirect(raw string) (uri RedirectURI, err error) {
	if raw == "" || len(raw) > oauth.MaxURL {
		return uri, errors.New("redirect_uri is empty or too long")
	}

	for i := range len(raw) {
		if c := raw[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`\#*<>"`, c) >= 0 {
			return uri, errors.New("redirect_uri has a character that is not allowed")
		}
	}

	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" || u.Opaque != "" || u.User != nil {
		return uri, errors.New("redirect_uri must be an absolute URI without user information")
	}
	if web := u.Scheme == "http" || u.Scheme == "https"; web && u.Hostname() == "" {
		return uri, errors.New("redirect_uri has no host")
	}
	if strings.ContainsAny(authority(raw), "%@") || hasDotSegment(u) {
		return uri, errors.New(
			"redirect_uri has an encoded character in its host, or dots in its path",
		)
	}

	return RedirectURI{raw, u}, nil
}

// Host is what a person is shown: where the answer goes.
func (r RedirectURI) Host() string {
	if r.URL.Scheme == "http" || r.URL.Scheme == "https" {
		return r.URL.Host
	}
	return r.URL.Scheme + "://" + r.URL.Host
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

// Loopback tells whether the URI leads to an app on the user's own computer. The hosts are compared
// literally: 127.0.0.2 or an encoded address is not something that a client has a reason to use.
func (r RedirectURI) Loopback() bool {
	return r.URL.Scheme == "http" &&
		slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, r.URL.Hostname())
}

// Local tells whether the answer stays on the user's computer: it goes to
// whichever app listens there, or has claimed the scheme.
func (r RedirectURI) Local() bool { return r.URL.Scheme != "https" }

// registrable tells whether a client may register the URI: https anywhere,
// http on the user's own computer, or one of privateSchemes.
// It does not depend on application_type, which clients leave out.
func (r RedirectURI) registrable() bool {
	return r.URL.Scheme == "https" || r.Loopback() || slices.Contains(privateSchemes, r.URL.Scheme)
}

// under tells whether the URI leads to where a prefix does: to the same host, and to its path or
// below it. The prefix is no text to compare with: a host that begins like it is another host.
func (r RedirectURI) under(prefix string) bool {
	p, err := ParseRedirect(prefix)
	if err != nil || r.URL.Scheme != p.URL.Scheme || !strings.EqualFold(r.URL.Host, p.URL.Host) {
		return false
	}
	path := strings.TrimSuffix(p.URL.EscapedPath(), "/")
	return r.URL.EscapedPath() == path || strings.HasPrefix(r.URL.EscapedPath(), path+"/")
}

// matches tells whether a requested URI is the registered one: byte for byte, or the same loopback
// address with any port, because an app takes the port that it gets (RFC 8252 section 7.3).
func (r RedirectURI) matches(requested RedirectURI) bool {
	if r.Raw == requested.Raw {
		return true
	}
	return r.Loopback() && requested.Loopback() &&
		r.URL.Hostname() == requested.URL.Hostname() &&
		r.URL.EscapedPath() == requested.URL.EscapedPath() &&
		r.URL.RawQuery == requested.URL.RawQuery &&
		r.URL.ForceQuery == requested.URL.ForceQuery
}

// RedirectFor returns the registered client's redirect URI for a request. An
// absent parameter stands for the only URI there is.
func RedirectFor(c *oauth.Client, requested string) (uri RedirectURI, err error) {
	if requested == "" {
		if len(c.RedirectURIs) != 1 {
			return uri, errors.New("redirect_uri is missing")
		}
		return ParseRedirect(c.RedirectURIs[0])
	}

	uri, err = ParseRedirect(requested)
	if err != nil {
		return uri, err
	}

	for _, raw := range c.RedirectURIs {
		if registered, err := ParseRedirect(raw); err == nil && registered.matches(uri) {
			return uri, nil
		}
	}

	return RedirectURI{}, errors.New("redirect_uri is not one that the client registered")
}

// With returns the URI with parameters added, names and values in turn. Those
// without a value are left out. What the client registered in
// the query stays as it is, byte for byte (RFC 6749 section 3.1.2).
func (r RedirectURI) With(params ...string) string {
	var b strings.Builder
	b.WriteString(r.Raw)
	sep := byte('?')
	if r.URL.RawQuery != "" || r.URL.ForceQuery {
		sep = '&'
	}

	for p := range slices.Chunk(params, 2) {
		if p[1] == "" {
			continue
		}
		b.WriteByte(sep)
		b.WriteString(p[0] + "=" + url.QueryEscape(p[1]))
		sep = '&'
	}

	return b.String()
}
