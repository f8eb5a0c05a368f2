package server

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/bridge/operator"
	"rialto/internal/audit"
	"rialto/internal/usage"
	"rialto/oauth"
	"rialto/oauth/oauthtest"
)

// operatorToken returns a token of alice's for the operator's scope, which she has
// the role for.
func (r *rig) operatorToken() string {
	r.t.Helper()
	if err := r.oauth.Accounts.SetAdmin(r.t.Context(), "alice", true); err != nil {
		r.t.Fatal(err)
	}
	return r.token("alice", oauth.ScopeAdmin)
}

func TestOnlyOperatorsReachTheOperatorsAPI(t *testing.T) {
	r := newAPIRig(t)
	admin, other := r.operatorToken(), r.token("bob", oauth.ScopeTools, oauth.ScopeDiscover, oauth.ScopePublish)
	n := 0
	for _, op := range r.document().operations() {
		if tags := op.about["tags"].([]any); tags[0] != "admin" {
			continue
		}
		n++
		if got := r.example(r.document(), op, other); got.status != http.StatusForbidden {
			t.Errorf("%s %s: got %d for bob, want 403", op.method, op.path, got.status)
		}
	}
	if n < 20 {
		t.Errorf("got %d operations for operators", n)
	}
	if got := r.do("GET", "/api/v1/admin/accounts", admin, ""); got.status != http.StatusOK {
		t.Errorf("got %d %s for an operator", got.status, got.body)
	}
	if err := r.oauth.Accounts.SetAdmin(t.Context(), "alice", false); err != nil {
		t.Fatal(err)
	}
	if got := r.do("GET", "/api/v1/admin/accounts", admin, ""); got.status != http.StatusForbidden {
		t.Errorf("got %d for an operator who is none any more, want 403", got.status)
	}
}

// TestTooManyPasswordsAtOnceAreRefusedForNow sets more passwords at once than may wait to be hashed.
func TestTooManyPasswordsAtOnceAreRefusedForNow(t *testing.T) {
	r := newAPIRig(t)
	admin := r.operatorToken()
	browser := oauthtest.NewBrowser(t, nil)
	browser.Submit(browser.Get(r.cfg.Load().URL+"/signin"), map[string]string{"username": "alice", "password": "correct horse battery staple"}).Continue()
	var cookies []string
	for _, c := range browser.Cookies(r.cfg.Load().URL) {
		cookies = append(cookies, c.String())
	}
	form := http.Header{"Cookie": {strings.Join(cookies, "; ")}, "Content-Type": {"application/x-www-form-urlencoded"}}
	for door, c := range map[string]struct {
		method, path, body string
		header             http.Header
	}{
		"REST":           {"PATCH", "/api/v1/admin/accounts/bob", `{"password":"set in a hurry"}`, http.Header{"Authorization": {"Bearer " + admin}, "Content-Type": {"application/json"}}},
		"a password":     {"POST", "/admin/accounts/password", "name=bob&password=set+in+a+hurry", form},
		"a new account":  {"POST", "/admin/accounts/new", "name=carol&password=set+in+a+hurry", form},
		"one's password": {"POST", "/account/password", "present=correct+horse+battery+staple&next=short&again=short", form},
	} {
		t.Run(door, func(t *testing.T) {
			ctx, end := context.WithCancel(t.Context())
			defer end()
			answers := make(chan reply, 130)
			var all sync.WaitGroup
			for range cap(answers) {
				all.Go(func() {
					req, err := http.NewRequestWithContext(ctx, c.method, r.cfg.Load().URL+c.path, strings.NewReader(c.body))
					if err != nil {
						t.Error(err)
						return
					}
					req.Header = c.header
					resp, err := http.DefaultClient.Do(req)
					if err != nil {
						return
					}
					defer resp.Body.Close()
					body, _ := io.ReadAll(resp.Body)
					answers <- reply{resp.StatusCode, resp.Header, string(body)}
				})
			}
			go func() {
				all.Wait()
				close(answers)
			}()
			for a := range answers {
				switch {
				case a.status < 400, a.status == http.StatusUnprocessableEntity:
				case a.status != http.StatusTooManyRequests, a.header.Get("Retry-After") == "":
					t.Fatalf("got %d %s", a.status, a.body)
				case strings.Contains(a.body, "Try again in a few seconds."), strings.Contains(a.body, "Too many attempts."):
					return
				}
			}
			t.Error("nothing was refused for now")
		})
	}
}

