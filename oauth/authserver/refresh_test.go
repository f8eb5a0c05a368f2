package authserver_test

import (
	"net/http/httptest"
	"testing"
	"time"
)

func TestE1ReuseAfterTheGraceEndsTheFamily(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	first := r.tokens(c, nil)
	second := r.ok(r.form("/token", refreshForm(c, first.str("refresh_token"))))
	r.clock.advance(2 * time.Minute)
	r.ok(r.call(second.str("access_token")))
	refused(t, r.form("/token", refreshForm(c, first.str("refresh_token"))), 400, "invalid_grant")
	refused(t, r.form("/token", refreshForm(c, second.str("refresh_token"))), 400, "invalid_grant")
	refused(t, r.call(second.str("access_token")), 401, "invalid_token")
	refused(t, r.call(first.str("access_token")), 401, "invalid_token")
}

func TestE2AndE13ReuseWithinTheGraceGetsTheSameSuccessor(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	first := r.tokens(c, nil)
	second := r.ok(r.form("/token", refreshForm(c, first.str("refresh_token"))))
	r.clock.advance(2*time.Minute - time.Millisecond)
	again := r.ok(r.form("/token", refreshForm(c, first.str("refresh_token"))))
	if again.str("refresh_token") != second.str("refresh_token") {
		t.Error("the second use got another successor")
	}
	r.ok(r.call(again.str("access_token")))
	r.ok(r.form("/token", refreshForm(c, second.str("refresh_token"))))
}

func TestE3ParallelRefreshesShareOneLineage(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { refreshInParallel(t, newRig(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { refreshInParallel(t, serve(t, openPostgres(t), httptest.NewUnstartedServer(nil))) })
}

func refreshInParallel(t *testing.T, r *rig) {
	c := r.newClient("none")
	form := refreshForm(c, r.tokens(c, nil).str("refresh_token"))
	successors := map[string]bool{}
	for _, a := range inParallel(32, func() answer { return r.form("/token", form) }) {
		successors[r.ok(a).str("refresh_token")] = true
	}
	if len(successors) != 1 {
		t.Errorf("got %d successors, want one", len(successors))
	}
	for token := range successors {
		r.ok(r.form("/token", refreshForm(c, token)))
	}
}

func TestE4WithoutGraceOneRefreshSucceeds(t *testing.T) {
	noGrace := func(s *setup) { s.Lifetimes.Grace = -1 }
	t.Run("SQLite", func(t *testing.T) { refreshOnce(t, newRig(t, noGrace)) })
	t.Run("PostgreSQL", func(t *testing.T) {
		refreshOnce(t, serve(t, openPostgres(t), httptest.NewUnstartedServer(nil), noGrace))
	})
}

func refreshOnce(t *testing.T, r *rig) {
	c := r.newClient("none")
	form := refreshForm(c, r.tokens(c, nil).str("refresh_token"))
	won := 0
	for _, a := range inParallel(32, func() answer { return r.form("/token", form) }) {
		if a.status == 200 {
			won++
			refused(t, r.form("/token", refreshForm(c, a.str("refresh_token"))), 400, "invalid_grant")
			continue
		}
		refused(t, a, 400, "invalid_grant")
	}
	if won != 1 {
		t.Errorf("got %d successes, want exactly one", won)
	}
}

func TestE5AGrandparentThatComesLateEndsTheFamily(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	first := r.tokens(c, nil)
	second := r.ok(r.form("/token", refreshForm(c, first.str("refresh_token"))))
	r.clock.advance(119 * time.Second)
	third := r.ok(r.form("/token", refreshForm(c, second.str("refresh_token"))))
	r.clock.advance(time.Second) // the grace of the first is over, that of the second is not
	refused(t, r.form("/token", refreshForm(c, first.str("refresh_token"))), 400, "invalid_grant")
	refused(t, r.form("/token", refreshForm(c, third.str("refresh_token"))), 400, "invalid_grant")
}

func TestE6ToE9ARefreshThatIsRefusedUsesNothingUp(t *testing.T) {
	r := newRig(t, func(s *setup) { s.Lifetimes.Grace = -1 })
	c, other := r.newClient("none"), r.newClient("none")
	got := r.tokens(c, params{"scope": "mcp:tools"})
	token := got.str("refresh_token")
	for name, test := range map[string]struct {
		form   params
		status int
		code   string
	}{
		"E6 other client":                   {refreshForm(other, token), 400, "invalid_grant"},
		"E7 wider scope":                    {refreshForm(c, token).with(params{"scope": "mcp:tools mcp:more"}), 400, "invalid_scope"},
		"E7 another scope":                  {refreshForm(c, token).with(params{"scope": "mcp:more"}), 400, "invalid_scope"},
		"E8 other resource":                 {refreshForm(c, token).with(params{"resource": "https://other.example/mcp"}), 400, "invalid_target"},
		"E9 an access token":                {refreshForm(c, got.str("access_token")), 400, "invalid_grant"},
		"E9 a token with something added":   {refreshForm(c, token+"x"), 400, "invalid_grant"},
		"E9 a token in capital letters":     {refreshForm(c, "RIALTO_RT_"+token[10:]), 400, "invalid_grant"},
		"missing":                           {refreshForm(c, "-"), 400, "invalid_request"},
		"E9 the refresh token as the code":  {codeForm(c, token), 400, "invalid_grant"},
		"a client that does not exist":      {refreshForm(client{id: "rialto_client_x"}, token), 401, "invalid_client"},
		"a client whose name is not a name": {refreshForm(client{id: "\u00e9"}, token), 401, "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, r.form("/token", test.form), test.status, test.code) })
	}
	refused(t, r.call(token), 401, "invalid_token") // E9
	r.ok(r.form("/token", refreshForm(c, token).with(params{"resource": r.s.Resource + "/", "scope": "mcp:tools"})))
}

func TestE7ANarrowerScopeNarrowsTheAccessTokenOnly(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	first := r.tokens(c, params{"scope": "mcp:tools mcp:more"})
	narrow := r.ok(r.form("/token", refreshForm(c, first.str("refresh_token")).with(params{"scope": "mcp:more"})))
	if narrow.str("scope") != "mcp:more" {
		t.Errorf("got scope %q, want the narrower one", narrow.str("scope"))
	}
	refused(t, r.call(narrow.str("access_token")), 403, "insufficient_scope")
	wide := r.ok(r.form("/token", refreshForm(c, narrow.str("refresh_token"))))
	if wide.str("scope") != "mcp:tools mcp:more" {
		t.Errorf("got scope %q, want what was granted", wide.str("scope"))
	}
}

func TestE10ARefreshTokenExpires(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	idle := r.tokens(c, nil)
	r.clock.advance(30 * 24 * time.Hour)
	refused(t, r.form("/token", refreshForm(c, idle.str("refresh_token"))), 400, "invalid_grant")

	busy := r.tokens(c, nil).str("refresh_token")
	for range 4 { // 80 days, never idle for 30
		r.clock.advance(20 * 24 * time.Hour)
		busy = r.ok(r.form("/token", refreshForm(c, busy))).str("refresh_token")
	}
	r.clock.advance(10 * 24 * time.Hour)
	refused(t, r.form("/token", refreshForm(c, busy)), 400, "invalid_grant")
}

func TestE14TooManyUsesEndTheFamily(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	form := refreshForm(c, r.tokens(c, nil).str("refresh_token"))
	var last answer
	for range 100 {
		last = r.ok(r.form("/token", form))
	}
	refused(t, r.form("/token", form), 400, "invalid_grant")
	refused(t, r.call(last.str("access_token")), 401, "invalid_token")
}
