package authserver_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/gorilla/mux"

	"rialto/oauth"
	oauthclient "rialto/oauth/client"
	"rialto/oauth/oauthtest"
	"rialto/oauth/signin"
	"rialto/oauth/token"
	"rialto/store"
)

// eachStore runs a test over every kind of store.
func eachStore(t *testing.T, test func(t *testing.T, db *store.DB)) {
	for name, open := range map[string]func(*testing.T) *store.DB{"SQLite": openSQLite, "memory": openMemory, "PostgreSQL": openPostgres} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// hangUp sends a request and closes the connection without an answer.
func (r *rig) hangUp(path string, form params) {
	c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		r.t.Error(err)
		return
	}
	defer c.Close()
	body := form.encode()
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", path, formType, len(body), body)
}

// TestClientsThatHangUpDisturbNobody: half of the callers do not wait for their
// answer. Whatever became of their requests, the others get one that the
// protocol has, and nothing is logged as a failure.
func TestClientsThatHangUpDisturbNobody(t *testing.T) {
	eachStore(t, func(t *testing.T, db *store.DB) {
		r := serve(t, db, httptest.NewUnstartedServer(nil))
		c := r.newClient("none")
		token := r.tokens(c, nil).str("refresh_token")
		for range 20 {
			r.clock.advance(5 * time.Second) // in all less than the grace: an abandoned request may come late
			redemption, won := codeForm(c, r.code(c, nil)), 0
			for i, a := range r.amongHangups(redemption, refreshForm(c, token)) {
				switch {
				case i%2 == 1:
					token = r.ok(a).str("refresh_token")
				case a.status == http.StatusOK:
					won++
				default:
					refused(t, a, 400, "invalid_grant")
				}
			}
			if won > 1 {
				t.Fatalf("a code was redeemed %d times", won)
			}
		}
		if log := r.log.String(); strings.Contains(log, "request failed") {
			t.Errorf("the log tells of failures:\n%s", log)
		}
	})
}

// amongHangups sends two forms in turn, each of them a few times, while others
// send the same and hang up.
func (r *rig) amongHangups(forms ...params) []answer {
	answers := make([]answer, 8)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { r.hangUp("/token", forms[i%len(forms)]) })
		all.Go(func() { answers[i] = r.form("/token", forms[i%len(forms)]) })
	}
	all.Wait()
	return answers
}

// TestAnAccountIsRemovedWhileItsTokensAreUsed: removal takes locks in the other
// direction than a refresh does. No client may see a deadlock.
func TestAnAccountIsRemovedWhileItsTokensAreUsed(t *testing.T) {
	eachStore(t, func(t *testing.T, db *store.DB) {
		r := serve(t, db, httptest.NewUnstartedServer(nil))
		c := r.newClient("none")
		for round := range 12 {
			r.clock.advance(time.Minute)
			name := fmt.Sprint("eve", round)
			if err := r.s.Accounts.Add(t.Context(), name, password); err != nil {
				t.Fatal(err)
			}
			person := r.browser()
			var forms []params
			for range 4 {
				code := person.Authorize(r.authorizeURL(c, nil), name, password).Query().Get("code")
				forms = append(forms, codeForm(c, code))
				code = person.Authorize(r.authorizeURL(c, nil), name, password).Query().Get("code")
				forms = append(forms, refreshForm(c, r.ok(r.form("/token", codeForm(c, code))).str("refresh_token")))
			}
			var removal sync.WaitGroup
			removal.Go(func() {
				if err := r.s.Accounts.Remove(t.Context(), name); err != nil {
					t.Error(err)
				}
			})
			for _, a := range r.atOnce(append(forms, forms...)) {
				if a.status != http.StatusOK {
					refused(t, a, 400, "invalid_grant")
				}
			}
			removal.Wait()
			refused(t, r.form("/token", forms[1]), 400, "invalid_grant")
		}
	})
}

// atOnce sends many forms at one time.
func (r *rig) atOnce(forms []params) []answer {
	answers := make([]answer, len(forms))
	var all sync.WaitGroup
	for i, form := range forms {
		all.Go(func() { answers[i] = r.form("/token", form) })
	}
	all.Wait()
	return answers
}

// TestALostDatabaseConnectionCostsATry: PostgreSQL ends every connection, as it
// does when it restarts, while codes are redeemed. Clients learn nothing but
// to try again, no code counts twice, and the next login works.
func TestALostDatabaseConnectionCostsATry(t *testing.T) {
	dsn := oauthtest.PostgresSchema(t)
	r := serve(t, openStore(t, dsn), httptest.NewUnstartedServer(nil))
	c := r.newClient("none")
	lost := 0
	for range 20 {
		r.clock.advance(time.Minute)
		form, won := codeForm(c, r.code(c, nil)), 0
		var cut sync.WaitGroup
		cut.Go(func() { oauthtest.EndConnections(t, dsn) })
		for _, a := range inParallel(8, func() answer { return r.form("/token", form) }) {
			switch a.status {
			case http.StatusOK:
				won++
			case http.StatusServiceUnavailable:
				lost++
				refused(t, a, 503, "temporarily_unavailable")
			default:
				refused(t, a, 400, "invalid_grant")
			}
		}
		cut.Wait()
		if won > 1 {
			t.Fatalf("a code was redeemed %d times", won)
		}
		// Connections that are idle are found to be lost before they are used.
		r.ok(r.form("/token", codeForm(c, r.code(c, nil))))
	}
	t.Logf("%d of 160 redemptions were asked to try again", lost)
}