func TestAnOperatorEndsConnections(t *testing.T) {
	r := newAPIRig(t)
	admin, bobs := r.operatorToken(), r.full("bob")
	var page struct{ Grants []operator.Grant }
	r.do("GET", "/api/v1/admin/grants?state=live", admin, "").decode(t, &page)
	var his operator.Grant
	for _, g := range page.Grants {
		if g.Account == "bob" {
			his = g
		}
	}
	if his.ClientID != "cli" || his.State != operator.Live {
		t.Fatalf("got %+v", page)
	}
	if got := r.do("DELETE", "/api/v1/admin/grants/"+his.ID, admin, ""); got.status != http.StatusOK {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	if got := r.do("GET", "/api/v1/agents", bobs, ""); got.status != http.StatusUnauthorized {
		t.Errorf("got %d with the token of a grant that has ended", got.status)
	}
	r.token("bob", oauth.ScopeTools)
	if got := r.do("POST", "/api/v1/admin/grants/revoke", admin, `{"account_id":"`+his.AccountID+`"}`); got.body != `{"revoked":1}` {
		t.Errorf("got %d %s", got.status, got.body)
	}
	events := r.events(audit.GrantRevoked)
	if len(events) != 2 || events[1].Actor != "alice" || events[1].Address != "127.0.0.1" || events[1].Target != his.ID {
		t.Errorf("got %+v in the audit log", events)
	}
}

func TestAnOperatorChangesAccounts(t *testing.T) {
	r := newAPIRig(t)
	admin := r.operatorToken()
	for _, c := range []struct {
		method, path, body string
		status             int
		answer             string
	}{
		{"POST", "", `{"name":"carol","password":"correct horse battery"}`, 201, `"admin":false`},
		{"POST", "", `{"name":"carol","password":"correct horse battery"}`, 400, "an account with this name"},
		{"POST", "", `{"name":"dave","password":"short"}`, 400, "8 characters"},
		{"POST", "", `{"name":"dave","pasword":"correct horse battery"}`, 400, "pasword"},
		{"PATCH", "/carol", `{"admin":true,"disabled":true}`, 200, `"admin":true,"disabled":true`},
		{"PATCH", "/nobody", `{"admin":true}`, 404, "doesn't exist"},
		{"PATCH", "/carol", `{"password":"short"}`, 400, "8 characters"},
		{"PATCH", "/alice", `{"password":"another horse battery","admin":false}`, 400, "own"},
		{"PATCH", "/carol", `{"admin":false,"password":"short"}`, 400, "8 characters"},
		{"GET", "/carol", "", 200, `"admin":true`},
		{"GET", "?only=disabled", "", 200, `"name":"carol"`},
		{"GET", "?page_size=0", "", 400, "page_size"},
		{"GET", "?page_token=x", "", 400, "doesn't exist"},
		{"DELETE", "/carol", "", 200, "{}"},
		{"DELETE", "/carol", "", 404, "doesn't exist"},
		{"PUT", "/carol", "{}", 405, "method_not_allowed"},
	} {
		got := r.do(c.method, "/api/v1/admin/accounts"+c.path, admin, c.body)
		if got.status != c.status || !strings.Contains(got.body, c.answer) {
			t.Errorf("%s %s %s: got %d %s, want %d with %s", c.method, c.path, c.body, got.status, got.body, c.status, c.answer)
		}
		if strings.Contains(got.body, "argon2") {
			t.Errorf("%s %s shows a password's hash", c.method, c.path)
		}
	}
}

func TestAClientIsFoundByAnIDThatIsAURL(t *testing.T) {
	r := newAPIRig(t)
	const id = "https://app.example/client.json"
	if err := r.store.OAuth.Documents.KeepDocument(t.Context(), &oauth.Document{
		ID: id, Body: `{"client_id":"` + id + `","client_name":"App","redirect_uris":["https://app.example/cb"]}`, Fetched: time.Now(), Fresh: time.Now(), Expires: time.Now().Add(time.Hour),
	}, 10); err != nil {
		t.Fatal(err)
	}
	path := "/api/v1/admin/clients/" + url.PathEscape(id)
	var c operator.Client
	admin := r.operatorToken()
	if r.do("GET", path, admin, "").decode(t, &c); c.Name != "App" || c.Kind != operator.Document || c.RedirectHosts[0] != "app.example" {
		t.Errorf("got %+v", c)
	}
	if got := r.do("DELETE", path, admin, ""); got.status != http.StatusOK {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if got := r.do("GET", path, admin, ""); got.status != http.StatusNotFound {
		t.Errorf("got %d %s for a client that was removed", got.status, got.body)
	}
}

func TestAnOperatorSeesAndCancelsEverybodysTasks(t *testing.T) {
	r := newAPIRig(t)
	admin := r.operatorToken()
	asked := r.create(r.full("bob"), "one", `{"message":"ask which?","wait":20}`)
	var page struct{ Tasks []operator.Task }
	r.do("GET", "/api/v1/admin/tasks?state=input-required", admin, "").decode(t, &page)
	if len(page.Tasks) != 1 || page.Tasks[0].ID != asked.ID || page.Tasks[0].Owner != "bob" {
		t.Fatalf("got %+v", page)
	}
	if got := r.do("GET", "/api/v1/admin/tasks/"+asked.ID, admin, ""); got.status != http.StatusOK || !strings.Contains(got.body, "which?") {
		t.Errorf("got %d %s", got.status, got.body)
	}
	for _, want := range []string{`"state":"canceled"`, "has ended"} {
		if got := r.do("POST", "/api/v1/admin/tasks/"+asked.ID+"/cancel", admin, ""); !strings.Contains(got.body, want) {
			t.Errorf("got %d %s, want %s", got.status, got.body, want)
		}
	}
	if got := r.do("GET", "/api/v1/admin/tasks?state=lost", admin, ""); got.status != http.StatusBadRequest {
		t.Errorf("got %d %s for an unknown state", got.status, got.body)
	}
}

func TestUsageIsExportedAsItWasAskedFor(t *testing.T) {
	r := newAPIRig(t)
	admin := r.operatorToken()
	today := time.Now().UTC().Format(time.DateOnly)
	r.create(r.full("bob"), "one", `{"message":"echo hello","wait":20}`)
	r.create(r.full("bob"), "two", `{"message":"echo hello","wait":20}`)
	if time.Now().UTC().Format(time.DateOnly) != today {
		t.Skip("midnight came between the two calls")
	}
	r.usage.Flush(t.Context())
	bob, err := r.oauth.Accounts.Find(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	table := func(query string) [][]string {
		t.Helper()
		got := r.do("GET", "/api/v1/usage?format=csv&"+query, admin, "")
		rows, err := csv.NewReader(strings.NewReader(got.body)).ReadAll()
		if err != nil || got.status != http.StatusOK || !strings.HasPrefix(got.header.Get("Content-Type"), "text/csv") || !strings.Contains(got.header.Get("Content-Disposition"), "usage.csv") {
			t.Fatalf("%s: got %d %v %s, %v", query, got.status, got.header, got.body, err)
		}
		return rows[1:]
	}
	for query, want := range map[string]int{"": 2, "agent=one": 1, "by=agent": 2, "by=tool&every=day": 1, "since=1h": 2, "until=1h": 0, "by=user&since=2020-01-01": 1, "user=bob": 2, "user=" + bob.ID + "&by=agent": 2, "user=carol": 0} {
		if got := table(query); len(got) != want {
			t.Errorf("%s: got %v, want %d rows", query, got, want)
		}
	}
	for _, bad := range []string{"by=weekday", "every=minute", "format=xml", "since=yesterday", "since=1h&until=2h", "by=tool&since=1h&until=2h"} {
		if got := r.do("GET", "/api/v1/usage?"+bad, admin, ""); got.status != http.StatusBadRequest {
			t.Errorf("%s: got %d %s", bad, got.status, got.body)
		}
	}
}

// TestABillAddsUpToTheCent makes charges by a call and in the store, and adds the lines of the
// statements up as a reader would.
func TestABillAddsUpToTheCent(t *testing.T) {
	r := newAPIRig(t)
	admin := r.operatorToken()
	address := r.cfg.Load().Agents[0].URL
	price := `"price":{"currency":"USD","call":"0.005"}`
	if got := r.do("POST", "/api/v1/admin/agents", admin, `{"name":"paid","url":"`+address+`",`+price+`}`); got.status != http.StatusCreated {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	if got := r.do("POST", "/api/v1/admin/agents", admin, `{"name":"odd","url":"`+address+`","price":{"currency":"dollars"}}`); got.status != http.StatusBadRequest || !strings.Contains(got.body, "is not a currency") {
		t.Errorf("got %d %s for an unknown currency", got.status, got.body)
	}
	r.create(r.full("bob"), "paid", `{"message":"echo hello","wait":20}`)
	bob, err := r.oauth.Accounts.Find(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	november := time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC)
	for i, c := range []usage.Charge{
		{At: november, Agent: "claims", Item: "call", Currency: "EUR", Price: "0.005", Quantity: 1},
		{At: november.AddDate(0, 0, 29), Agent: "claims", Item: "tokens", Currency: "EUR", Price: "0.000002", Quantity: 2500},
		{At: november.AddDate(0, 0, 9), Agent: "letters", Item: "call", Currency: "EUR", Price: "0.005", Quantity: 1},
		{At: november.AddDate(0, 0, 9), Agent: "letters", Item: "call", Currency: "JPY", Price: "12.5", Quantity: 3},
		{At: november.Add(-time.Millisecond), Agent: "claims", Item: "call", Currency: "EUR", Price: "100", Quantity: 1},
		{At: november.AddDate(0, 1, 0), Agent: "claims", Item: "call", Currency: "EUR", Price: "100", Quantity: 1},
		{At: november, UserID: "gone", Agent: "claims", Item: "call", Currency: "EUR", Price: "7", Quantity: 1},
	} {
		c.ID, c.UserID = fmt.Sprint("c", i), cmp.Or(c.UserID, bob.ID)
		r.usage.Charge(c)
	}
	r.usage.Flush(t.Context())
	r.usage.Charges.Flush(t.Context())
	bill := func(query, want string) {
		t.Helper()
		got := r.do("GET", "/api/v1/usage?format=csv&"+query, admin, "")
		rows, err := csv.NewReader(strings.NewReader(got.body)).ReadAll()
		if err != nil || got.status != http.StatusOK {
			t.Fatalf("%s: got %d %s, %v", query, got.status, got.body, err)
		}
		var lines []string
		for _, row := range rows[1:] {
			lines = append(lines, strings.Join(row[1:], " "))
		}
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", query, got, want)
		}
	}
	// Exactly, November is 0.015 EUR: each line is rounded, and the total is that of the lines.
	bill("bill=2025-11&user=bob", `bob claims call 1 0.005 0.01 EUR
bob claims tokens 2500 0.000002 0.01 EUR
bob letters call 1 0.005 0.01 EUR
bob  total   0.03 EUR
bob letters call 3 12.5 38 JPY
bob  total   38 JPY`)
	bill("bill=2025-11&user=gone", ` claims call 1 7 7.00 EUR
  total   7.00 EUR`)
	bill("bill="+time.Now().UTC().Format("2006-01"), `bob paid call 1 0.005 0.01 USD
bob  total   0.01 USD`)
	bill("bill=1999-01", "")
	for query, want := range map[string]string{
		"by=user&user=bob&since=2025-11-01": `"costs":{"EUR":"100.02","JPY":"38","USD":"0.01"}`,
		"by=agent&agent=paid":               `"costs":{"USD":"0.01"}`,
		"by=user&bill=November":             "November is not a month such as 2026-11.",
		"bill=2026-13":                      "2026-13 is not a month such as 2026-11.",
	} {
		if got := r.do("GET", "/api/v1/usage?"+query, admin, ""); !strings.Contains(got.body, want) {
			t.Errorf("%s: got %d %s, want %s", query, got.status, got.body, want)
		}
	}
	for _, query := range []string{"by=tool", "by=user&tool=send_task", "by=user&outcome=ok", "by=user&every=day"} {
		if got := r.do("GET", "/api/v1/usage?"+query, admin, ""); got.status != http.StatusOK || strings.Contains(got.body, "costs") {
			t.Errorf("%s: got %d %s, want no costs", query, got.status, got.body)
		}
	}
}

func TestAnOperatorAddsAndSwitchesAgents(t *testing.T) {
	r := newAPIRig(t)
	admin := r.operatorToken()
	address := r.cfg.Load().Agents[0].URL
	for _, c := range []struct {
		method, path, body string
		status             int
		answer             string
	}{
		{"POST", "/preview", `{"name":"x","url":"` + address + `"}`, 200, `"skills"`},
		{"POST", "/preview", `{"name":"x","url":"http://127.0.0.1:1"}`, 503, "nothing listens there. Is it running, and is the port right?\""},
		{"POST", "", `{"name":"added","url":"` + address + `","secret":"hush-hush-hush","review":true}`, 201, `"has_secret":true`},
		{"GET", "/added/cards", "", 200, `"in_force":true`},
		{"POST", "", `{"name":"later","url":"http://127.0.0.1:1"}`, 503, "nothing listens there. Is it running, and is the port right?\""},
		{"GET", "/later", "", 404, "no such agent"},
		{"POST", "", `{"name":"later","url":"http://127.0.0.1:1","unseen":true}`, 201, `"name":"later"`},
		{"POST", "", `{"url":"http://127.0.0.1:1","unseen":true}`, 400, "give the agent a name"},
		{"POST", "", `{"url":"` + address + `"}`, 201, `"configured":false`},
		{"POST", "", `{"name":"added","url":"` + address + `"}`, 409, "there is an agent with this name"},
		{"POST", "", `{"name":"one","url":"` + address + `"}`, 409, "There is an agent"},
		{"POST", "", `{"name":"not a name","url":"` + address + `"}`, 400, "name"},
		{"POST", "/added/test", `{"message":"echo hello"}`, 200, `"answer":"hello`},
		{"POST", "/added/test", `{}`, 400, "message is missing"},
		{"PUT", "/added", `{"url":"` + address + `","version":99}`, 409, "changed in the meantime"},
		{"PUT", "/added", `{"name":"other","url":"` + address + `"}`, 400, "keeps its name"},
		{"PUT", "/one", `{"url":"` + address + `"}`, 400, "in the configuration"},
		{"POST", "/added/disable", "", 200, `"enabled":false`},
		{"POST", "/added/enable", "", 200, `"enabled":true`},
		{"POST", "/none/enable", "", 404, "no such agent"},
		{"POST", "/one/accept", "", 409, "No card"},
		{"POST", "/one/accept", `{"digest":5}`, 400, `expected: \"digest\" may not be of the type number.`},
		{"POST", "/one/accept", `[]`, 400, "expected: it may not be of the type array."},
		{"GET", "/added", "", 200, `"name":"added"`},
		{"GET", "", "", 200, `"configured":true`},
		{"DELETE", "/added", "", 200, "{}"},
		{"GET", "/added", "", 404, "no such agent"},
	} {
		got := r.do(c.method, "/api/v1/admin/agents"+c.path, admin, c.body)
		if got.status != c.status || !strings.Contains(strings.ToLower(got.body), strings.ToLower(c.answer)) {
			t.Errorf("%s %s %s: got %d %s, want %d with %s", c.method, c.path, c.body, got.status, got.body, c.status, c.answer)
		}
		if strings.Contains(got.body, "hush") {
			t.Errorf("%s %s shows the secret: %s", c.method, c.path, got.body)
		}
	}
	events := r.events("agent")
	if removed := slices.IndexFunc(events, func(e audit.Event) bool { return e.Kind == audit.AgentRemoved }); len(events) < 5 || removed < 0 || events[removed].Actor != "alice" {
		t.Errorf("got %+v in the audit log", events)
	}
}
