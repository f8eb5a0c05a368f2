package oauth

import (
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
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

// Resource is a protected resource of the server (RFC 9728). A token is for exactly one.
type Resource struct {
	URL      string   // the audience of its tokens
	Name     string   // "" is the default one
	Title    string   // for people
	Accounts []string // who may use it; nil means all
	UseCases []string // that its tokens are narrowed to; nil narrows nothing
}

// Admits tells whether an account may use the resource.
func (r *Resource) Admits(account string) bool {
	return len(r.Accounts) == 0 || slices.Contains(r.Accounts, account)
}

// Within returns the part of a scope that tokens for the resource can hold. Only those of the default
// one run the server: the others open a part of it.
func (r *Resource) Within(scope ScopeSet) ScopeSet {
	if r.Name != "" {
		scope = scope.Without(ScopeAdmin)
	}
	return scope.Within(r.UseCases)
}

// Resources are the protected resources of the server. Set replaces them while it runs.
type Resources struct{ now atomic.Pointer[resourceSet] }

type resourceSet struct {
	byDefault *Resource
	named     map[string]*Resource // by URL
	spelled   map[string]*Resource // by the canonical URL in lower case
}

// NewResources returns the resources of a server that has one.
func NewResources(only Resource) *Resources {
	rs := &Resources{}
	rs.Set(only)
	return rs
}

// Set replaces the resources. The first is the default one, of requests that name none. No two differ
// only in letter case.
func (rs *Resources) Set(byDefault Resource, more ...Resource) {
	next := &resourceSet{&byDefault, map[string]*Resource{}, map[string]*Resource{}}
	add := func(r *Resource) {
		canonical, _ := CanonicalResource(r.URL)
		next.named[r.URL] = r
		next.spelled[strings.ToLower(canonical)] = r
	}
	add(&byDefault)
	for i := range more {
		add(&more[i])
	}

	rs.now.Store(next)
}

// Default returns the resource of requests that name none.
func (rs *Resources) Default() *Resource { return rs.now.Load().byDefault }

// Of returns the resource whose URL is exactly the audience of a token; nil if there is none.
func (rs *Resources) Of(audience string) *Resource { return rs.now.Load().named[audience] }

// Asked decides about the resource parameters of a request (RFC 8707). It returns nil if there are
// none. One must name a resource, and several are too many, because a token has one audience. Clients
// spell it in several ways: letter case, a default port and one slash at the end do not matter;
// everything else does: "/mcp-evil" and "/mcp/../x" are other resources.
func (rs *Resources) Asked(asked []string) (*Resource, error) {
	if len(asked) == 0 {
		return nil, nil
	}
	if len(asked) > 1 {
		return nil, Refuse("invalid_target", "Only one resource can be asked for at a time.")
	}

	set := rs.now.Load()
	spelled, ok := CanonicalResource(asked[0])
	if found := set.spelled[strings.ToLower(spelled)]; ok && found != nil {
		return found, nil
	}

	return nil, Refuse(
		"invalid_target",
		"This server issues no tokens for this resource; one that it issues them for is %s.",
		set.byDefault.URL,
	)
}
