// Command bench measures how many calls of an instant tool a server answers
// over Streamable HTTP: rialto's, mcp-go's and go-sdk's, one after the other in
// one process, behind the same bearer check and with the same client. It is a
// module of its own, so that the product does not depend on its peers.
//
//	make bench-mcp
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	clients := flag.Int("c", 16, "how many clients call at one time")
	period := flag.Duration("t", 3*time.Second, "how long each server is called")
	rounds := flag.Int("n", 3, "how many rounds; the best of each server counts")
	profile := flag.String("cpuprofile", "", "a file for a CPU profile")
	only := flag.String("only", "", "measure only servers whose names begin so")
	flag.Parse()
	if *profile != "" {
		stop, err := profileTo(*profile)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		defer stop()
	}
	var all []peer
	for _, p := range []func() peer{rialto, mcpGoStateful, mcpGoStateless, goSDKStateful, goSDKStateless} {
		if p := p(); strings.HasPrefix(p.name, *only) {
			all = append(all, p)
		}
	}
	best := map[string]outcome{}
	for range *rounds {
		for _, p := range all {
			for _, e := range p.eras {
				got, err := measure(p.handler, e, *clients, *period)
				if err != nil {
					fmt.Fprintln(os.Stderr, p.name, e, err)
					os.Exit(1)
				}
				if key := p.name + "\t" + string(e); got.rate > best[key].rate {
					best[key] = got
				}
			}
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "server\tera\tcalls/s\tp50\tp99\tcpu/call\tallocations/call")
	for _, p := range all {
		for _, e := range p.eras {
			o := best[p.name+"\t"+string(e)]
			fmt.Fprintf(w, "%s\t%s\t%.0f\t%v\t%v\t%v\t%.0f\n", p.name, e, o.rate, o.p50, o.p99, o.cpu, o.allocations)
		}
	}
	w.Flush()
}

func profileTo(path string) (stop func(), err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() { pprof.StopCPUProfile(); f.Close() }, nil
}
