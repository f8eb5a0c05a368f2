package authserver_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
	"rialto/store"
)

func TestB4ToC6AWrongRedemptionBurnsTheCode(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	for name, test := range map[string]struct {
		changes params
		code    string
	}{
		"B4 wrong verifier":                {params{"code_verifier": strings.Repeat("a", 43)}, "invalid_grant"},
		"B5 missing verifier":              {params{"code_verifier": "-"}, "invalid_grant"},
		"B6 verifier of 42":                {params{"code_verifier": verifier[1:]}, "invalid_grant"},
		"B6 verifier of 129":               {params{"code_verifier": strings.Repeat("a", 129)}, "invalid_grant"},
		"B6 verifier with other letters":   {params{"code_verifier": verifier[1:] + "="}, "invalid_grant"},
		"B7 verifier is the challenge":     {params{"code_verifier": challenge}, "invalid_grant"},
		"C4 other redirect_uri":            {params{"redirect_uri": "http://127.0.0.1:10/cb"}, "invalid_grant"},
		"C6 redirect_uri left out":         {params{"redirect_uri": "-"}, "invalid_grant"},
		"C4 redirect_uri with a slash":     {params{"redirect_uri": callback + "/"}, "invalid_grant"},
		"C4 redirect_uri in another case":  {params{"redirect_uri": strings.ToUpper(callback)}, "invalid_grant"},
		"B6 verifier with a line break":    {params{"code_verifier": verifier + "\n"}, "invalid_request"},
		"L1 another resource at the token": {params{"resource": "https://other.example"}, "invalid_target"},
	} {
		t.Run(name, func(t *testing.T) {
			form := codeForm(c, r.code(c, nil))
			refused(t, r.form("/token", form.with(test.changes)), 400, test.code)
			again := r.form("/token", form)
			if test.code == "invalid_grant" {
				refused(t, again, 400, "invalid_grant")
			} else {
				r.ok(again) // nothing was used up
			}
		})
	}
}

func TestC1AReplayedCodeRevokesWhatItGave(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	form := codeForm(c, r.code(c, nil))
	got := r.ok(r.form("/token", form))
	r.ok(r.call(got.str("access_token")))
	refused(t, r.form("/token", form), 400, "invalid_grant")
	refused(t, r.call(got.str("access_token")), 401, "invalid_token")
	refused(t, r.form("/token", refreshForm(c, got.str("refresh_token"))), 400, "invalid_grant")
}

// TestC2 is the race that the best-known servers lose.
func TestC2OfManyParallelRedemptionsOneSucceeds(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { redeemInParallel(t, newRig(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { redeemInParallel(t, serve(t, openPostgres(t), httptest.NewUnstartedServer(nil))) })
}

func redeemInParallel(t *testing.T, r *rig) {
	c := r.newClient("none")
	for range 3 {
		form := codeForm(c, r.code(c, nil))
		answers := inParallel(64, func() answer { return r.form("/token", form) })
		var won []answer
		for _, a := range answers {
			if a.status == 200 {
				won = append(won, a)
				continue
			}
			refused(t, a, 400, "invalid_grant")
		}
		if len(won) != 1 {
			t.Fatalf("got %d successes, want exactly one", len(won))
		}
		refused(t, r.call(won[0].str("access_token")), 401, "invalid_token")
	}
}

// inParallel calls f many times at once.
func inParallel(n int, f func() answer) []answer {
	answers := make([]answer, n)
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			answers[i] = f()
		})
	}
	close(start)
	wg.Wait()
	return answers
}

// openPostgres opens a PostgreSQL database that goes away with the test.
func openPostgres(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), oauthtest.PostgresSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestC3AnotherClientsCodeIsUnharmed(t *testing.T) {
	r := newRig(t)
	owner, other := r.newClient("none"), r.newClient("none")
	code := r.code(owner, nil)
	refused(t, r.form("/token", codeForm(other, code)), 400, "invalid_grant")
	got := r.ok(r.form("/token", codeForm(owner, code)))
	refused(t, r.form("/token", codeForm(other, code)), 400, "invalid_grant")
	r.ok(r.call(got.str("access_token")))
}

func TestC5ACodeLivesForAMinute(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	young, old := r.code(c, nil), r.code(c, nil)
	r.clock.advance(59 * time.Second)
	r.ok(r.form("/token", codeForm(c, young)))
	r.clock.advance(time.Second)
	refused(t, r.form("/token", codeForm(c, old)), 400, "invalid_grant")
}

func TestC7ACodeOfAnotherServerIsNothing(t *testing.T) {
	a, b := newRig(t), newRig(t)
	code := a.code(a.newClient("none"), nil)
	refused(t, b.form("/token", codeForm(b.newClient("none"), code)), 400, "invalid_grant")
}

func TestC8GuessingIsSlowedDown(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	limited := 0
	for i := range 300 {
		guess := "rialto_code_" + strings.Repeat("x", 40) + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "x"
		if a := r.form("/token", codeForm(c, guess)); a.status == 429 {
			limited++
			if a.header.Get("Retry-After") == "" {
				t.Fatal("429 without Retry-After")
			}
		}
	}
	if limited < 50 {
		t.Errorf("got %d of 300 guesses limited, want most after the first 200", limited)
	}
}

func TestC9NoSecretIsLogged(t *testing.T) {
	r := newRig(t)
	c := r.newClient("client_secret_post")
	code := r.code(c, params{"state": "state-that-is-not-logged"})
	form := codeForm(c, code).with(params{"client_secret": c.secret})
	got := r.ok(r.form("/token", form))
	r.form("/token", form)
	r.call(got.str("access_token"))
	log := r.log.String()
	if !strings.Contains(log, "access granted") || !strings.Contains(log, "code used twice") {
		t.Errorf("the log lacks what happened:\n%s", log)
	}
	for name, secret := range map[string]string{
		"code": code, "client secret": c.secret, "password": password, "state": "state-that-is-not-logged",
		"access token": got.str("access_token"), "refresh token": got.str("refresh_token"), "verifier": verifier,
	} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds the %s", name)
		}
	}
}

func TestC10AnAccountThatIsGoneGetsNothing(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	code, got := r.code(c, nil), r.tokens(c, nil)
	if err := r.s.Accounts.Remove(t.Context(), user); err != nil {
		t.Fatal(err)
	}
	refused(t, r.form("/token", codeForm(c, code)), 400, "invalid_grant")
	refused(t, r.form("/token", refreshForm(c, got.str("refresh_token"))), 400, "invalid_grant") // E12
	refused(t, r.call(got.str("access_token")), 401, "invalid_token")                            // F32
}

func TestD11AClientWithoutRefreshTokensGetsNone(t *testing.T) {
	r := newRig(t)
	a := r.register(`{"redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"none","grant_types":["authorization_code"]}`)
	c := client{id: a.str("client_id"), redirect: callback}
	got := r.tokens(c, nil)
	if got.str("refresh_token") != "" {
		t.Error("got a refresh token that the client did not register for")
	}
	refused(t, r.form("/token", refreshForm(c, "rialto_rt_"+strings.Repeat("x", 43))), 400, "unauthorized_client")
}

func TestTheTokenEndsWithTheGrant(t *testing.T) {
	r := newRig(t, func(s *setup) { s.Lifetimes.Grant = 10 * time.Minute })
	got := r.tokens(r.newClient("none"), nil)
	if got.json["expires_in"] != 600.0 {
		t.Errorf("got %v seconds, want what is left of the grant", got.json["expires_in"])
	}
	r.clock.advance(10 * time.Minute)
	refused(t, r.call(got.str("access_token")), 401, "invalid_token")
}
