// Command peer is an agent, or a client, of trpc-a2a-go 0.2.5: see package tour.
package main

import (
	"os"

	"rialto/a2a/a2atest/peers/v02"
	"rialto/a2a/a2atest/tour"
)

func main() { tour.Peer{Serve: v02.Serve, Dial: v02.Dial}.Main(os.Args[1:]) }
