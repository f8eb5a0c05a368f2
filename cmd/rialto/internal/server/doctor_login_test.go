package server

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/cmd/rialto/internal/config"
	"rialto/internal/audit"
	"rialto/internal/doctor"
	"rialto/oauth/oauthtest"
)

// newExamined is a server with connectors, whose administrator is alice.
func newExamined(t *testing.T) *rig {
	t.Helper()
	r := newRigWith(t, func(c *config.Config) {
		c.Calls.Connectors = []directory.Connector{
			{Name: "sales"}, {Name: "closed", Accounts: []string{"bob"}}, {Name: "law", Host: "law.example"},
		}
	})
	r.operatorToken()
	return r
}

// grants returns the grants of alice, all or those that are live.
func (r *rig) grants(live bool) []operator.Grant {
	r.t.Helper()
	page, err := r.operator.Grants(r.t.Context(), operator.GrantFilter{Live: live})
	if err != nil {
		r.t.Fatal(err)
	}
	return page.Items
}

// patient notes where it is called with a token that opens the server.
type patient struct {
	*rig
	leave  context.CancelFunc
	opened []string
}

// Examine implements operator.Doctor.
func (p *patient) Examine(_ context.Context, address, token string) *doctor.Report {
	if token != "" && p.alive(token) {
		p.opened = append(p.opened, address, token)
	}
	if p.leave != nil {
		p.leave()
	}
	return &doctor.Report{URL: address}
}

func (p *patient) alive(token string) bool {
	_, _, err := p.oauth.Tokens.Alive(p.t.Context(), token, time.Now().Add(time.Minute))
	return err == nil
}

// TestTheDoctorGetsATokenOfThisServersAlone examines every kind of address past the login. The operator
// leaves one examination.
func TestTheDoctorGetsATokenOfThisServersAlone(t *testing.T) {
	r := newExamined(t)
	own := r.cfg.Load().URL
	p := &patient{rig: r}
	r.operator.Examinations.Doctor = p
	alice := operator.Actor{ID: "a", Name: "alice"}
	for _, c := range []struct {
		address string
		login   bool
		at      string // where the doctor gets a token
	}{
		{own + "/mcp", true, own + "/mcp"},
		{own + "/mcp/", true, own + "/mcp"},
		{own + "/mcp/sales", true, own + "/mcp/sales"},
		{own + "/mcp", false, ""},
		{own + "/mcp-evil", true, ""},
		{own + "/mcp/closed", true, ""},
		{"http://law.example/mcp", true, ""},
		{"http://other.example/mcp", true, ""},
		{own + "/mcp", true, "left"},
	} {
		p.opened = nil
		before := r.grants(false)
		ctx, leave := context.WithCancel(t.Context())
		if c.at == "left" {
			p.leave, c.at = leave, c.address
		}
		report, err := r.operator.Examine(ctx, alice, c.address, c.login)
		leave()
		if err != nil && p.leave == nil {
			t.Fatal(err)
		}
		if c.at == "" {
			if made := len(r.grants(false)) - len(before); len(p.opened) > 0 || made > 0 || report.Account != "" {
				t.Errorf("%s: got tokens at %q, %d grants, the account %q", c.address, p.opened, made, report.Account)
			}
			continue
		}
		if len(p.opened) != 2 || p.opened[0] != c.at {
			t.Errorf("%s: got %q, want a token at %s", c.address, p.opened, c.at)
			continue
		}
		if p.alive(p.opened[1]) {
			t.Errorf("%s: the token outlives the examination", c.address)
		}
		made := slices.DeleteFunc(r.grants(false), func(g operator.Grant) bool {
			return slices.ContainsFunc(before, func(b operator.Grant) bool { return b.ID == g.ID })
		})
		g := made[0]
		if g.State != operator.Revoked || g.Scope[0] != "mcp:tools" || len(g.Scope) != 1 || g.Expires.Sub(g.Created) > 2*time.Minute {
			t.Errorf("%s: got the grant %+v", c.address, g)
		}
	}
	if live := r.grants(true); len(live) != 1 { // alice's own
		t.Errorf("got %d live grants", len(live))
	}
}

// TestTheConsoleExaminesPastTheLogin runs the doctor from the page and by REST, with the token of the
// signed-in operator.
func TestTheConsoleExaminesPastTheLogin(t *testing.T) {
	r := newExamined(t)
	browser := oauthtest.NewBrowser(t, nil)
	at := r.cfg.Load().URL
	browser.Submit(browser.Get(at+"/signin"), map[string]string{"username": "alice", "password": "correct horse battery staple"}).Continue()
	page := browser.Post(at+"/admin/doctor", url.Values{"url": {at + "/mcp"}, "login": {"yes"}})
	for _, want := range []string{"This server works with", "Tested past the login as alice"} {
		if page.Status != http.StatusOK || !strings.Contains(page.Text(), want) {
			t.Errorf("got %d without %q: %s", page.Status, want, page.Text())
		}
	}

	var report struct {
		Account string
		Verdict struct{ ID string }
		Steps   []struct{ ID, Status, Got string }
	}
	r.do("POST", "/api/v1/admin/doctor", r.operatorToken(), `{"url":"`+at+`/mcp/sales","login":true}`).decode(t, &report)
	for _, id := range []string{"mcp-discover", "mcp-initialize-2025-11-25", "mcp-dead-session", "mcp-origin", "mcp-version", "tools-list", "call", "call-input", "search"} {
		i := slices.IndexFunc(report.Steps, func(s struct{ ID, Status, Got string }) bool { return s.ID == id })
		if i < 0 || report.Steps[i].Status != string(doctor.Passed) {
			t.Errorf("%s: got %+v", id, report.Steps[max(i, 0)])
		}
	}
	if report.Account != "alice" || report.Verdict.ID != doctor.Works {
		t.Errorf("got the account %q and the verdict %+v", report.Account, report.Verdict)
	}

	r.audit.Flush(t.Context())
	for kind, want := range map[audit.Kind]int{audit.Issued: 2, audit.GrantRevoked: 2} {
		events, err := r.store.Records.Events(t.Context(), audit.Filter{Kind: kind, Limit: 10})
		if err != nil || len(events) != want || events[0].Actor != "alice" {
			t.Errorf("got %d events %s, %v, want %d", len(events), kind, err, want)
		}
	}
}
