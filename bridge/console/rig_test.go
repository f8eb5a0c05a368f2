package console

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/mux"
	"golang.org/x/net/html"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2avault"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/bridge/runner"
	"rialto/internal/audit"
	"rialto/internal/doctor"
	"rialto/internal/i18n"
	"rialto/oauth"
	"rialto/oauth/authserver"
	"rialto/oauth/client"
	"rialto/oauth/oauthtest"
	"rialto/store"
	"rialto/store/recordsdb"
)

const password = "correct horse battery staple"

var scopes = []oauth.Scope{
	{Name: oauth.ScopeTools, Words: "Use the agents from a chat, as you: search, read, and give them tasks"},
	{Name: oauth.ScopeAdmin, Words: "Run this server: see and change what belongs to everybody"},
}

// rig is a server with its console, and three people: root, who runs it, alice
// and bob.
type rig struct {
	*Console
	t       testing.TB
	db      *store.DB
	url     string
	handler http.Handler
	ids     map[string]string // IDs of accounts, by name
}

func newRig(t testing.TB) *rig { t.Helper(); return newRigAt(t, store.Memory) }

// newRigAt is newRig with a database of one's own.
func newRigAt(t testing.TB, dsn string) *rig {
	t.Helper()
	db, err := store.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewUnstartedServer(nil)
	r := &rig{t: t, db: db, url: "http://" + ts.Listener.Addr().String(), ids: map[string]string{}}
	log := slog.New(slog.DiscardHandler)
	as := authserver.New(authserver.Config{
		Issuer: strings.Replace(r.url, "127.0.0.1", "localhost", 1), Resource: r.url + "/mcp", Name: "Rialto", Scopes: scopes, Secret: bytes.Repeat([]byte{7}, 32), Now: time.Now, Log: log,
		Clients: []client.Configured{{ID: "partner", Name: "Partner", RedirectURIs: []string{"https://partner.example/cb"}}},
	}, db.OAuth)
	list := &directory.Directory{
		URL: r.url, Now: time.Now, Log: log,
		Caller: func(ctx context.Context) directory.Caller {
			p, _ := oauth.FromContext(ctx)
			return directory.Caller{User: p.User, AllUseCases: true}
		},
		Dialer: dialFunc(func(context.Context, directory.AgentConfig) (directory.Conn, error) {
			return nil, errors.New("connection refused")
		}),
	}
	b := bridge.New(&runner.Runner{Directory: list, Ledger: db.Ledger, Lists: db.Ledger, Leases: db.Ledger, Replica: "r", Now: time.Now, Log: log},
		&documents.Service{Index: db.Ledger, Sharing: &documents.Sharing{Store: db.Ledger.Shares(), TTL: time.Hour}}, nil)
	as.Consent.Agents = titles(func(some []string, all bool) []string {
		return b.Directory.Titles(b.Directory.AccessOf(directory.Caller{UseCases: some, AllUseCases: all}))
	})
	expert := newExpert()
	agents := &directory.Registry{
		URL:        r.url,
		Configured: []directory.AgentConfig{{Name: "expert", URL: "https://expert.example"}}, Store: db.Records, Probes: recordsdb.Probes{Store: db.Records}, Cards: db.Records, Key: bytes.Repeat([]byte{9}, 32), Directory: list,
		Prober: connector{expert}, Now: time.Now, Log: log,
	}
	r.must(agents.Load(t.Context()))
	b.Start()
	r.Console = &Console{
		Product: "Rialto", OAuth: as, Bridge: b, Now: time.Now, Log: log,
		Admin: &operator.Service{Connections: operator.Connections{Audit: recorder{db}, Vault: &a2avault.Vault{Store: db.Records, Key: bytes.Repeat([]byte{5}, 32), URL: r.url, Name: "Rialto", Replica: "r", Now: time.Now, Log: log, Agents: oneHost("agents.example")}}, Store: db.OAuthLists, TaskStore: db.Ledger, UsageStore: db.Records, AuditStore: db.Records, Agents: operator.Agents{Registry: agents, Bridge: b, Audit: recorder{db}}, Audit: recorder{db}, OAuth: as, Bridge: b, Now: time.Now, InForce: func() []operator.Setting {
			return []operator.Setting{
				{Key: "url", Value: r.url, About: "Its address."},
				{Key: "agents[0].name", Value: "tables", Live: true},
				{Key: "agents[0].url", Value: "https://agents.example.com/tables", Live: true},
				{Key: "limits.calls", Value: "5", About: "Open calls.", Source: "file", Default: "4096", Live: true},
				{Key: "secret", Value: "(set, not shown)", Source: "environment"},
			}
		}},
	}
	r.Console.Admin.Examinations.Doctor = doctorFunc(func(_ context.Context, url, _ string) *doctor.Report {
		forwarding := doctor.Cause{ID: "forwarding", Text: doctor.Sentence{Key: "The proxy ({}) forwards only {}; {} never reach the server.", Values: []i18n.Value{{Text: "nginx"}, {Text: "/mcp"}, {Text: "<b>/token</b>"}}},
			Lines: []doctor.Snippet{{For: "nginx", Text: "location / {}\n"}}}
		return &doctor.Report{URL: url, Verdict: forwarding, Causes: []doctor.Cause{forwarding}, Stops: []doctor.Client{doctor.Claude}, Results: []doctor.Result{
			{ID: "a", Title: "It is there", Status: doctor.Passed},
			{ID: "b", Title: "It is well", Status: doctor.Failed, Expected: "well", Got: "<b>ill</b>", Fix: "fix it", Breaks: []doctor.Client{doctor.Claude}},
			{ID: "c", Title: "It answers", Status: doctor.Failed, Got: "status 404", Cause: "forwarding"},
		}}
	})
	m := mux.NewRouter().SkipClean(true).UseEncodedPath()
	as.Routes(m)
	r.Routes(m)
	r.handler = m
	ts.Config.Handler = m
	ts.Start()
	t.Cleanup(func() { ts.Close(); b.Close(); expert.Close(); db.Close() })
	r.must(as.Ready(t.Context())) // makes the first key
	for _, name := range []string{"root", "alice", "bob"} {
		oauthtest.AddUser(t, as, name, password)
		a, err := db.OAuth.Accounts.Account(t.Context(), name)
		r.must(err)
		r.ids[name] = a.ID
	}
	r.must(as.Accounts.SetAdmin(t.Context(), "root", true))
	return r
}

