// Command kitagent runs the agent that the public A2A compatibility kit (TCK)
// expects: the id of a message selects the answer.
//
//	go run ./a2a/a2atest/kitagent --listen 127.0.0.1:9999 --grpc 127.0.0.1:9998
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

	"rialto/a2a"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2aserver"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:9999", "`HOST:PORT` to listen on")
	url := flag.String("url", "", "`address` for the agent's card, when it differs from --listen")
	calls := flag.String("grpc", "", "`HOST:PORT` to listen on for gRPC, too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *listen, *url, *calls); err != nil {
		log.Fatal(err)
	}
}

// serve serves the agent until ctx ends, over gRPC too unless calls is "".
func serve(ctx context.Context, listen, url, calls string) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	if url == "" {
		url = "http://" + l.Addr().String()
	}
	agent := newKit()
	defer agent.Close()
	face := &a2aserver.Server{Agent: agent, Card: card(), URL: url, Lists: true}
	if calls != "" {
		ctx, stop := context.WithCancel(ctx)
		stopped, err := serveGRPC(ctx, face, calls)
		if err != nil {
			stop()
			return err
		}
		defer func() { stop(); <-stopped }()
	}
	s := &http.Server{Handler: face, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { s.Close() })()
	fmt.Println("The kit agent listens at", url)
	if err := s.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// serveGRPC has face answer over gRPC as well, and says so on its card. It
// closes stopped when that ends, with ctx.
func serveGRPC(ctx context.Context, face *a2aserver.Server, listen string) (stopped <-chan struct{}, err error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	for _, version := range []a2a.Generation{a2a.V10, a2a.V03} {
		face.Others = append(face.Others, a2a.Interface{URL: l.Addr().String(), Binding: a2a.GRPC, Version: version})
	}
	calls := &a2agrpc.Server{Handler: http.HandlerFunc(face.ServeGRPC)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := calls.Serve(ctx, l); err != nil {
			log.Print("gRPC: ", err)
		}
	}()
	return done, nil
}
