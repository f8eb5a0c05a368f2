// Package oauthbench measures how many codes an authorization server redeems,
// how many refresh tokens it rotates and how many access tokens a resource
// checks per second: rialto's and one made with fosite, on SQLite and on
// PostgreSQL, with the same client, the same durability and the same kind of
// token (ES256 JWTs).
//
// Each server runs in a process of its own with a new database. PostgreSQL is
// the one that RIALTO_TEST_POSTGRES names; without it those rows are left out.
// The comparison is fair in these ways:
//
//   - Both write to disk before they answer: SQLite in WAL mode with
//     synchronous=FULL, PostgreSQL as it is configured. Both use prepared
//     statements, one SQLite connection to write and four to read, and at most
//     sixteen of PostgreSQL. Rialto commits concurrent requests together;
//     fosite's handlers commit each for itself.
//   - fosite ships no SQL storage. The one here keeps one row for each token, as
//     JSON. Both servers look the client up once per request.
//   - "first" is a token that the server has not seen: both check the signature
//     and ask the database whether the token is alive. "again" is one that it has
//     seen: rialto trusts its cached grant for two seconds; fosite checks the
//     signature only (its stateless validator, without revocation).
package oauthbench

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"rialto/cmd/rialto/internal/bench/harness"
)

// Main runs the benchmark and prints a table.
func Main(args []string) error {
	l := harness.Load{Callers: 16, Period: 3 * time.Second, Rounds: 3}
	if err := l.Flags("oauth").Parse(args); err != nil {
		return err
	}
	return l.Profiled(func() error { return compare(l) })
}

// Serve runs one of the servers: args are its name, its database and the
// address at which to serve.
func Serve(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("serve-oauth takes NAME DATABASE ADDRESS, not %q", args)
	}
	return serve(context.Background(), args[0], args[1], args[2])
}

// key names a line of the table.
type key struct{ engine, server string }

func compare(l harness.Load) error {
	engines := []engine{{"SQLite", temporaryFile}}
	if dsn := os.Getenv("RIALTO_TEST_POSTGRES"); dsn != "" {
		engines = append(engines, engine{"PostgreSQL", func() (string, func() error, error) { return harness.TemporarySchema(dsn) }})
	}
	best := map[key]outcome{}
	for range l.Rounds {
		for _, e := range engines {
			for _, name := range names {
				got, err := e.measure(name, l)
				if err != nil {
					return fmt.Errorf("%s on %s: %w", name, e.name, err)
				}
				best[key{e.name, name}] = best[key{e.name, name}].better(got)
			}
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "database\twhat\tserver\tper second\tp99\tcpu each\tpeak memory")
	for _, e := range engines {
		for i, what := range rows {
			for _, name := range names {
				o := best[key{e.name, name}]
				r := o.rows[i]
				fmt.Fprintf(w, "%s\t%s\t%s\t%.0f\t%v\t%v\t%s\n", e.name, what, name, r.Rate, r.P99, r.CPU, harness.MiB(o.memory))
			}
		}
	}
	return w.Flush()
}

// rows are measured of each server, in this order.
var rows = [...]string{"code → token", "refresh", "validate, first", "validate, again"}

type outcome struct {
	rows   [len(rows)]harness.Outcome
	memory int64 // at its peak, in bytes
}

func (o outcome) better(other outcome) outcome {
	for i := range o.rows {
		o.rows[i] = o.rows[i].Better(other.rows[i])
	}
	o.memory = max(o.memory, other.memory)
	return o
}