// expert is an agent whose words are markup.
type expert struct{ *a2aexec.Executor }

func (expert) Card() *a2a.Card {
	return &a2a.Card{Name: "EXPERT <b>1</b>", Description: "KNOWS", Skills: []a2a.Skill{{ID: "count", Name: "COUNT", Description: "COUNTS", Tags: []string{"NUMBERS"}}}}
}

func newExpert() expert {
	return expert{&a2aexec.Executor{Run: func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Artifact(a2a.Artifact{Parts: []a2a.Part{a2a.TextPart("YOU SAID <i>" + turn.Message.Text())}})
		return nil
	}}}
}

// recorder writes what happens at once.
type recorder struct{ db *store.DB }

func (r recorder) Record(ctx context.Context, e audit.Event) {
	e.ID, e.At = rand.Text(), time.Now()
	if err := r.db.Records.AddEvents(ctx, []audit.Event{e}); err != nil {
		panic(err)
	}
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// client registers an app.
func (r *rig) client(id, name string) {
	r.t.Helper()
	r.must(r.db.OAuth.Clients.AddClient(r.t.Context(), &oauth.Client{
		ID: id, Name: name, AuthMethod: "none", Registered: time.Now(), RedirectURIs: []string{"https://chat.example/cb", "http://127.0.0.1/cb"},
	}, 1000))
}

// grant adds a grant of an account for an app.
func (r *rig) grant(id, account, client string, scope ...string) {
	r.t.Helper()
	r.must(r.db.OAuth.Grants.AddGrant(r.t.Context(), &oauth.Grant{
		ID: id, AccountID: r.ids[account], ClientID: client, Scope: append(scope, oauth.ScopeTools), Created: time.Now(), Expires: time.Now().Add(time.Hour),
	}))
}

// live tells whether a grant opens anything.
func (r *rig) live(id string) bool {
	r.t.Helper()
	g, err := r.db.OAuth.Grants.Grant(r.t.Context(), id)
	r.must(err)
	return g.Live(time.Now())
}

// task adds a task of an account without a follower.
func (r *rig) task(handle, account string, state a2a.State, said string) *ledger.Record {
	r.t.Helper()
	return r.asked(handle, account, state, said, said)
}

// asked is task with a request.
func (r *rig) asked(handle, account string, state a2a.State, request, said string) *ledger.Record {
	r.t.Helper()
	e := &ledger.Record{
		Asked: request, Handle: handle, Owner: r.ids[account], Client: "c1", Agent: "expert", MessageID: handle, Created: time.Now(), Updated: time.Now(),
		Task: &a2a.Task{ID: a2a.TaskID(handle), Status: a2a.Status{State: state, Message: &a2a.Message{Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(said)}}}},
	}
	r.must(r.db.Ledger.AddTask(r.t.Context(), e, "r", 1000))
	e.Idle = state.Interrupted() || state.Terminal()
	r.must(r.db.Ledger.SaveTask(r.t.Context(), e, "r"))
	return e
}

// card has an agent show a card.
func (r *rig) card(agent, card string, hold bool) {
	r.t.Helper()
	r.must(r.db.Records.SeeCard(r.t.Context(), directory.SeenCard{Agent: agent, Digest: card, Card: []byte(card), First: time.Now(), Last: time.Now()}, hold))
}

// share shares a document of an account.
func (r *rig) share(id, account string) {
	r.t.Helper()
	now := time.Now()
	r.must(r.db.Ledger.Shares().AddShare(r.t.Context(), &documents.Share{ID: id, Owner: r.ids[account], Document: "doc:expert:" + id, Title: "TITLE <b>", Content: []byte("{}"), Created: now, Expires: now.Add(time.Hour)}, "hash-"+id, documents.MostShares))
}

