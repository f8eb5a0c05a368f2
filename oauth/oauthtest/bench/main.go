// Command bench measures how many codes an authorization server redeems, how
// many refresh tokens it rotates and how many access tokens a resource checks,
// a second: rialto's and one made with fosite, on SQLite and on PostgreSQL,
// with the same client, the same durability and the same kind of token
// (ES256 JWTs). It is a module of its own, so that the product does not depend
// on its peers.
//
//	make bench-oauth
//
// Each server runs in a process of its own, whose memory is measured, with a
// new database. PostgreSQL is the one that RIALTO_TEST_POSTGRES names; without
// it those rows are left out. What is fair about it:
//
//   - Both write what they promise to disk before they answer: SQLite in WAL
//     mode with synchronous=FULL, PostgreSQL with what it is set up for. Both
//     use prepared statements, one SQLite connection to write and four to read,
//     and at most sixteen of PostgreSQL. Rialto commits together what comes at
//     the same time; fosite's handlers commit for themselves.
//   - fosite ships no SQL storage. The one here keeps what fosite hands to it,
//     in one row for each token, as JSON. Both look the client up once for each
//     request, as a server must whose clients register themselves.
//   - "first" is a token that the server has not seen: both check the signature
//     and ask the database whether the token is alive. "again" is one that it
//     has: rialto remembers it and believes its grant for two seconds. fosite
//     remembers nothing, so it does the least that it can: it checks the
//     signature and asks nobody (its stateless validator, without revocation).
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"text/tabwriter"
	"time"
)

func main() {
	clients := flag.Int("c", 16, "how many connections ask at one time")
	period := flag.Duration("t", 3*time.Second, "how long each row is measured")
	rounds := flag.Int("n", 3, "how many rounds; the best of each row counts")
	serve := flag.String("serve", "", "run the server of that name, on -database (this program calls itself so)")
	database := flag.String("database", "", "what -serve stores to")
	flag.Parse()
	err := error(nil)
	if *serve != "" {
		err = run(context.Background(), *serve, *database)
	} else {
		err = compare(load{*clients, *period}, *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// key names a line of the table.
type key struct{ engine, server string }

// compare runs every server on every database, in turn, and prints the best of
// each row.
func compare(l load, rounds int) error {
	engines := []engine{{"SQLite", temporaryFile}}
	if dsn := os.Getenv("RIALTO_TEST_POSTGRES"); dsn != "" {
		engines = append(engines, engine{"PostgreSQL", func() (string, func() error, error) { return temporarySchema(dsn) }})
	}
	best := map[key]outcome{}
	for range rounds {
		for _, e := range engines {
			for _, name := range names {
				got, err := e.measure(name, l)
				if err != nil {
					return fmt.Errorf("%s on %s: %w", name, e.name, err)
				}
				k := key{e.name, name}
				best[k] = best[k].best(got)
			}
		}
	}
	print(engines, best)
	return nil
}

// print writes a line for each row, with the servers below each other.
func print(engines []engine, best map[key]outcome) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "database\twhat\tserver\ta second\tp99\tprocessor time each\tmost memory")
	for _, e := range engines {
		for i, what := range rows {
			for _, name := range names {
				o := best[key{e.name, name}]
				r := o.rows[i]
				fmt.Fprintf(w, "%s\t%s\t%s\t%.0f\t%v\t%v\t%d MB\n", e.name, what, name, r.perSecond, r.p99, r.processor, o.memory>>20)
			}
		}
	}
	w.Flush()
}

// rows are what is measured of each server, in this order.
var rows = [...]string{"code → token", "refresh", "validate, first", "validate, again"}

// outcome is what was measured of one server.
type outcome struct {
	rows   [len(rows)]rate
	memory int64 // the most that the process held, in bytes
}

// rate is what was measured of one row.
type rate struct {
	perSecond float64
	p99       time.Duration
	processor time.Duration // of the server, for one request
}

// best returns the better of each row, and the larger memory.
func (o outcome) best(other outcome) outcome {
	for i, r := range other.rows {
		if r.perSecond > o.rows[i].perSecond {
			o.rows[i] = r
		}
	}
	o.memory = max(o.memory, other.memory)
	return o
}
