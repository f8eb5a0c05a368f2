package recordsdb_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"rialto/internal/usage"
	"rialto/oauth/oauthtest"
	"rialto/store/recordsdb"
	"rialto/store/sqldb"
)

// BenchmarkTallies sums 100,000 calls of 90 days, by 500 accounts with 40 apps, and 20 agents.
func BenchmarkTallies(b *testing.B) {
	b.Run("SQLite", func(b *testing.B) { benchmarkTallies(b, b.TempDir()+"/rialto.db") })
	b.Run("PostgreSQL", func(b *testing.B) { benchmarkTallies(b, oauthtest.PostgresSchema(b)) })
}

func benchmarkTallies(b *testing.B, dsn string) {
	db, err := sqldb.Open(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	s, until := recordsdb.New(db), time.Now().UTC().Truncate(24*time.Hour)
	rng := rand.New(rand.NewPCG(3, 5))
	calls := make([]usage.Record, 100_000)
	for i := range calls {
		user := rng.IntN(500)
		calls[i] = usage.Record{ID: fmt.Sprint("u", i), At: until.Add(-time.Duration(rng.Int64N(int64(90 * 24 * time.Hour)))), UserID: fmt.Sprint("user", user),
			Client: fmt.Sprint("client", (user+rng.IntN(2))%40), Tool: fmt.Sprint("tool", rng.IntN(9)), Agent: fmt.Sprint("agent", rng.IntN(20)), Door: "mcp", Millis: rng.Int64N(5000), Outcome: usage.OK}
	}
	for some := range slices.Chunk(calls, 5000) {
		if err := s.AddCalls(b.Context(), some); err != nil {
			b.Fatal(err)
		}
	}
	month := usage.Filter{Since: until.AddDate(0, 0, -90), Until: until, Limit: 25} // as the page asks
	with := func(change func(*usage.Filter)) usage.Filter {
		f := month
		change(&f)
		return f
	}
	for _, c := range []struct {
		name string
		f    usage.Filter
		by   usage.By
		step time.Duration
	}{
		{"by agent", month, usage.ByAgent, 0},
		{"by account", month, usage.ByUser, 0},
		{"by app", month, usage.ByClient, 0},
		{"days", month, "", 24 * time.Hour},
		{"days of an account", with(func(f *usage.Filter) { f.User = "user7" }), "", 24 * time.Hour},
		{"days of an app", with(func(f *usage.Filter) { f.Clients = []string{"client7"} }), "", 24 * time.Hour},
		{"agents of an app", with(func(f *usage.Filter) { f.Clients = []string{"client7"} }), usage.ByAgent, 0},
		{"accounts of an agent", with(func(f *usage.Filter) { f.Agent = "agent7" }), usage.ByUser, 0},
		{"accounts of a day", with(func(f *usage.Filter) { f.Since = until.AddDate(0, 0, -1) }), usage.ByUser, 0},
		{"accounts of a week", with(func(f *usage.Filter) { f.Since = until.AddDate(0, 0, -7) }), usage.ByUser, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if got, err := s.Tallies(b.Context(), c.f, c.by, c.step); err != nil || len(got) == 0 {
					b.Fatalf("got %d, %v", len(got), err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms")
		})
	}
}