// The stuck stores do not answer, and do not fail either.
type (
	stuckGrants  struct{ token.GrantStore }
	stuckClients struct{ oauthclient.Store }
	stuckKeys    struct{ token.KeyStore }
)

func (stuckGrants) Grant(ctx context.Context, _ string) (*oauth.Grant, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (stuckClients) Client(ctx context.Context, _ string) (*oauth.Client, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (stuckKeys) Keys(ctx context.Context, _ time.Time) ([]oauth.SealedKey, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestADatabaseThatHangsKeepsNobody: requests end after a time, with the
// answer that they get when it fails.
func TestADatabaseThatHangsKeepsNobody(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	token := r.tokens(c, nil).str("access_token")
	synctest.Test(t, func(t *testing.T) {
		s := r.replica(func(s *setup) {
			s.Stores.Grants = stuckGrants{s.Stores.Grants}
			s.Stores.Clients = stuckClients{s.Stores.Clients}
			s.Stores.Keys = stuckKeys{s.Stores.Keys}
		})
		m := mux.NewRouter()
		s.Routes(m)
		m.Handle("/mcp", s.Guard.Require(http.NotFoundHandler(), "mcp:tools"))
		for _, req := range []*http.Request{
			r.request("POST", "/mcp", "application/json", "{}", "Authorization", "Bearer "+token),
			r.request("POST", "/token", formType, refreshForm(c, "x").encode()),
			r.request("GET", strings.TrimPrefix(r.authorizeURL(c, nil), r.url), "", ""),
			r.request("GET", "/jwks.json", "", ""),
		} {
			w := httptest.NewRecorder()
			m.ServeHTTP(w, req)
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
				t.Errorf("%s %s: got %d %v, want 503 and when to try again", req.Method, req.URL.Path, w.Code, w.Header())
			}
		}
	})
	if log := r.log.String(); !strings.Contains(log, "context deadline exceeded") {
		t.Errorf("the log does not tell why:\n%s", log)
	}
}

// The slow stores need fourteen seconds for each answer, which was read before.
type (
	slowKeys struct {
		token.KeyStore
		keys []oauth.SealedKey
	}
	slowGrants struct {
		token.GrantStore
		grant *oauth.Grant
	}
	slowOnce struct{ token.OnceStore }
)

func waitSlowly(ctx context.Context) error {
	select {
	case <-time.After(14 * time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s slowKeys) Keys(ctx context.Context, _ time.Time) ([]oauth.SealedKey, error) {
	return s.keys, waitSlowly(ctx)
}

func (s slowGrants) Grant(ctx context.Context, _ string) (*oauth.Grant, error) {
	return s.grant, waitSlowly(ctx)
}

func (slowOnce) UseOnce(ctx context.Context, _ string, _ time.Time) error { return waitSlowly(ctx) }

// TestTheGuardHasPatienceOnce: token, grant and proof are three waits for a database,
// and a request that waits for all of them gets its 503 as soon as one that
// waits for one: it once took 90 seconds.
func TestTheGuardHasPatienceOnce(t *testing.T) {
	p := newProver(newRig(t))
	c := p.newClient("none")
	token := p.ok(p.token(codeForm(c, p.code(c, nil)))).str("access_token")
	claims := jwt.MapClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(token, claims); err != nil {
		t.Fatal(err)
	}
	keys, err := p.db.OAuth.Keys.Keys(t.Context(), p.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	grant, err := p.db.OAuth.Grants.Grant(t.Context(), claims["grant_id"].(string))
	if err != nil {
		t.Fatal(err)
	}
	proof := p.prove("POST", "/mcp", token, nil)
	synctest.Test(t, func(t *testing.T) {
		s := p.replica(func(s *setup) {
			s.Stores.Keys = slowKeys{s.Stores.Keys, keys}
			s.Stores.Grants = slowGrants{s.Stores.Grants, grant}
			s.Stores.Once = slowOnce{s.Stores.Once}
		})
		w, began := httptest.NewRecorder(), time.Now()
		s.Guard.Require(http.NotFoundHandler(), "mcp:tools").ServeHTTP(w, p.request("POST", "/mcp", "application/json", "{}", "Authorization", "DPoP "+token, "DPoP", proof))
		if took := time.Since(began); w.Code != http.StatusServiceUnavailable || took != 30*time.Second {
			t.Errorf("got %d after %s, want 503 after 30s", w.Code, took)
		}
	})
}

// unwritable is a store of sessions that can be read only.
type unwritable struct{ signin.SessionStore }

func (unwritable) SawSession(context.Context, string, time.Time) error {
	return fmt.Errorf("the disk is full")
}

// TestASessionWorksWhenItsUseCannotBeRecorded: every page of a person who was signed in for more than five
// minutes was a 500 while the database could not write.
func TestASessionWorksWhenItsUseCannotBeRecorded(t *testing.T) {
	r := newRig(t, func(s *setup) { s.Stores.Sessions = unwritable{s.Stores.Sessions} })
	b := r.browser()
	r.signIn(b, user, password).Continue()
	r.clock.advance(6 * time.Minute)
	if p := b.Get(r.url + "/page"); p.Body != "hello ada" {
		t.Errorf("got status %d, %s", p.Status, p.Body)
	}
	if log := r.log.String(); !strings.Contains(log, "the disk is full") {
		t.Errorf("the log does not tell of it:\n%s", log)
	}
}
