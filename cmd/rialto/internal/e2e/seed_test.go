package e2e

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/internal/audit"
	"rialto/internal/usage"
	"rialto/oauth"
	"rialto/store"
)

// seed is what pages show of a server that has been used for two months.
type seed struct {
	*testing.T
	db       *store.DB
	rand     *rand.Rand
	now      time.Time
	accounts []*oauth.Account
	clients  []*oauth.Client
	tasks    map[string]string // handles of the tasks that have pages of their own
}

// seedAgents are the agents of the seeded records: those of pagesServer.
var seedAgents = []string{"tableexpert", "tableexpert", "tableexpert", "travel", "travel", "crm", "weather"}

// seedRecords fills the database at path, and returns the handles of some tasks by what they show.
func seedRecords(t *testing.T, path string) map[string]string {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := &seed{T: t, db: db, rand: rand.New(rand.NewPCG(7, 11)), now: time.Now().UTC().Truncate(time.Millisecond), tasks: map[string]string{}}
	s.addPeople()
	s.addTasks()
	s.addCalls()
	s.addEvents()
	s.addProbes(path)
	return s.tasks
}

func (s *seed) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// ago returns a time within the last days, more of them late than early.
func (s *seed) ago(days float64) time.Time {
	f := s.rand.Float64()
	return s.now.Add(-time.Duration(f * f * days * 24 * float64(time.Hour))).Truncate(time.Millisecond)
}

// addPeople adds accounts beside that of the tests, apps, and what they were allowed.
func (s *seed) addPeople() {
	me, err := s.db.OAuth.Accounts.Account(s.Context(), username)
	s.must(err)
	s.accounts = []*oauth.Account{me}
	for i, name := range []string{"claims.desk", "finance-reporting", "field.engineering.northern-region", "ops-oncall", "research", "sales.emea", "warehouse-7", "legal-and-compliance"} {
		a := &oauth.Account{ID: uuid.NewSHA1(uuid.Nil, []byte(name)).String(), Name: name, Password: me.Password, Admin: i == 3, Disabled: i == 6, Created: s.now.AddDate(0, 0, -60+i)}
		s.must(s.db.OAuth.Accounts.AddAccount(s.Context(), a))
		s.accounts = append(s.accounts, a)
	}
	for i, name := range []string{"ChatGPT", "Claude", "Quarterly reporting pipeline of the finance department", "Cursor", "n8n"} {
		c := &oauth.Client{ID: uuid.NewSHA1(uuid.Nil, []byte(name)).String(), Name: name, RedirectURIs: []string{fmt.Sprintf("https://app%d.example/callback", i)},
			AuthMethod: "none", GrantTypes: []string{"authorization_code", "refresh_token"}, Registered: s.now.AddDate(0, 0, -58+i)}
		s.must(s.db.OAuth.Clients.AddClient(s.Context(), c, 1000))
		s.clients = append(s.clients, c)
	}
	for i := range 40 {
		a, c, at := s.accounts[i%len(s.accounts)], s.clients[i%len(s.clients)], s.ago(55)
		s.must(s.db.OAuth.Grants.AddGrant(s.Context(), &oauth.Grant{ID: uuid.NewSHA1(uuid.Nil, fmt.Append(nil, "grant", i)).String(), AccountID: a.ID, ClientID: c.ID, ClientName: c.Name,
			Scope: oauth.ScopeSet{"mcp:tools", "offline_access"}, Resource: "http://127.0.0.1/mcp", AuthTime: at, Created: at, Expires: at.AddDate(1, 0, 0)}))
	}
}

// seedRequests are what people ask for.
var seedRequests = []string{
	"How many claims were there per cause?", "Compare the storm claims of this quarter with the same quarter of last year, by region, and explain what changed",
	"List the ten largest open claims", "Book a train to the customer workshop", "Which customers have not been contacted for more than ninety days?",
	"Will it rain at the depot tomorrow?", "Average settlement time by adjuster", "Write a summary of the incident report for the weekly meeting",
	"Export all policies that end in December", "¿Cuántos siniestros hubo por causa?", "Find duplicates in the supplier list", "Forecast for the next five days",
}

