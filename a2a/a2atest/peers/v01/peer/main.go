// Command peer is an agent, or a client, of trpc-a2a-go 0.0.3: see package tour.
package main

import (
	"os"

	"rialto/a2a/a2atest/peers/v01"
	"rialto/a2a/a2atest/tour"
)

func main() { tour.Peer{Serve: v01.Serve, Dial: v01.Dial}.Main(os.Args[1:]) }
