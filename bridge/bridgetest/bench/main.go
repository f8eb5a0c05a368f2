// Command bench measures how many calls of send_task the program answers, beside
// handlers that do no more than pass the message on: one written by hand on
// net/http, and one of go-sdk and a2a-go, as their examples have it and tuned. It
// is a module of its own, so that the product does not depend on its peers.
//
//	make bench-bridge
//
// What is fair about it:
//
//   - Each server is a process of its own, and what is reported of memory and
//     processor time is that process's. The clients and the agent, an echo over
//     A2A 1.0 that answers at once, are the bench's process, the same for all.
//   - Rialto is the program as it is built, with its own guard, and its ledger in
//     a SQLite file with the settings of the product. It writes each task before
//     it answers, and waits for the disk; the others write nothing, and check one
//     constant token.
//   - They are measured one after the other, round by round, and the best of each
//     counts: what disturbs the machine then disturbs nobody more than the others.
//   - Each client has one connection and sends the same bytes again and again.
package main

import (
	"flag"
	"fmt"
	"os"
	"text/tabwriter"
	"time"
)

// options are what the command line asks for.
type options struct {
	clients, rounds, waiting int
	period                   time.Duration
	streaming                bool
	only, profile            string
}

func main() {
	var o options
	flag.IntVar(&o.clients, "c", 16, "how many clients call at one time")
	flag.DurationVar(&o.period, "t", 3*time.Second, "how long each server is called in each round")
	flag.IntVar(&o.rounds, "n", 3, "how many rounds; the best of each server counts")
	flag.IntVar(&o.waiting, "waiting", 5000, "how many calls wait at one time when memory is measured; 0 leaves it out")
	flag.BoolVar(&o.streaming, "stream", false, "let the agent stream its answer, to those who ask for a stream")
	flag.StringVar(&o.only, "only", "", "measure only this server")
	flag.StringVar(&o.profile, "cpuprofile", "", "a file for a CPU profile of the server that is measured last")
	serve := flag.String("serve", "", "be this server (what the bench starts)")
	flag.Parse()
	err := error(nil)
	if *serve != "" {
		err = beServer(*serve, flag.Args())
	} else {
		err = bench(&o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(o *options) error {
	agent := newAgent(o.streaming)
	defer agent.Close()
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	all, err := servers(dir, agent.URL, o.only)
	if err != nil {
		return err
	}
	if err := rates(o, all); err != nil {
		return err
	}
	if o.waiting == 0 {
		return nil
	}
	return waits(o, all, agent)
}

// rates prints how fast the servers answer, and what that takes.
func rates(o *options, all []server) error {
	best := map[string]outcome{}
	for range o.rounds {
		for _, e := range []era{legacy, modern} {
			for _, s := range all {
				got, err := o.measure(s, e)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", s.name, e, err)
				}
				if key := s.name + string(e); got.rate > best[key].rate {
					best[key] = got
				}
			}
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "server\tera\tcalls/s\trialto's\tp50\tp99\tcpu/call\tallocations/call\tmemory, at most")
	for _, e := range []era{legacy, modern} {
		for _, s := range all {
			b := best[s.name+string(e)]
			fmt.Fprintf(w, "%s\t%s\t%.0f\t%.2f x\t%v\t%v\t%v\t%.0f\t%s\n", s.name, e, b.rate, best[rialto+string(e)].rate/b.rate,
				b.p50, b.p99, b.processor, b.allocations, mib(b.peak))
		}
	}
	return w.Flush()
}

// waits prints what calls cost that wait for their agent.
func waits(o *options, all []server, agent *agent) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nserver\tcalls that wait\tmemory before\tand meanwhile\tper call")
	for _, s := range all {
		before, during, err := o.wait(s, agent)
		if err != nil {
			return fmt.Errorf("%s, with %d calls that wait: %w", s.name, o.waiting, err)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%.1f KiB\n", s.name, o.waiting, mib(before), mib(during), float64(during-before)/float64(o.waiting)/1024)
	}
	return w.Flush()
}

func mib(bytes int64) string { return fmt.Sprintf("%.0f MiB", float64(bytes)/(1<<20)) }
