// Package connectors answers at the MCP URLs of connectors: MCP itself, the metadata of each as a
// protected resource, and the cards that describe it. It does not know what a connector reaches: see
// package directory.
package connectors

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gorilla/mux"

	"rialto/bridge/directory"
	"rialto/mcp"
	"rialto/oauth"
	"rialto/oauth/authserver"
	"rialto/wellknown"
)

// Table answers at the addresses of the connectors that were set last. All fields are required.
type Table struct {
	Origin    *url.URL // of the server
	Directory *directory.Directory
	OAuth     *authserver.Server
	MCP       *mcp.Server
	Bodies    Limiter

	now atomic.Pointer[addresses]
}

// Limiter bounds the bodies of requests and answers.
type Limiter interface {
	Limit(http.Handler) http.Handler
}

// addresses are what answers at one moment. They are replaced, never changed.
type addresses struct {
	connectors []directory.Connector
	handlers   map[string]http.Handler  // by path, or by host and path, in lower case
	hosts      map[string]bool          // of the connectors with a host of their own
	identities map[string]*mcp.Identity // by the URL of the connector
}

// Resources returns the protected resources of connectors, for the server at an address.
func Resources(server string, all []directory.Connector) []oauth.Resource {
	resources := make([]oauth.Resource, len(all))
	for i, c := range all {
		resources[i] = oauth.Resource{
			URL:      c.URL(server),
			Name:     c.Name,
			Title:    cmp.Or(c.Title, c.Name),
			Accounts: c.Accounts,
		}
		if c.UseCase != "" {
			resources[i].UseCases = []string{c.UseCase}
		}
	}

	return resources
}

// Set puts connectors in force: what they reach, their tokens, and where they answer. Their clients
// are notified of changes.
func (t *Table) Set(all []directory.Connector) error {
	next := &addresses{
		connectors: slices.Clone(all),
		handlers:   map[string]http.Handler{},
		hosts:      map[string]bool{},
		identities: map[string]*mcp.Identity{},
	}
	resources := Resources(t.Origin.String(), all)
	for i, c := range all {
		if err := t.add(next, c, &resources[i]); err != nil {
			return err
		}
	}
	t.Directory.SetConnectors(all)
	t.OAuth.Resources.Set(*t.OAuth.Resources.Default(), resources...)
	last := t.now.Swap(next)
	if last != nil && !reflect.DeepEqual(last.connectors, all) {
		t.MCP.Changed(mcp.ToolsChanged())
		t.MCP.Changed(mcp.ResourcesChanged())
	}
	return nil
}

// Loader reads the list of connectors, and puts it in force.
type Loader interface{ Load(context.Context) error }

// Resource returns the resource with a URL, nil if there is none. Another replica may have added it, so the
// list is read before nil is returned.
func (t *Table) Resource(ctx context.Context, url string, list Loader) (*oauth.Resource, error) {
	known := t.OAuth.Resources.Of(url)
	if known != nil {
		return known, nil
	}
	err := list.Load(ctx)
	return t.OAuth.Resources.Of(url), err
}

// add adds what answers at the addresses of a connector.
func (t *Table) add(to *addresses, c directory.Connector, resource *oauth.Resource) (err error) {
	info := t.describe(c)
	instructions := strings.TrimSpace(c.Instructions + "\n\n" + t.MCP.Instructions)
	to.identities[resource.URL], err = mcp.NewIdentity(info, instructions)
	if err != nil {
		return err
	}
	if c.Host != "" {
		to.hosts[c.Host] = true
	}

	at := oauth.PathOf(resource.URL)
	guard := t.OAuth.Guard.For(resource)
	mount := func(path string, h http.Handler) { to.handlers[c.Host+strings.ToLower(path)] = h }
	guarded := func(path string, h http.Handler) {
		mount(path, t.MCP.CORS(guard.Require(t.Bodies.Limit(h), oauth.ScopeTools)))
	}
	guarded(at, t.MCP)
	guarded(at+"/", t.MCP)
	guarded(at+"/sse", t.MCP.SSE(at+"/messages"))
	guarded(at+"/messages", t.MCP.Messages())

	docs := t.OAuth.DocumentsOf(resource)
	maps.Copy(docs, cards(info, c.Name, t.Origin, resource.URL))
	for path, doc := range docs {
		h, err := wellknown.Handler(doc)
		if err != nil {
			return err
		}
		mount(path, h)
	}

	return nil
}

// describe describes a connector to MCP clients. Its name is its own: Claude takes two servers of one
// name for the same.
func (t *Table) describe(c directory.Connector) mcp.Implementation {
	info := t.MCP.Info
	info.Name += "-" + c.Name
	info.Title = cmp.Or(c.Title, c.Name)
	info.Description = cmp.Or(c.Description, info.Description)
	if c.Icon != "" {
		info.Icons = []mcp.Icon{{Src: c.Icon}}
	}
	return info
}

// Match is a mux.MatcherFunc for the requests to connectors. Letter case does not matter: claude.ai
// changes it.
func (t *Table) Match(r *http.Request, m *mux.RouteMatch) bool {
	now := t.now.Load()
	if now == nil {
		return false
	}
	m.Handler = now.find(strings.ToLower(r.Host), strings.ToLower(r.URL.Path))
	return m.Handler != nil
}

// find returns what answers at an address, nil if it is none of a connector. On the host of a
// connector there is no other MCP endpoint, and no other metadata.
func (a *addresses) find(host, path string) http.Handler {
	if !a.hosts[host] {
		return a.handlers[path]
	}
	if h := a.handlers[host+path]; h != nil {
		return h
	}

	for _, other := range []string{directory.Path, "/sse", oauth.ResourceMetadataPath, "/.well-known/mcp"} {
		if strings.HasPrefix(path, other) {
			return http.NotFoundHandler()
		}
	}

	return nil
}

// Identity returns how the server presents itself to a request: see mcp.Access.
func (t *Table) Identity(ctx context.Context) *mcp.Identity {
	p, _ := oauth.FromContext(ctx)
	now := t.now.Load()
	if p.Connector == "" || now == nil {
		return nil
	}
	return now.identities[p.Resource]
}

// Hosts returns the hosts of the server and of its connectors.
func (t *Table) Hosts() []string {
	hosts := []string{t.Origin.Host}
	if now := t.now.Load(); now != nil {
		for host := range now.hosts {
			hosts = append(hosts, host)
		}
	}
	return hosts
}
