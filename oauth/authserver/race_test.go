package authserver_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/mux"

	"rialto/store"
	"rialto/store/storetest"
)

// TestRaces lets eight callers at once redeem one code, and eight at once use
// one refresh token, with a grace and without, round after round, every other
// caller at a replica that shares the store. RIALTO_ROUNDS says how many
// rounds; 10,000 is the count before a release.
func TestRaces(t *testing.T) {
	rounds := 60
	if v := os.Getenv("RIALTO_ROUNDS"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatalf("RIALTO_ROUNDS: %v", err)
		}
		rounds = n
	}
	for name, open := range map[string]func(*testing.T) *store.DB{"SQLite": openSQLite, "memory": openMemory, "PostgreSQL": openPostgres} {
		t.Run(name, func(t *testing.T) {
			c, begun := newCourse(t, open(t)), time.Now()
			for range rounds {
				c.round()
			}
			t.Logf("%d rounds in %s, answers: %v", rounds, time.Since(begun).Round(time.Millisecond), c.answers)
		})
	}
}

func openSQLite(t *testing.T) *store.DB { return openStore(t, storetest.File(t, store.Open)) }
func openMemory(t *testing.T) *store.DB { return openStore(t, store.Memory) }

func openStore(t *testing.T, dsn string) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

const racers = 8

// course is where the races are run: two replicas that know a grace for
// refresh tokens and two that know none, over one store.
type course struct {
	*rig
	client          client
	lenient, strict [2]*rig
	token           string         // a refresh token that goes from round to round
	answers         map[string]int // by what was asked, status and error
}

func newCourse(t *testing.T, db *store.DB) *course {
	proxied := func(s *setup) { s.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }
	strict := func(s *setup) { proxied(s); s.Lifetimes.Grace = -1 }
	r := serve(t, db, httptest.NewUnstartedServer(nil), proxied)
	r.http.Transport.(*http.Transport).MaxIdleConnsPerHost = racers // or each would dial anew
	c := &course{rig: r, client: r.newClient("none"), answers: map[string]int{}}
	c.lenient = [2]*rig{r, r.twin(proxied)}
	c.strict = [2]*rig{r.twin(strict), r.twin(strict)}
	c.token = r.tokens(c.client, nil).str("refresh_token")
	return c
}

// twin serves a replica at an address of its own.
func (r *rig) twin(change ...func(*setup)) *rig {
	m := mux.NewRouter()
	r.replica(change...).Routes(m)
	ts := httptest.NewServer(m)
	r.t.Cleanup(ts.Close)
	other := *r
	other.url = ts.URL
	return &other
}

func (c *course) round() {
	c.t.Helper()
	c.clock.advance(10 * time.Second) // for the limits of rate, which are not what is tested

	code := codeForm(c.client, c.code(c.client, nil))
	c.one("code", c.race("code", c.lenient, code))

	family := c.ok(c.lenient[0].form("/token", codeForm(c.client, c.code(c.client, nil))))
	c.one("refresh without grace", c.race("refresh without grace", c.strict, refreshForm(c.client, family.str("refresh_token"))))

	successors := map[string]bool{}
	for _, a := range c.race("refresh", c.lenient, refreshForm(c.client, c.token)) {
		c.token = c.ok(a).str("refresh_token")
		successors[c.token] = true
	}
	if len(successors) != 1 {
		c.t.Fatalf("refresh: got %d successors, want one", len(successors))
	}
}

// race sends a form from many callers at once, each from another address.
func (c *course) race(what string, servers [2]*rig, form params) []answer {
	c.t.Helper()
	var next atomic.Int64
	all := inParallel(racers, func() answer {
		i := next.Add(1)
		return servers[i%2].form("/token", form, "X-Forwarded-For", fmt.Sprint("192.0.2.", i))
	})
	for _, a := range all {
		c.answers[fmt.Sprint(what, " ", a.status, " ", a.str("error"))]++
	}
	return all
}

// one checks that exactly one caller got what only one may get, and that the
// others got that error and nothing else.
func (c *course) one(what string, all []answer) {
	c.t.Helper()
	won := 0
	for _, a := range all {
		if a.status == http.StatusOK {
			won++
		} else if a.status != http.StatusBadRequest || a.str("error") != "invalid_grant" {
			c.t.Fatalf("%s: got %d %s, want 400 invalid_grant", what, a.status, a.body)
		}
	}
	if won != 1 {
		c.t.Fatalf("%s: got %d successes, want exactly one", what, won)
	}
}
