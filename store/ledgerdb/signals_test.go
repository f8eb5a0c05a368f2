package ledgerdb

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"testing"

	"rialto/bridge/ledger"
	"rialto/oauth/oauthtest"
	"rialto/store/sqldb"
)

// TestReplicasReceiveSignals sends from one to another until it is heard: a
// signal that comes before the other listens is lost.
func TestReplicasReceiveSignals(t *testing.T) {
	dsn := oauthtest.PostgresSchema(t)
	here, there := open(t, dsn), open(t, dsn)
	ctx, stop := context.WithCancel(t.Context())
	heard, done := make(chan ledger.Signal, 1000), make(chan struct{})
	go func() {
		defer close(done)
		there.Signals(slog.New(slog.DiscardHandler)).Listen(ctx, func(s ledger.Signal) {
			select {
			case heard <- s:
			default:
			}
		})
	}()
	want := ledger.Signal{About: ledger.AboutTask, Handle: t.Name(), Owner: "somebody \"else\"", From: "here"}
	for got := (ledger.Signal{}); got != want; {
		if err := here.Signals(nil).Send(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		select {
		case got = <-heard:
		default:
		}
	}
	stop()
	<-done
	if err := there.sql.Read.PingContext(t.Context()); err != nil {
		t.Errorf("after listening: %v", err)
	}
}

// TestALostConnectionToReplicasIsLogged ends the connection that listens. What it was lost
// for was thrown away, each second.
func TestALostConnectionToReplicasIsLogged(t *testing.T) {
	name := rand.Text()
	db := open(t, oauthtest.PostgresSchema(t)+"&application_name="+name)
	said := make(lines, 100)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		db.Signals(slog.New(slog.NewTextHandler(said, nil))).Listen(ctx, func(ledger.Signal) {})
	}()
	const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN ` + signalChannel + `' AND application_name = $1`
	for ended := int64(0); ended == 0; { // until it listens
		var err error
		if ended, err = sqldb.Changed(t.Context(), db.sql.Read, end, name); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-said; !strings.Contains(got, "the connection to other replicas is lost") || !strings.Contains(got, "57P01") {
		t.Errorf("got the log %q, want that the connection is lost, and why", got)
	}
	if got := <-said; !strings.Contains(got, "replicas is back") {
		t.Errorf("got the log %q, want that the connection is back", got)
	}
	stop()
	<-done
}

func TestSQLiteHasNoSignals(t *testing.T) {
	if s := openTemp(t).Signals(nil); s != nil {
		t.Errorf("got %v", s)
	}
}
