// Command bench measures A2A clients before one server, and A2A servers under
// one client: rialto's, a2a-go's, and what one would write by hand. It is a
// module of its own, so that the product does not depend on its peers.
//
//	make bench-a2a
//
// What is fair about it:
//
//   - The server before which clients are measured says the same bytes to all of
//     them. The clients share one http.Client, so that they differ in what they
//     do themselves. The one that is written by hand posts a structure and reads
//     another, with encoding/json, and knows nothing of generations, of errors
//     beyond that there was one, or of streams that are cut.
//   - Over gRPC the one that is written by hand uses the stubs that all share,
//     and nothing else.
//   - Servers run the same agent, keep every task in memory, and are asked by
//     the client that is written by hand. Each row has a new server.
//   - Those that are compared are measured in turns, round by round, many times
//     for a short while. The figures are the best of each, and the comparison is
//     that of the median round: what disturbs the machine then disturbs nobody
//     more than the others. Allocations and processor time are those of both
//     sides; the other side is the same for all.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	var l load
	flag.IntVar(&l.callers, "c", 8, "how many calls are made at one time")
	flag.DurationVar(&l.period, "t", 200*time.Millisecond, "how long each is measured in each round")
	rounds := flag.Int("n", 10, "how many rounds")
	profile := flag.String("cpuprofile", "", "a file for a CPU profile")
	only := flag.String("only", "", `measure only rows that begin so, as "client send"`)
	flag.Parse()
	if err := bench(l, *rounds, *only, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(l load, rounds int, only, profile string) error {
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	var rows []*row
	for _, r := range allRows() {
		if strings.HasPrefix(r.String(), only) {
			rows = append(rows, r)
		}
	}
	for range rounds {
		for _, r := range rows {
			if err := r.round(l); err != nil {
				return err
			}
		}
	}
	print(rows)
	return nil
}

// row compares some that do the same.
type row struct {
	side      string // what is compared
	operation operation
	binding   binding
	names     []string
	contest   func(name string, r *row, l load) (outcome, error)
	got       map[string][]outcome // of each round
}

func (r *row) String() string {
	return fmt.Sprintf("%s %s %s", r.side, r.operation, r.binding)
}

func allRows() (rows []*row) {
	for _, b := range bindings {
		for _, o := range operations {
			rows = append(rows, &row{"client", o, b, []string{"rialto", "by hand", "a2a-go"}, measureClient, map[string][]outcome{}})
		}
	}
	for _, b := range bindings {
		for _, o := range operations {
			rows = append(rows, &row{"server", o, b, []string{"rialto", "a2a-go"}, measureServer, map[string][]outcome{}})
		}
	}
	return rows
}

// round measures each, and another one first than the round before.
func (r *row) round(l load) error {
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

// print writes those of each row below each other, with how rialto compares to
// them: as a multiple of their rate, and as one of what they take of the
// processor, in the same round. That of the median round counts.
func print(rows []*row) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tbinding\twhose\tcalls/s\tp50\tp99\tcpu/call\tallocations/call\trialto's rate\trialto's cpu")
	for _, r := range rows {
		for _, name := range r.names {
			var o outcome
			for _, got := range r.got[name] {
				o = o.better(got)
			}
			fmt.Fprintf(w, "%s, %s\t%s\t%s\t%.0f\t%v\t%v\t%v\t%.0f\t× %.2f\t× %.2f\n",
				r.side, r.operation, r.binding, name, o.rate, o.p50, o.p99, o.cpu, o.allocations, r.compared(name, func(o outcome) float64 { return o.rate }), r.compared(name, func(o outcome) float64 { return float64(o.cpu) }))
		}
	}
	w.Flush()
}

// compared returns what rialto has as a multiple of what another has, in the
// median round.
func (r *row) compared(name string, of func(outcome) float64) float64 {
	var all []float64
	for i, o := range r.got[name] {
		all = append(all, of(r.got["rialto"][i])/of(o))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
