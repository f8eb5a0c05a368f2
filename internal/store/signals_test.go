package store

import (
	"context"
	"testing"

	"rialto/bridge"
	"rialto/oauth/oauthtest"
)

// TestReplicasHearEachOther sends from one to another until it is heard: a
// signal that comes before the other listens is lost.
func TestReplicasHearEachOther(t *testing.T) {
	dsn := oauthtest.PostgresSchema(t)
	here, there := open(t, dsn), open(t, dsn)
	ctx, stop := context.WithCancel(t.Context())
	heard, done := make(chan bridge.Signal, 1000), make(chan struct{})
	go func() {
		defer close(done)
		there.Signals().Listen(ctx, func(s bridge.Signal) {
			select {
			case heard <- s:
			default:
			}
		})
	}()
	want := bridge.Signal{About: bridge.AboutTask, Handle: t.Name(), Owner: "somebody \"else\"", From: "here"}
	for got := (bridge.Signal{}); got != want; {
		if err := here.Signals().Send(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		select {
		case got = <-heard:
		default:
		}
	}
	stop()
	<-done
	if err := there.Ping(t.Context()); err != nil {
		t.Errorf("after listening: %v", err)
	}
}

func TestSQLiteHasNobodyToSignal(t *testing.T) {
	if s := openTemp(t).Signals(); s != nil {
		t.Errorf("got %v", s)
	}
}
