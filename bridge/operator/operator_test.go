package operator_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"rialto/bridge/operator"
	"rialto/internal/doctor"
	"rialto/oauth"
	"rialto/oauth/authserver"
	"rialto/oauth/client"
	"rialto/oauth/token"
	"rialto/store"
)

// newService returns an operator's view of a new server with an account, alice.
func newService(t *testing.T) *operator.Service {
	t.Helper()
	db, err := store.Open(t.Context(), store.Memory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	secret := make([]byte, 32)
	rand.Read(secret)
	log := slog.New(slog.DiscardHandler)
	as := authserver.New(authserver.Config{
		Issuer: "https://bridge.example", Resource: "https://bridge.example/mcp", Name: "Bridge", Scopes: []oauth.Scope{{Name: oauth.ScopeTools}},
		Secret: secret, Now: time.Now, Log: log,
		Clients: []client.Configured{{ID: "partner", Name: "Partner", RedirectURIs: []string{"https://partner.example/cb", "https://partner.example/other"}}},
	}, db.OAuth)
	if err := as.Accounts.Add(t.Context(), "alice", "correct horse battery"); err != nil {
		t.Fatal(err)
	}
	return &operator.Service{Store: db.OAuthLists, TaskStore: db.Ledger, UsageStore: db.Records, AuditStore: db.Records, OAuth: as, Now: time.Now}
}

func register(t *testing.T, s *operator.Service, id string) {
	t.Helper()
	if err := s.OAuth.Clients.Store.AddClient(t.Context(), &oauth.Client{
		ID: id, Name: "Chat", AuthMethod: "none", Registered: time.Now(), RedirectURIs: []string{"https://chat.example/cb", "http://127.0.0.1/cb"},
	}, 100); err != nil {
		t.Fatal(err)
	}
}

// allow grants a client something of alice's.
func allow(t *testing.T, s *operator.Service, id, client string) {
	t.Helper()
	a, err := s.Account(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.OAuth.Grants.Add(t.Context(), &oauth.Grant{ID: id, AccountID: a.ID, ClientID: client, Created: time.Now(), Expires: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
}

func TestClientsOfTheConfigurationComeFirst(t *testing.T) {
	s := newService(t)
	register(t, s, "r1")
	allow(t, s, "g", "partner")
	page, err := s.Clients(t.Context(), operator.ClientFilter{})
	if err != nil || len(page.Items) != 2 {
		t.Fatalf("got %+v, %v", page, err)
	}
	partner, chat := page.Items[0], page.Items[1]
	if partner.Kind != operator.Configured || partner.Grants != 1 || !slices.Equal(partner.RedirectHosts, []string{"partner.example"}) {
		t.Errorf("got %+v", partner)
	}
	if chat.Kind != operator.Registered || chat.Name != "Chat" || !slices.Equal(chat.RedirectHosts, []string{"chat.example", "127.0.0.1"}) {
		t.Errorf("got %+v", chat)
	}
	if page, err = s.Clients(t.Context(), operator.ClientFilter{Kind: operator.Configured, Text: "CHAT"}); err != nil || len(page.Items) != 0 {
		t.Errorf("got %+v, %v for a text that none has", page, err)
	}
}

func TestARemovedClientLosesWhatItWasGranted(t *testing.T) {
	s := newService(t)
	register(t, s, "r1")
	allow(t, s, "g", "r1")
	if err := s.RemoveClient(t.Context(), operator.CommandLine, "r1"); err != nil {
		t.Fatal(err)
	}
	if g, err := s.Grant(t.Context(), "g"); err != nil || g.State != operator.Revoked || g.ClientName != "r1" {
		t.Errorf("got %+v, %v", g, err)
	}
	if err := s.RemoveClient(t.Context(), operator.CommandLine, "r1"); !errors.Is(err, operator.ErrNotFound) {
		t.Errorf("got %v for a client that is gone", err)
	}
	if err := s.RemoveClient(t.Context(), operator.CommandLine, "partner"); !invalid(err) {
		t.Errorf("got %v for a client of the configuration", err)
	}
}

func invalid(err error) bool { _, ok := errors.AsType[*operator.Error](err); return ok }

func TestGrantsSayWhatTheyAreWorth(t *testing.T) {
	s := newService(t)
	for _, id := range []string{"g1", "g2", "g3"} {
		allow(t, s, id, "partner")
	}
	if err := s.RevokeGrant(t.Context(), operator.CommandLine, "g1"); err != nil {
		t.Fatal(err)
	}
	if err := s.RevokeGrant(t.Context(), operator.CommandLine, "none"); !errors.Is(err, operator.ErrNotFound) {
		t.Errorf("got %v for a grant that is not there", err)
	}
	if n, err := s.RevokeGrants(t.Context(), operator.CommandLine, "", ""); n != 0 || !invalid(err) {
		t.Errorf("got %d, %v for everything there is", n, err)
	}
	if err := s.SetDisabled(t.Context(), operator.CommandLine, "alice", true); err != nil {
		t.Fatal(err)
	}
	page, err := s.Grants(t.Context(), operator.GrantFilter{})
	if err != nil || len(page.Items) != 3 {
		t.Fatalf("got %+v, %v", page, err)
	}
	for _, g := range page.Items {
		want := operator.Paused
		if g.ID == "g1" {
			want = operator.Revoked
		}
		if g.State != want || g.ClientName != "Partner" || g.Account != "alice" {
			t.Errorf("got %+v, want it %s", g, want)
		}
	}
	if n, err := s.RevokeGrants(t.Context(), operator.CommandLine, page.Items[0].AccountID, ""); n != 2 || err != nil {
		t.Errorf("got %d, %v for all of an account", n, err)
	}
}

func TestPagesAreBoundedAndTheirCursorsChecked(t *testing.T) {
	s := newService(t)
	for i := range 5 {
		register(t, s, "r"+string(rune('0'+i)))
	}
	seen := 0
	for cursor := ""; ; {
		page, err := s.Clients(t.Context(), operator.ClientFilter{Kind: operator.Registered, Span: operator.Span{Size: 2, Cursor: cursor}})
		if err != nil || len(page.Items) > 2 {
			t.Fatalf("got %+v, %v", page, err)
		}
		seen += len(page.Items)
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if seen != 5 {
		t.Errorf("got %d clients in all, want 5", seen)
	}
	for _, bad := range []string{"x", "!!", "bm8gbnVtYmVy"} {
		span := operator.Span{Cursor: bad}
		_, clients := s.Clients(t.Context(), operator.ClientFilter{Span: span})
		_, grants := s.Grants(t.Context(), operator.GrantFilter{Span: span})
		_, accounts := s.Accounts(t.Context(), operator.AccountFilter{Span: span})
		_, tasks := s.Tasks(t.Context(), operator.TaskFilter{Span: span})
		if !invalid(clients) || !invalid(grants) || !invalid(accounts) || !invalid(tasks) {
			t.Errorf("%q: got %v, %v, %v, %v, want refusals", bad, clients, grants, accounts, tasks)
		}
	}
}

func TestAccountsAreMadeChangedAndRemoved(t *testing.T) {
	s, by := newService(t), operator.CommandLine
	if link, err := s.AddAccount(t.Context(), by, "bob", "another password", true); link != "" || err != nil {
		t.Fatalf("got %q, %v", link, err)
	}
	if a, err := s.Account(t.Context(), "bob"); err != nil || !a.Admin || a.Disabled || a.Grants != 0 {
		t.Errorf("got %+v, %v", a, err)
	}
	for what, err := range map[string]error{
		"a name that is taken": second(s.AddAccount(t.Context(), by, "bob", "another password", false)),
		"an invitation to it":  second(s.AddAccount(t.Context(), by, "bob", "", false)),
		"a name that is none":  second(s.AddAccount(t.Context(), by, "bo b", "another password", false)),
		"an invited no name":   second(s.AddAccount(t.Context(), by, "bo b", "", false)),
		"a short password":     second(s.AddAccount(t.Context(), by, "carol", "short", false)),
		"a short new password": s.SetPassword(t.Context(), by, "bob", "short"),
		"a state that is not":  second(s.Tasks(t.Context(), operator.TaskFilter{State: "lost"})),
	} {
		if !invalid(err) {
			t.Errorf("%s: got %v, want a refusal in words", what, err)
		}
	}
	for what, do := range map[string]func(context.Context) error{
		"password": func(ctx context.Context) error { return s.SetPassword(ctx, by, "nobody", "another password") },
		"admin":    func(ctx context.Context) error { return s.SetAdmin(ctx, by, "nobody", true) },
		"disabled": func(ctx context.Context) error { return s.SetDisabled(ctx, by, "nobody", true) },
		"removal":  func(ctx context.Context) error { return s.RemoveAccount(ctx, by, "nobody") },
	} {
		if err := do(t.Context()); !errors.Is(err, operator.ErrNotFound) {
			t.Errorf("%s of an unknown account: got %v, want ErrNotFound", what, err)
		}
	}
	if _, err := s.Account(t.Context(), "nobody"); !errors.Is(err, operator.ErrNotFound) {
		t.Errorf("a password for an unknown account created it: %v", err)
	}
	if err := s.RemoveAccount(t.Context(), by, "bob"); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestKeysSayWhichSignsAndWhenItIsReplaced(t *testing.T) {
	s := newService(t)
	if err := s.OAuth.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	keys, err := s.Keys(t.Context())
	if err != nil || len(keys) != 1 || !keys[0].Signs || !keys[0].Rotates.After(time.Now().Add(80*24*time.Hour)) {
		t.Fatalf("got %+v, %v", keys, err)
	}
	k, err := s.RotateKeys(t.Context(), operator.CommandLine)
	if err != nil || k.Signs || !k.Active.After(time.Now()) {
		t.Fatalf("got %+v, %v", k, err)
	}
	keys, err = s.Keys(t.Context())
	if err != nil || len(keys) != 2 || !keys[0].Signs || keys[1].Signs || !keys[0].Rotates.IsZero() || keys[1].Rotates.IsZero() {
		t.Errorf("got %+v, %v", keys, err)
	}
	s.OAuth.Keys.Algorithm = token.HS256
	if keys, err := s.Keys(t.Context()); len(keys) != 0 || err != nil {
		t.Errorf("got %+v, %v where a secret signs", keys, err)
	}
	if _, err := s.RotateKeys(t.Context(), operator.CommandLine); !invalid(err) {
		t.Errorf("got %v where a secret signs", err)
	}
}

// TestTheDoctorSeesThatClaudeCallsNothing records what Claude did at servers of several people: it
// registered itself, redeemed its code, and sent no request with the token.
func TestTheDoctorSeesThatClaudeCallsNothing(t *testing.T) {
	claude := []string{"https://claude.ai/api/mcp/auth_callback"}
	for name, c := range map[string]struct {
		client   oauth.Client
		resource string
		used     bool
		after    time.Duration
		silent   bool
	}{
		"it calls nothing":               {oauth.Client{RedirectURIs: claude}, "https://bridge.example/mcp", false, time.Hour, true},
		"it calls":                       {oauth.Client{RedirectURIs: claude}, "https://bridge.example/mcp", true, time.Hour, false},
		"it has just logged in":          {oauth.Client{RedirectURIs: claude}, "https://bridge.example/mcp", false, time.Minute, false},
		"it logged in to another":        {oauth.Client{RedirectURIs: claude}, "https://bridge.example/mcp/sales", false, time.Hour, false},
		"it has a secret":                {oauth.Client{RedirectURIs: claude, AuthMethod: oauth.AuthPost}, "https://bridge.example/mcp", false, time.Hour, false},
		"another app that calls nothing": {oauth.Client{RedirectURIs: []string{"https://chat.example/cb"}}, "https://bridge.example/mcp", false, time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			s.Examinations.Doctor = healthy{}
			alice, err := s.Account(t.Context(), "alice")
			if err != nil {
				t.Fatal(err)
			}
			c.client.ID, c.client.Name, c.client.Registered = "r1", "Claude", time.Now()
			c.client.AuthMethod = cmp.Or(c.client.AuthMethod, oauth.AuthNone)
			now := time.Now()
			err = errors.Join(
				s.OAuth.Clients.Store.AddClient(t.Context(), &c.client, 100),
				s.OAuth.Grants.Add(t.Context(), &oauth.Grant{
					ID: "g", AccountID: alice.ID, ClientID: "r1", Resource: c.resource,
					Created: now, Expires: now.Add(24 * time.Hour),
				}),
			)
			if c.used {
				s.OAuth.Grants.NoteUse("g")
				err = errors.Join(err, s.OAuth.Grants.SaveUses(t.Context()))
			}
			if err != nil {
				t.Fatal(err)
			}
			s.Now = func() time.Time { return now.Add(c.after) }
			report, err := s.Examine(t.Context(), operator.Actor{}, "https://bridge.example/mcp", false)
			if err != nil {
				t.Fatal(err)
			}
			if got := report.Verdict.ID == "silent"; got != c.silent || report.Usable() == c.silent {
				t.Errorf("got the verdict %q and %d causes", report.Verdict.ID, len(report.Causes))
			}
			if c.silent && report.Verdict.Lines[0].Text != "rialto clients add --app claude\n" {
				t.Errorf("got the lines %+v", report.Verdict.Lines)
			}
		})
	}
}

// healthy is a doctor that finds nothing.
type healthy struct{}

func (healthy) Examine(_ context.Context, address, _ string) *doctor.Report {
	return &doctor.Report{URL: address, Verdict: doctor.Cause{ID: doctor.Works}}
}
