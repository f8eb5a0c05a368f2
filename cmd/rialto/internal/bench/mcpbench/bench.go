// Package mcpbench measures how many calls of an instant tool a server answers
// over Streamable HTTP. All servers run in this process, behind the same bearer
// check and under the same client. Allocations and processor time include the
// client's, which are the same for all.
package mcpbench

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"rialto/cmd/rialto/internal/bench/harness"
)

// Main runs the benchmark and prints a table.
func Main(args []string) error {
	l := harness.Load{Callers: 16, Period: 3 * time.Second, Rounds: 3}
	if err := l.Flags("mcp").Parse(args); err != nil {
		return err
	}
	return l.Profiled(func() error { return bench(l) })
}

func bench(l harness.Load) error {
	type row struct {
		peer
		era  harness.Era
		best harness.Outcome
	}
	var rows []*row
	for _, p := range []peer{rialto(), mcpGoStateful(), mcpGoStateless(), goSDKStateful(), goSDKStateless()} {
		for _, e := range p.eras {
			if strings.HasPrefix(p.name, l.Only) {
				rows = append(rows, &row{peer: p, era: e})
			}
		}
	}
	for range l.Rounds {
		for _, r := range rows {
			got, err := measure(l, r.peer, r.era)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", r.name, r.era, err)
			}
			r.best = r.best.Better(got)
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "server\tera\tcalls/s\tp50\tp99\tcpu/call\tallocations/call")
	for _, r := range rows {
		o := r.best
		fmt.Fprintf(w, "%s\t%s\t%.0f\t%v\t%v\t%v\t%.0f\n", r.name, r.era, o.Rate, o.P50, o.P99, o.CPU, o.Allocations)
	}
	return w.Flush()
}

func measure(l harness.Load, p peer, e harness.Era) (harness.Outcome, error) {
	srv := httptest.NewServer(harness.Guarded(p.handler))
	defer srv.Close()
	callers := make([]*harness.MCPCaller, l.Callers)
	call := func(i int) error { return callers[i].Call(`"text":"hello"`) }
	for i := range callers {
		c, err := harness.DialMCP(srv.Listener.Addr().String(), harness.Token, e, "echo", `{"text":"hello"}`)
		if err != nil {
			return harness.Outcome{}, err
		}
		defer c.Close()
		callers[i] = c
		if err := harness.Warm(20, func() error { return call(i) }); err != nil {
			return harness.Outcome{}, err
		}
	}
	return l.Run(os.Getpid(), call)
}
