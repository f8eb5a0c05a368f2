// Package bridgebench measures how many calls of send_task the program answers,
// beside handlers that only pass the message on: one written by hand on net/http,
// and one of go-sdk and a2a-go, as their examples show it and tuned.
//
// The comparison is fair in these ways:
//
//   - Each server is a process of its own, and memory and processor time are that
//     process's. The clients and the agent, an echo over A2A 1.0 that answers at
//     once, live in this process, the same for all.
//   - Rialto is the program as it is built, with its guard and its ledger in a
//     SQLite file with the product's settings. It writes each task before it
//     answers and waits for the disk; the others write nothing and check one
//     constant token.
//   - The servers are measured one after the other, round by round, and the best
//     round of each counts.
//   - Each client has one connection and repeats the same bytes.
//
// -also NAME=BINARY measures another build of the program in the same run. With
// RIALTO_TEST_POSTGRES, the program is measured on that database as well.
package bridgebench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"rialto/cmd/rialto/internal/bench/harness"
)

type options struct {
	harness.Load
	waiting    int
	streaming  bool
	also       string
	connectors int
}

// Main runs the benchmark and prints two tables: rates, and the memory of calls
// that wait.
func Main(args []string) error {
	o := options{Load: harness.Load{Callers: 16, Period: 3 * time.Second, Rounds: 3}}
	f := o.Flags("bridge")
	f.IntVar(&o.waiting, "waiting", 5000, "number of concurrent waiting calls when memory is measured; 0 skips it")
	f.BoolVar(&o.streaming, "stream", false, "let the agent stream its answer to callers that ask for a stream")
	f.IntVar(&o.connectors, "connectors", 0, "measure the program with so many connectors as well, with calls at all of them")
	f.StringVar(&o.also, "also", "", "NAME=BINARY: measure this build of the program as well")
	if err := f.Parse(args); err != nil {
		return err
	}
	return o.Profiled(func() error { return bench(&o) })
}

func bench(o *options) error {
	agent := newAgent(o.streaming)
	defer agent.Close()
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	all, err := servers(dir, agent.URL, o)
	if err != nil {
		return err
	}
	if err := o.rates(all); err != nil || o.waiting == 0 {
		return err
	}
	return o.waits(all, agent)
}

type outcome struct {
	harness.Outcome
	peak int64 // bytes
}

var eras = []harness.Era{harness.Legacy, harness.Current}

// rates prints how fast the servers answer, and what a call costs.
func (o *options) rates(all []server) error {
	best := map[string]outcome{}
	for range o.Rounds {
		for _, e := range eras {
			for _, s := range all {
				got, err := o.measure(s, e)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", s.name, e, err)
				}
				key := s.name + string(e)
				best[key] = outcome{best[key].Better(got.Outcome), max(best[key].peak, got.peak)}
			}
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "server\tera\tcalls/s\trialto's\tp50\tp99\tcpu/call\tpeak memory")
	for _, e := range eras {
		for _, s := range all {
			b := best[s.name+string(e)]
			fmt.Fprintf(w, "%s\t%s\t%.0f\t%.2f x\t%v\t%v\t%v\t%s\n", s.name, e, b.Rate, best[all[0].name+string(e)].Rate/b.Rate,
				b.P50, b.P99, b.CPU, harness.MiB(b.peak))
		}
	}
	return w.Flush()
}

const hello = `"text":"hello"` // in the answer

func (o *options) measure(s server, e harness.Era) (outcome, error) {
	r, err := s.start(e, o.Callers)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	callers := make([]*harness.MCPCaller, o.Callers)
	for i := range callers {
		if callers[i], err = r.dial(e, i, "hello"); err != nil {
			return outcome{}, err
		}
		defer callers[i].Close()
	}
	call := func(i int) error { return callers[i].Call(hello) }
	warm := harness.Load{Callers: o.Callers, Period: o.Period / 10}
	if _, err := warm.Run(r.PID(), call); err != nil {
		return outcome{}, err
	}
	got, err := o.Run(r.PID(), call)
	_, peak := harness.Memory(r.PID())
	return outcome{got, peak}, err
}

// waits prints the memory of calls that wait for their agent.
func (o *options) waits(all []server, agent *agent) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nserver\twaiting calls\tmemory before\tmemory meanwhile\tper call")
	for _, s := range all {
		before, during, err := o.wait(s, agent)
		if err != nil {
			return fmt.Errorf("%s, with %d waiting calls: %w", s.name, o.waiting, err)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%.1f KiB\n", s.name, o.waiting, harness.MiB(before), harness.MiB(during), float64(during-before)/float64(o.waiting)/1024)
	}
	return w.Flush()
}

// wait returns the memory of a new server before the waiting calls, and while
// the agent holds all of them.
func (o *options) wait(s server, agent *agent) (before, during int64, err error) {
	r, err := s.start(harness.Current, o.waiting)
	if err != nil {
		return 0, 0, err
	}
	defer r.Stop()
	first, err := r.dial(harness.Current, 0, "hello")
	if err != nil {
		return 0, 0, err
	}
	defer first.Close()
	if err := first.Call(hello); err != nil {
		return 0, 0, err
	}
	before, _ = harness.Memory(r.PID())
	ended := make(chan error, o.waiting)
	for i := range o.waiting {
		c, err := r.dial(harness.Current, i, "wait")
		if err != nil {
			return 0, 0, err
		}
		go func() {
			defer c.Close()
			ended <- c.Call(`"text":"wait"`)
		}()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for agent.waiting.Load() < int64(o.waiting) {
		select {
		case err := <-ended:
			return 0, 0, fmt.Errorf("a call ended before the agent answered: %w", err)
		case <-ctx.Done():
			return 0, 0, fmt.Errorf("the agent has %d of the calls", agent.waiting.Load())
		case <-time.After(10 * time.Millisecond):
		}
	}
	during, _ = harness.Memory(r.PID())
	agent.release()
	for range o.waiting {
		err = errors.Join(err, <-ended)
	}
	return before, during, err
}

// dial connects the caller with a number, as one of the server's users.
func (r *running) dial(e harness.Era, i int, message string) (*harness.MCPCaller, error) {
	path := "/mcp"
	if len(r.connectors) > 0 {
		path += "/" + r.connectors[i%len(r.connectors)]
	}
	return harness.DialMCPAt(r.Addr, path, r.tokens[i%len(r.tokens)], e, "send_task", fmt.Sprintf(`{"message":%q}`, message))
}

// named returns the two halves of NAME=BINARY.
func named(also string) (name, binary string, err error) {
	name, binary, ok := strings.Cut(also, "=")
	if !ok {
		return "", "", fmt.Errorf("-also takes NAME=BINARY, not %q", also)
	}
	return name, binary, nil
}
