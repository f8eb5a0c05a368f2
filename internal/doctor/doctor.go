// Package doctor examines an MCP server and its authorization server from outside, as
// chat apps meet them, from the shape of the URL to a tool call. Each check says what
// was expected, what came, which clients break on it and how to fix it.
//
// It knows nothing of the server that it examines, and keeps within a bounded number of
// requests, bytes and seconds. It changes only what a client that connects would
// change: it registers throw-away clients and removes them where the server supports
// that (RFC 7592), and it revokes the grant of a login. It calls only tools that declare
// themselves read-only. A Report contains no token, code or secret.
//
// It connects to any address in the documents of the examined server. Give it a
// Transport that refuses private addresses before you offer it to strangers.
package doctor

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"time"
)

// Client is a chat app whose requests the doctor sends.
type Client string

// The clients that the checks know.
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
	// Client limits the examination to the checks that one client needs.
	Client Client
	// Token is an access token for the checks behind the login. It is not refreshed
	// and not revoked.
	Token string
	// Login, if not nil, asks a person to open an address in a browser, and returns at once. The
	// callback comes to a listener of the doctor on loopback. With Token set it is not called.
	Login func(ctx context.Context, authorizeURL string) error
	// Transport carries the requests; nil is http.DefaultTransport.
	Transport http.RoundTripper
	// Resolver resolves names; nil is the system's.
	Resolver Resolver
	// Receiver is the address at which the server reaches receiverAddress, for the webhooks of events.
	// "" is loopback, for servers on this computer.
	Receiver string
	// RedeliveryTimeout is how long a second delivery is awaited; 0 means 45 seconds, because servers wait
	// 30 seconds ±20 % before their first retry.
	RedeliveryTimeout time.Duration
	// Checking, if not nil, is called with the title of each check before it begins.
	Checking func(title string)
	// Forbids tells that an error of Transport is a refusal to call an address; nil is no error.
	Forbids func(error) bool
	// MaxRequests bounds the requests; 0 means 180.
	MaxRequests int
}

// Resolver resolves names, as net.Resolver does.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// examination is one examination: the server in layers, each of which knows those above it.
type examination struct {
	*target
	app    *app
	grant  *grant
	mcp    *mcpClient
	events *events
	badURL bool // the URL is not one to call
	absent bool // there is no MCP server to examine

	receiver          string
	redeliveryTimeout time.Duration
}

// Examine examines the MCP server at an address. It always returns a report; a context
// that ends cuts it short.
func (d *Doctor) Examine(ctx context.Context, address string) *Report {
	v := d.examination(ctx, address)
	defer v.cleanUp()
	report := &Report{URL: address, Client: d.Client}
	if v.url.User != nil {
		report.URL = v.url.Redacted()
	}

	o := v.observe(d.Forbids)
	_, v.absent = finalCause(o)
	for _, c := range checks() {
		if d.Client != "" && !slices.Contains(c.Breaks, d.Client) {
			continue
		}
		if d.Checking != nil {
			d.Checking(c.Title)
		}
		report.Results = append(report.Results, v.result(c))
	}

	o.finish(v)
	report.Requests = v.requests
	report.CutShort = v.cutShort != ""
	report.conclude(o, v.clean)
	return report
}

func (d *Doctor) examination(ctx context.Context, address string) *examination {
	client := &http.Client{
		Transport:     d.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	p := &prober{
		ctx:    ctx,
		client: client,
		cache:  map[string]*answer{},
		budget: cmp.Or(d.MaxRequests, 180),
	}
	p.addSecret(d.Token)
	t := &target{
		prober:  p,
		address: address,
		url:     parsed(address),
		names:   d.Resolver,
	}
	if t.names == nil {
		t.names = net.DefaultResolver
	}

	v := &examination{
		target:            t,
		receiver:          d.Receiver,
		redeliveryTimeout: cmp.Or(d.RedeliveryTimeout, 45*time.Second),
	}
	v.app = &app{target: t, login: d.Login != nil && d.Token == ""}
	v.grant = &grant{app: v.app, doctor: d}
	v.mcp = &mcpClient{target: t, grant: v.grant, givenToken: d.Token}
	v.badURL = checkURL(v).status == Failed
	return v
}

// cleanUp revokes the tokens and removes the clients. That takes at most four requests,
// which may exceed the budget and the time.
func (v *examination) cleanUp() {
	if v.app.listener != nil {
		v.app.listener.Close()
	}
	v.extend(4)
	v.endEvents()
	v.grant.revokeRemaining()
	v.app.remove()
}
