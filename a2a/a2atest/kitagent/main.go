// Command kitagent runs the agent that the public A2A compatibility kit (TCK)
// expects before it: the id of a message says what becomes of it.
//
//	go run ./a2a/a2atest/kitagent --listen 127.0.0.1:9999
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"rialto/a2a/a2aserver"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:9999", "`HOST:PORT` to listen on")
	url := flag.String("url", "", "`address` for the agent's card, when it differs from --listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *listen, *url); err != nil {
		log.Fatal(err)
	}
}

// serve serves the agent until ctx ends.
func serve(ctx context.Context, listen, url string) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	if url == "" {
		url = "http://" + l.Addr().String()
	}
	agent := newKit()
	defer agent.Close()
	s := &http.Server{
		Handler:           &a2aserver.Server{Agent: agent, Card: card(), URL: url, Lists: true},
		ReadHeaderTimeout: 10 * time.Second,
	}
	defer context.AfterFunc(ctx, func() { s.Close() })()
	fmt.Println("The kit agent listens at", url)
	if err := s.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}
