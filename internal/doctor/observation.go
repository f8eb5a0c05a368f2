package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"rialto/internal/jsonrpc"
)

// observation is what was seen of a server, for the causes: they decide by it alone, and send
// nothing.
type observation struct {
	url           *url.URL
	bad           bool    // the URL is not one to call
	cut           bool    // the doctor had to stop before it had looked
	forbidden     bool    // the transport may not call it
	post          *answer // to initialize without a token
	wrong         *answer // to initialize with a token that does not exist
	get           *answer // to a GET for a stream
	rootPage      *answer // to a browser that opens the root; nil if post is of an MCP server
	old           bool    // a GET opens the stream of 2024-11-05
	open          bool    // initialize needs no token
	token         bool    // there was a token to use
	issued        bool    // it came from a login
	agent         bool    // the address is of an A2A agent
	nearbyServer  string  // another address, where an MCP server answers
	resource      document
	resourceAt    *answer // where the resource's metadata should be
	server        document
	elsewhere     []string // paths that another program than the MCP server answers
	by            string   // that program, if it is known
	staleMetadata string   // where a cache serves older metadata than the server
	refused       bool     // the token is refused as if none had been sent
	silent        bool     // the stream brings no byte, while calls are answered
}

// observe looks at a server as a whole, before the checks.
func (v *examination) observe(forbids func(error) bool) *observation {
	o := &observation{url: v.url, bad: v.badURL, post: &answer{}}
	if !v.badURL {
		o.look(v, forbids)
	}
	o.cut = v.cutShort != ""
	return o
}

func (o *observation) look(v *examination, forbids func(error) bool) {
	s := v.target
	o.post = s.unauthorized(http.MethodPost)
	if o.post.err != nil {
		o.forbidden = forbids != nil && forbids(o.post.err)
		return
	}

	o.open = v.open()
	o.agent = v.isAgent()
	o.resource, o.resourceAt = s.resource(), s.get(s.resourcePathURL())
	if o.isMCP() {
		o.wrong, o.server = s.badToken(), s.server()
		o.staleMetadata = s.staleMetadata()
		o.findProxiedPaths(s)
		return
	}

	o.get = s.openStream(s.address)
	o.rootPage = s.fetch(s.origin()+"/", "text/html")
	o.old = o.get.event == "endpoint"
	if o.resource == nil && !o.old && !o.agent {
		o.nearbyServer = s.nearbyServer()
	}
}

// finish adds what the checks have seen.
func (o *observation) finish(v *examination) {
	if o.bad || o.post.err != nil || v.mcp.began == nil {
		return
	}

	o.token = v.mcp.token() != ""
	o.issued = v.mcp.givenToken == ""
	if a := v.mcp.answered; a != nil && o.token && a.status == http.StatusUnauthorized {
		o.refused = a.header.Get("WWW-Authenticate") == o.post.header.Get("WWW-Authenticate")
	}
	if a, ok := v.cache["stream"]; ok && v.mcp.began.err == nil {
		var timeout net.Error
		o.silent = errors.Is(a.err, context.DeadlineExceeded) ||
			errors.As(a.err, &timeout) && timeout.Timeout()
	}
}

// isMCP reports whether the answer to initialize is of an MCP server.
func (o *observation) isMCP() bool {
	return o.open || o.challenge() != nil ||
		o.post.status == http.StatusUnauthorized && o.describes()
}

// describes reports whether the metadata are those of the address.
func (o *observation) describes() bool {
	named := parsed(o.resource.text("resource"))
	return o.resource != nil &&
		strings.TrimSuffix(named.Path, "/") == strings.TrimSuffix(o.url.Path, "/")
}

func (o *observation) challenge() map[string]string { return challenge(o.post) }

// open reports whether the server takes part in MCP without a token: it begins a session, or is
// of 2026-07-28 alone and knows no initialize.
func (v *examination) open() bool {
	a := v.unauthorized(http.MethodPost)
	if a.err != nil || a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
		return false
	}

	resp, err := jsonrpc.DecodeResponse(a.body)
	if err != nil || resp.Error == nil {
		return err == nil && object(resp.Result).text("protocolVersion") != ""
	}

	a = v.once("discover", func() *answer {
		h := http.Header{"Mcp-Protocol-Version": {rev202607}, "Mcp-Method": {"server/discover"}}
		return v.message(v.address, h, "server/discover", meta(nil, rev202607))
	})
	resp, err = jsonrpc.DecodeResponse(a.body)
	return err == nil && resp.Error == nil && object(resp.Result).list("supportedVersions") != nil
}

// openStream asks for the stream of an address, and reads its first event.
func (s *target) openStream(address string) *answer {
	return s.once("open "+address, func() *answer {
		return s.fetch(address, "text/event-stream")
	})
}

// nearbyServer returns the address of an MCP server at another usual path of the host, or "".
func (s *target) nearbyServer() string {
	for _, path := range []string{"/mcp", "/sse"} {
		address := s.origin() + path
		if path == s.url.Path {
			continue
		}
		a := s.initialize(address, nil)
		_, err := jsonrpc.DecodeResponse(a.body)
		answers := err == nil && a.status == http.StatusOK
		if a.err == nil && (answers || challenge(a) != nil) {
			return address
		}
		if path == "/sse" && s.openStream(address).event == "endpoint" {
			return address
		}
	}
	return ""
}

// staleMetadata returns the address of metadata that differ, twice, when a cache is gone round, or "".
func (s *target) staleMetadata() string {
	for _, address := range append([]string{s.resourcePathURL()}, s.serverURLs()...) {
		round := address + "?rialto-doctor=" + rand.Text()
		cache := s.get(address)
		fresh := s.get(round)
		if _, err := fresh.document(); err != nil || cache.err != nil ||
			string(cache.body) == string(fresh.body) {
			continue
		}
		same := func(before *answer, address string) bool {
			a := s.fetch(address, "application/json")
			return a.err == nil && string(a.body) == string(before.body)
		}
		if same(cache, address) && same(fresh, round) {
			return address
		}
	}
	return ""
}

// findProxiedPaths finds the paths of the server that a proxy answers instead of it.
func (o *observation) findProxiedPaths(s *target) {
	if o.open {
		return
	}
	if named := s.metadataURL(); named != "" && !sameOrigin(named, s.address) {
		return
	}

	lost := o.resource == nil && o.server == nil
	known := []string{s.resourcePathURL()}
	if o.resource == nil || sameOrigin(s.issuer(), s.address) { // else the login is at another host
		known = append(
			known,
			s.origin()+serverPath,
			s.origin()+"/authorize",
			s.origin()+"/token",
			s.origin()+"/register",
		)
	}

	for _, address := range known {
		program := proxied(s.get(address))
		path := parsed(address).Path
		if strings.HasPrefix(path, "/.well-known") {
			path = "/.well-known"
		}
		if program == "" && (!lost || path != "/.well-known") {
			continue
		}
		if !slices.Contains(o.elsewhere, path) {
			o.elsewhere = append(o.elsewhere, path)
		}
		o.by = cmp.Or(o.by, program)
	}
}

// loginHost returns the host of a login that is not the server's own, or "".
func (o *observation) loginHost() string {
	servers := o.resource.list("authorization_servers")
	if len(servers) == 0 || !absolute(servers[0]) || sameOrigin(servers[0], o.url.String()) {
		return ""
	}
	return parsed(servers[0]).Host
}

// rialto reports whether the metadata are those of a Rialto, whose answers are known to the letter.
func (o *observation) rialto() bool { return o.server.has("scopes_supported", "a2a:discover") }
