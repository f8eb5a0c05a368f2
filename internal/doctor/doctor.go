// Package doctor examines an MCP server and its authorization server from
// outside, the way chat apps meet them: step by step, from the shape of the
// URL to a tool call. Each step says what was expected, what came, which
// clients break on it and how to mend it.
//
// It knows nothing of the server it examines, ours or somebody else's, and
// keeps within a bounded number of requests, bytes and seconds. It changes
// nothing there but what a client that connects would change: it registers
// throw-away clients and removes them where the server allows it (RFC 7592),
// and with a login it revokes the grant that it got. Of the tools it calls only
// those that declare themselves read-only. No token, code or secret gets into
// a Report.
//
// It reaches whatever addresses the documents of the examined server name. To
// offer it to strangers, give it a Transport that refuses private addresses.
package doctor

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"
)

// Client is a chat app whose part the doctor plays.
type Client string

// The clients that the steps know of.
const (
	ChatGPT    Client = "chatgpt"
	Claude     Client = "claude"
	ClaudeCode Client = "claude-code"
	Codex      Client = "codex"
	VSCode     Client = "vscode"
	Inspector  Client = "inspector"
)

// Clients returns all clients.
func Clients() []Client { return []Client{ChatGPT, Claude, ClaudeCode, Codex, VSCode, Inspector} }

// Doctor examines servers. Its zero value is useful.
type Doctor struct {
	// Client limits the examination to the steps on which one client breaks.
	Client Client
	// Token is an access token for the steps behind the login. It is not
	// refreshed and not revoked.
	Token string
	// Login, if not nil, asks a person to open an address in a browser, and
	// returns at once. The answer comes to a listener of the doctor on
	// loopback. With Token set it is not called.
	Login func(ctx context.Context, authorizeURL string) error
	// Transport carries the requests; nil is http.DefaultTransport.
	Transport http.RoundTripper
	// Lookup resolves names; nil is the system's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// MaxRequests bounds the requests; 0 means 150.
	MaxRequests int
	// RequestTimeout bounds each request; 0 means 10 seconds, which is what
	// Claude allows for discovery, registration and tokens.
	RequestTimeout time.Duration
}

// step is one thing that is looked at.
type step struct {
	id      string
	title   string
	clients []Client // that break on it
	expect  string
	mend    string // with the section that says so
	run     func(*visit) finding
}

// finding is what a step found.
type finding struct {
	status Status
	got    string
	breaks []Client // instead of the step's, where this case is another
}

// breaking names the clients that break in this case.
func (f finding) breaking(clients ...Client) finding {
	f.breaks = clients
	return f
}

// concerns tells whether a step matters to a client; "" is all of them.
func (s step) concerns(c Client) bool { return c == "" || slices.Contains(s.clients, c) }

// steps returns all steps in the order in which a client meets them. The last
// ones end the grant that those before them use.
func steps() []step {
	return slices.Concat(
		reachSteps(), challengeSteps(), resourceSteps(), serverSteps(), corsSteps(), registerSteps(),
		authorizeSteps(), tokenErrorSteps(), loginSteps(), refreshSteps(),
		handshakeSteps(), hybridSteps(), toolSteps(), callSteps(), a2aSteps(), revokeSteps(),
	)
}

// Examine looks at the MCP server at an address. It always returns a report; a
// context that ends cuts it short.
func (d *Doctor) Examine(ctx context.Context, address string) *Report {
	v := d.visit(ctx, address)
	defer v.leave()
	report := &Report{URL: v.redacted(), Client: d.Client}
	for _, s := range steps() {
		if s.concerns(d.Client) {
			report.Results = append(report.Results, v.take(s))
		}
	}
	report.Requests, report.CutShort = v.requests, v.cutShort != ""
	return report
}

// try runs a step, unless nothing can come of it. What went wrong because the
// doctor had to stop is not held against the server.
func (v *visit) try(s step) finding {
	switch {
	case v.cutShort != "":
		return skip("%s", v.cutShort)
	case v.unfit && s.id != "url":
		return skip("the URL is not one to call")
	case v.reached && v.unauthorized(http.MethodPost).err != nil:
		return skip("the server does not answer")
	}
	f := s.run(v)
	if v.cutShort != "" && f.status == Failed {
		return skip("%s", v.cutShort)
	}
	return f
}

// take runs a step and writes down what it found.
func (v *visit) take(s step) Result {
	f := v.try(s)
	r := Result{ID: s.id, Title: s.title, Status: f.status, Got: v.clean(f.got)}
	if f.status == Failed {
		r.Expected, r.Breaks, r.Mend = s.expect, s.clients, s.mend
		if f.breaks != nil {
			r.Breaks = f.breaks
		}
	}
	return r
}

func (d *Doctor) visit(ctx context.Context, address string) *visit {
	v := &visit{ctx: ctx, d: d, address: address, kept: map[string]*answer{}, budget: d.MaxRequests, timeout: d.RequestTimeout}
	if v.budget == 0 {
		v.budget = 150
	}
	if v.timeout == 0 {
		v.timeout = 10 * time.Second
	}
	v.url, _ = url.Parse(address) // the first step complains
	if v.url == nil {
		v.url = &url.URL{}
	}
	v.unfit = v.checkURL().status == Failed
	v.client = &http.Client{
		Transport:     d.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	v.hide(d.Token)
	return v
}

func (d *Doctor) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if d.Lookup != nil {
		return d.Lookup(ctx, host)
	}
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}
