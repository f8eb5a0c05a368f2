// Command peer is an agent, or a client, of a2a-go: see package tour. Before what
// it is to be stands the version.
package main

import (
	"log"
	"os"

	"rialto/a2a/a2atest/peers"
	"rialto/a2a/a2atest/tour"
)

func main() {
	versions := map[string]tour.Peer{
		"0.3.15": {Serve: peers.Serve03, Dial: peers.Dial03},
		"2.4.0":  {Serve: peers.Serve10, Dial: peers.Dial10(os.Getenv("RIALTO_BINDING"))},
	}
	if len(os.Args) < 2 || versions[os.Args[1]].Serve == nil {
		log.Fatal("want a version, 0.3.15 or 2.4.0")
	}
	versions[os.Args[1]].Main(os.Args[2:])
}