// connect connects an agent with a key of an account.
func (r *rig) connect(account, agent string) {
	r.t.Helper()
	r.must(r.Admin.Connections.Vault.(*a2avault.Vault).Save(r.t.Context(), r.ids[account], agent, a2avault.Bearer, a2avault.Secret{Value: "k3y-of-" + account}))
}

// as returns a browser with a signed-in user; "" is none.
func (r *rig) as(name string) *browser {
	r.t.Helper()
	b := &browser{oauthtest.NewBrowser(r.t, nil), r}
	if name == "" {
		return b
	}
	if p := b.Submit(b.Get(r.url+"/signin"), map[string]string{"username": name, "password": password}); p.Status != http.StatusSeeOther {
		r.t.Fatalf("signing %s in: %d %s", name, p.Status, p.Text())
	}
	return b
}

type browser struct {
	*oauthtest.Browser
	r *rig
}

func (b *browser) get(path string) shownPage { b.r.t.Helper(); return read(b.r.t, b.Get(b.r.url+path)) }

// post sends a form: names and values in turn.
func (b *browser) post(path string, form ...string) shownPage {
	b.r.t.Helper()
	values := url.Values{}
	for i := 0; i+1 < len(form); i += 2 {
		values.Add(form[i], form[i+1])
	}
	return read(b.r.t, b.Post(b.r.url+path, values))
}

// shownPage is an answer, to be asked by selector.
type shownPage struct {
	*oauthtest.Page
	doc *html.Node
}

func read(t testing.TB, p *oauthtest.Page) shownPage {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(p.Body))
	if err != nil {
		t.Fatal(err)
	}
	return shownPage{p, doc}
}

// all returns the elements that a selector names: tags, .class, #id and
// [attribute=value], with spaces between the steps from outside in.
func (p shownPage) all(selector string) (found []*html.Node) {
	steps := strings.Fields(selector)
	for n := range p.doc.Descendants() {
		if n.Type == html.ElementNode && within(n, steps) {
			found = append(found, n)
		}
	}
	return found
}

func within(n *html.Node, steps []string) bool {
	last := len(steps) - 1
	if !is(n, steps[last]) {
		return false
	}
	if last == 0 {
		return true
	}
	for a := range n.Ancestors() {
		if a.Type == html.ElementNode && within(a, steps[:last]) {
			return true
		}
	}
	return false
}

func is(n *html.Node, step string) bool {
	step, attribute, _ := strings.Cut(strings.TrimSuffix(step, "]"), "[")
	name, value, _ := strings.Cut(attribute, "=")
	if name != "" && attr(n, name) != value {
		return false
	}
	if tag, id, ok := strings.Cut(step, "#"); ok {
		return (tag == "" || tag == n.Data) && attr(n, "id") == id
	}
	if tag, class, ok := strings.Cut(step, "."); ok {
		return (tag == "" || tag == n.Data) && slices.Contains(strings.Fields(attr(n, "class")), class)
	}
	return step == "" || step == n.Data
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func words(n *html.Node) string {
	var all []string
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			all = append(all, strings.Fields(d.Data)...)
		}
	}
	return strings.Join(all, " ")
}

// oneHost is where all agents are.
type oneHost string

func (h oneHost) Host(string) string { return string(h) }

func (oneHost) App(string) (a2avault.App, bool) { return a2avault.App{}, false }

// titles names the agents that a grant reaches.
type titles func(some []string, all bool) []string

func (t titles) Titles(_ string, some []string, all bool) []string { return t(some, all) }

// connector reaches an agent unless its address has the word down.
type connector struct{ agent directory.Conn }

// Check implements directory.Prober.
func (connector) Check(a directory.AgentConfig) error {
	if a.Name == "" || a.URL == "" {
		return errors.New("the name or the address is missing")
	}
	return nil
}

// Revision implements directory.Prober.
func (connector) Revision(directory.AgentConfig) string { return "" }

// Probe implements directory.Prober.
func (c connector) Probe(
	_ context.Context, a directory.AgentConfig,
) (directory.Conn, []*i18n.Message, error) {
	if strings.Contains(a.URL, "down") {
		return nil, nil, errors.New("connection refused")
	}
	return c.agent, []*i18n.Message{i18n.New("oauth2")}, nil
}

// doctorFunc is a function as an operator.Doctor.
type doctorFunc func(ctx context.Context, address, token string) *doctor.Report

func (f doctorFunc) Examine(ctx context.Context, address, token string) *doctor.Report {
	return f(ctx, address, token)
}

// dialFunc is a directory.Dialer.
type dialFunc func(context.Context, directory.AgentConfig) (directory.Conn, error)

// Dial implements directory.Dialer.
func (f dialFunc) Dial(ctx context.Context, a directory.AgentConfig) (directory.Conn, error) {
	return f(ctx, a)
}
