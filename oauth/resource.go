package oauth

import (
	"net/url"
	"strings"
)

// Where the documents are (RFC 9728 section 3, RFC 8414 section 3).
const (
	ResourceMetadataPath = "/.well-known/oauth-protected-resource"
	OpenidMetadataPath   = "/.well-known/openid-configuration" // OpenID Connect Discovery 1.0 section 4
)

func PathOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Path
}

// MaxURL bounds the length of a URL that others choose.
const MaxURL = 2048

// isResource tells whether asked names our resource (RFC 8707). Clients spell it in several ways;
// letter case of scheme and host, a default port and one slash at the end do not matter, everything
// else does: "/mcp-evil" and "/mcp/../x" are other resources.
func isResource(resource, asked string) bool {
	if asked == resource {
		return true
	}
	spelled, ok := CanonicalResource(asked)
	ours, _ := CanonicalResource(resource)
	return ok && spelled == ours
}

// CanonicalResource returns the one spelling of a resource URL. ok is unset for what cannot be a
// resource: relative, with a fragment, a query or user information (RFC 8707 section 2).
func CanonicalResource(raw string) (string, bool) {
	if len(raw) > MaxURL || strings.ContainsAny(raw, "#\\") {
		return "", false
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery {
		return "", false
	}
	scheme := strings.ToLower(u.Scheme)
	host := strings.ToLower(u.Host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	default:
		return "", false
	}
	return scheme + "://" + host + strings.TrimSuffix(u.EscapedPath(), "/"), true
}

// CheckResource decides about the resource parameters of a request: none stands for ours, one must
// be ours, several are too many, because a token has one audience.
func CheckResource(resource string, asked []string) error {
	switch {
	case len(asked) == 0:
		return nil
	case len(asked) > 1:
		return Refuse("invalid_target", "Only one resource can be asked for at a time.")
	case !isResource(resource, asked[0]):
		return Refuse("invalid_target", "This server issues tokens for %s only.", resource)
	}
	return nil
}