const seedReport = `## Claims by cause

Storms caused **412 of 1,204 claims**, a third more than last year. Three regions account for most of it.

| Cause | Claims | Paid | Change |
|---|---:|---:|---:|
| Storm | 412 | 1,930,400 | +34 % |
| Water | 388 | 1,204,950 | −2 % |
| Theft | 221 | 310,075 | +5 % |
| Fire | 183 | 2,845,120 | −11 % |

1. Review the storm reserve of the *northern* region.
2. Ask for the missing photographs of 14 claims.

` + "```sql\nSELECT cause, count(*), sum(paid) FROM claims GROUP BY cause ORDER BY 2 DESC;\n```\n\nDetails are in the [claims manual](https://docs.example/claims).\n"

// seedImage is a small picture that browsers show.
const seedImage = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="120"><rect width="320" height="120" fill="#eef"/><path d="M10 110V40h40v70M70 110V60h40v50M130 110V20h40v90" fill="#0b666a"/></svg>`

// addTasks adds tasks in every state but those that run: an agent must know these.
func (s *seed) addTasks() {
	for i := range 200 {
		created, state := s.ago(58), a2a.Completed
		switch i % 12 {
		case 3:
			state = a2a.Failed
		case 6:
			state = a2a.Canceled
		case 8:
			state = a2a.Rejected
		case 10:
			state = a2a.InputRequired
		}
		owner := s.accounts[0]
		if i%3 == 2 {
			owner = s.accounts[i%len(s.accounts)]
		}
		asked := seedRequests[i%len(seedRequests)]
		e := s.task(fmt.Sprint("task ", i), asked, state, created, s.took())
		e.Owner, e.Client, e.Agent = owner.ID, s.clients[i%len(s.clients)].ID, seedAgents[i%len(seedAgents)]
		switch i {
		case 0:
			s.tasks["report"], e.Created = e.Handle, s.now.Add(-50*time.Minute)
			e.Updated = e.Created.Add(94 * time.Second)
			s.report(e.Task)
		case 3:
			s.tasks["failed"], e.Agent = e.Handle, "crm"
		case 15: // the agent was never reached
			s.tasks["unreached"] = e.Handle
			e.Task, e.Failure, e.Asked = nil, &ledger.Failure{Code: a2a.Unavailable, Message: "dial tcp 192.0.2.7:443: connect: connection refused"}, asked
		case 6:
			s.tasks["canceled"] = e.Handle
		}
		s.must(s.db.Ledger.AddTask(s.Context(), e, "seed", 1000))
		if i%25 == 0 {
			s.must(s.db.Ledger.Shares().AddShare(s.Context(), &documents.Share{ID: uuid.NewString(), Owner: s.accounts[0].ID, Document: "task:" + e.Handle, Title: asked, Handle: e.Handle,
				Created: created, Expires: s.now.AddDate(0, 0, 1+i/25)}, uuid.NewString(), 100))
		}
	}
}

// took returns how long something took: most of it a second or two, some minutes.
func (s *seed) took() time.Duration {
	ms := 40 + s.rand.ExpFloat64()*900
	if s.rand.IntN(25) == 0 {
		ms *= 40
	}
	return time.Duration(ms) * time.Millisecond
}

func (s *seed) task(name, asked string, state a2a.State, created time.Time, took time.Duration) *ledger.Record {
	id := uuid.NewSHA1(uuid.Nil, []byte(name)).String()
	ended := created.Add(took)
	said := func(role a2a.Role, text string) a2a.Message {
		return a2a.Message{ID: uuid.NewString(), Role: role, Parts: []a2a.Part{a2a.TextPart(text)}}
	}
	words := map[a2a.State]string{
		a2a.Completed: "Here is what you asked for.", a2a.Canceled: "Canceled.", a2a.Rejected: "I may not read these records.",
		a2a.Failed: "The warehouse refused the query: column \"settled_on\" does not exist in claims_2026.", a2a.InputRequired: "For which quarter?",
	}[state]
	last := said(a2a.RoleAgent, words)
	task := &a2a.Task{ID: a2a.TaskID(id), ContextID: uuid.NewString(), Status: a2a.Status{State: state, Message: &last, Timestamp: ended}, History: []a2a.Message{said(a2a.RoleUser, asked)}}
	if state == a2a.Completed {
		task.Artifacts = []a2a.Artifact{{ID: "answer", Name: "Answer", Parts: []a2a.Part{{Content: a2a.Text(seedReport), MediaType: "text/markdown"}}}}
	}
	return &ledger.Record{Handle: id, MessageID: uuid.NewString(), Asked: asked, Task: task, Idle: true, Created: created, Updated: ended}
}

// report adds what agents return: Markdown, data, files and pictures.
func (s *seed) report(task *a2a.Task) {
	rows, err := a2a.DataPart([]map[string]any{
		{"region": "North", "claims": 612, "paid": 3120450.5, "reviewed": true}, {"region": "South", "claims": 388, "paid": 1890075.25, "reviewed": false},
		{"region": "West", "claims": 204, "paid": 1280019, "reviewed": true},
	})
	s.must(err)
	task.Artifacts = []a2a.Artifact{
		{ID: "report", Name: "Claims by cause", Description: "The quarter so far.", Parts: []a2a.Part{{Content: a2a.Text(seedReport), MediaType: "text/markdown"}}},
		{ID: "regions", Name: "Claims by region", Parts: []a2a.Part{rows}},
		{ID: "files", Name: "Files", Parts: []a2a.Part{
			{Content: a2a.Raw("cause,claims\nStorm,412\nWater,388\n" + strings.Repeat("Other,1\n", 400)), Filename: "claims-by-cause.csv", MediaType: "text/csv"},
			{Content: a2a.Raw(seedImage), Filename: "causes.svg", MediaType: "image/svg+xml"},
			{Content: a2a.URL("https://files.example/claims/2026-q3.pdf"), Filename: "claims-2026-q3.pdf", MediaType: "application/pdf"},
		}},
	}
}

// addCalls adds two months of calls, with quiet nights and weekends, and a bad day.
func (s *seed) addCalls() {
	tools := []string{"send_task", "send_task", "send_task", "get_task", "get_task", "search", "fetch", "list_agents", "answer_task"}
	doors := []string{usage.MCP, usage.MCP, usage.MCP, usage.A2A, usage.REST, usage.Web}
	var calls []usage.Record
	start := s.now.Truncate(time.Hour)
	for hour := range 60 * 24 {
		from := start.Add(-time.Duration(hour) * time.Hour)
		busy := map[bool]int{true: 5, false: 1}[from.Hour() > 6 && from.Hour() < 19]
		if from.Weekday() == time.Saturday || from.Weekday() == time.Sunday {
			busy = 1
		}
		for range s.rand.IntN(busy*2+1) + hour/1200 {
			c := usage.Record{ID: uuid.NewString(), At: from.Add(time.Duration(s.rand.Int64N(int64(time.Hour)))).Truncate(time.Millisecond), Door: doors[s.rand.IntN(len(doors))],
				Tool: tools[s.rand.IntN(len(tools))], Agent: seedAgents[s.rand.IntN(len(seedAgents))], UserID: s.accounts[s.rand.IntN(len(s.accounts))].ID,
				Client: s.clients[min(s.rand.IntN(8), len(s.clients)-1)].ID, Millis: s.took().Milliseconds(), BytesIn: 100 + s.rand.Int64N(900), BytesOut: s.rand.Int64N(20_000), Outcome: usage.OK}
			if c.At.After(s.now) {
				continue
			}
			if odds := s.rand.IntN(100); odds < 4 || hour/24 == 3 && odds < 30 {
				c.Outcome = []usage.Outcome{usage.Failed, usage.Failed, usage.Refused, usage.Canceled}[odds%4]
			}
			if c.Tool == "search" || c.Tool == "list_agents" {
				c.Agent = ""
			}
			if strings.HasSuffix(c.Tool, "_task") {
				c.Task = s.tasks["report"]
			}
			calls = append(calls, c)
		}
	}
	for some := range slices.Chunk(calls, 500) {
		s.must(s.db.Records.AddCalls(s.Context(), some))
		var charges []usage.Charge
		for _, c := range some {
			if c.Tool == "send_task" && c.Outcome == usage.OK && c.Agent != "weather" {
				charges = append(charges, usage.Charge{ID: c.ID, At: c.At, UserID: c.UserID, Client: c.Client, Agent: c.Agent, Item: usage.ItemCall, Currency: "EUR", Price: "0.35", Quantity: 1})
			}
		}
		s.must(s.db.Records.AddCharges(s.Context(), charges))
	}
}

// addEvents adds what the audit log keeps of two months.
func (s *seed) addEvents() {
	events := make([]audit.Event, 150)
	for i := range events {
		kind := audit.Kinds[i%len(audit.Kinds)]
		if i%2 == 0 {
			kind = audit.SignIn
		}
		actor := s.accounts[i%len(s.accounts)]
		e := audit.Event{ID: uuid.NewString(), At: s.ago(58), Kind: kind, Outcome: audit.OK, ActorID: actor.ID, Actor: actor.Name, Address: fmt.Sprint("192.0.2.", 1+i%200)}
		switch {
		case strings.HasPrefix(string(kind), "agent."):
			e.Target = seedAgents[i%len(seedAgents)]
		case strings.HasPrefix(string(kind), "client."), kind == audit.Consent, kind == audit.GrantRevoked:
			e.Target, e.Detail = s.clients[i%len(s.clients)].ID, s.clients[i%len(s.clients)].Name
		case strings.HasPrefix(string(kind), "account."):
			e.Target = s.accounts[(i+3)%len(s.accounts)].Name
		}
		if i%14 == 0 {
			e.Outcome, e.Detail = audit.Failed, "wrong password"
		}
		events[i] = e
	}
	slices.SortFunc(events, func(a, b audit.Event) int { return a.At.Compare(b.At) })
	s.must(s.db.Records.AddEvents(s.Context(), events))
}

// addProbes adds how the probes of an agent ended in six days: it had three outages, and for a time no server
// ran.
func (s *seed) addProbes(path string) {
	db, err := sql.Open("sqlite", path)
	s.must(err)
	defer db.Close()
	for _, span := range []struct {
		began, until time.Duration // before now
		cause        string
	}{
		{144 * time.Hour, 118 * time.Hour, ""},
		{118 * time.Hour, 117*time.Hour + 35*time.Minute, "the agent answered HTTP 503 Service Unavailable"},
		{117*time.Hour + 35*time.Minute, 90 * time.Hour, ""},
		{75 * time.Hour, 50 * time.Hour, ""},
		{50 * time.Hour, 44 * time.Hour, "nothing listens there. Is it running, and is the port right?"},
		{40 * time.Hour, 9 * time.Hour, ""},
		{9 * time.Hour, 9*time.Hour - 3*time.Minute, "it did not answer in time. Does a firewall stop the connection?"},
		{9*time.Hour - 3*time.Minute, 30 * time.Second, ""},
	} {
		_, err := db.ExecContext(s.Context(), `INSERT INTO agent_probes (agent, url, began, until, cause)
			SELECT name, json_extract(settings, '$.url'), ?, ?, ? FROM agents WHERE name = 'weather'`,
			s.now.Add(-span.began).UnixMilli(), s.now.Add(-span.until).UnixMilli(), span.cause)
		s.must(err)
	}
}
