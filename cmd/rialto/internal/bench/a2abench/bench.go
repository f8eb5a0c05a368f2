// Package a2abench measures A2A clients before one server, and A2A servers under
// one client: rialto's, a2a-go's, and a client written by hand.
//
// The comparison is fair in these ways:
//
//   - The server before which clients are measured sends the same bytes to all of
//     them, and the clients share one http.Client. The client written by hand uses
//     encoding/json and knows neither generations nor broken streams. Over gRPC it
//     uses the generated stubs and nothing else.
//   - Servers run the same agent, keep all tasks in memory, and are called by the
//     client written by hand. Each row has a new server.
//   - Peers are measured in turns, for many short rounds. The figures are the best
//     of each; the ratios are those of the median round. Allocations and processor
//     time include the other side, which is the same for all.
package a2abench

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"rialto/cmd/rialto/internal/bench/harness"
)

// Main runs the benchmark and prints a table.
func Main(args []string) error {
	l := harness.Load{Callers: 8, Period: 200 * time.Millisecond, Rounds: 10}
	if err := l.Flags("a2a").Parse(args); err != nil {
		return err
	}
	return l.Profiled(func() error { return bench(l) })
}

func bench(l harness.Load) error {
	var rows []*row
	for _, r := range allRows() {
		if strings.HasPrefix(r.String(), l.Only) {
			rows = append(rows, r)
		}
	}
	for range l.Rounds {
		for _, r := range rows {
			if err := r.round(l); err != nil {
				return err
			}
		}
	}
	return print(rows)
}

// row compares peers that do the same.
type row struct {
	side      string // client or server
	operation operation
	binding   binding
	names     []string
	contest   func(name string, r *row, l harness.Load) (harness.Outcome, error)
	got       map[string][]harness.Outcome // of each round
}

func (r *row) String() string {
	return fmt.Sprintf("%s %s %s", r.side, r.operation, r.binding)
}

func allRows() (rows []*row) {
	for _, b := range bindings {
		for _, o := range operations {
			rows = append(rows, &row{"client", o, b, []string{"rialto", "by hand", "a2a-go"}, measureClient, map[string][]harness.Outcome{}})
		}
	}
	for _, b := range bindings {
		for _, o := range operations {
			rows = append(rows, &row{"server", o, b, []string{"rialto", "a2a-go"}, measureServer, map[string][]harness.Outcome{}})
		}
	}
	return rows
}

// round measures each peer, beginning with another one than the round before.
func (r *row) round(l harness.Load) error {
	first := len(r.got["rialto"]) % len(r.names)
	for _, name := range slices.Concat(r.names[first:], r.names[:first]) {
		got, err := r.contest(name, r, l)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", r, name, err)
		}
		r.got[name] = append(r.got[name], got)
	}
	return nil
}

// print writes the peers of each row below each other, with rialto's rate and
// processor time as multiples of theirs in the median round.
func print(rows []*row) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tbinding\twhose\tcalls/s\tp50\tp99\tcpu/call\tallocations/call\trialto's rate\trialto's cpu")
	for _, r := range rows {
		for _, name := range r.names {
			var o harness.Outcome
			for _, got := range r.got[name] {
				o = o.Better(got)
			}
			fmt.Fprintf(w, "%s, %s\t%s\t%s\t%.0f\t%v\t%v\t%v\t%.0f\t× %.2f\t× %.2f\n",
				r.side, r.operation, r.binding, name, o.Rate, o.P50, o.P99, o.CPU, o.Allocations,
				r.compared(name, func(o harness.Outcome) float64 { return o.Rate }), r.compared(name, func(o harness.Outcome) float64 { return float64(o.CPU) }))
		}
	}
	return w.Flush()
}

// compared returns a figure of rialto's as a multiple of another's, in the
// median round.
func (r *row) compared(name string, of func(harness.Outcome) float64) float64 {
	var all []float64
	for i, o := range r.got[name] {
		all = append(all, of(r.got["rialto"][i])/of(o))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
