package store_test

import (
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/internal/usage"
	"rialto/oauth/oauthtest"
)

// counted is a listener in front of PostgreSQL that counts round trips: how often a client writes
// after the server has.
type counted struct {
	net.Listener
	server string
	trips  atomic.Int64
}

// countTrips returns the address of a database through a listener that counts.
func countTrips(t *testing.T, dsn string) (string, *counted) {
	u, err := url.Parse(dsn)
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	c := &counted{Listener: l, server: u.Host}
	go c.serve()
	u.Host = l.Addr().String()
	return u.String(), c
}

func (c *counted) serve() {
	for {
		client, err := c.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", c.server)
		if err != nil {
			client.Close()
			return
		}
		var answered atomic.Bool
		answered.Store(true)
		go pass(server, client, func() {
			if answered.Swap(false) {
				c.trips.Add(1)
			}
		})
		go pass(client, server, func() { answered.Store(true) })
	}
}

// pass copies one way of a connection, and calls heard before each piece.
func pass(to, from net.Conn, heard func()) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		heard()
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// TestRoundTrips pins what the tasks of instant agents cost on PostgreSQL: each round trip waits for
// the network, and each that writes outside a transaction for the disk.
func TestRoundTrips(t *testing.T) {
	dsn, trips := countTrips(t, oauthtest.PostgresSchema(t))
	db := open(t, dsn)
	signals := db.Ledger.Signals(slog.New(slog.DiscardHandler))
	added := 0
	task := func(idle bool) *ledger.Record {
		added++
		now := time.Now().Truncate(time.Millisecond)
		return &ledger.Record{
			Handle: fmt.Sprint("task ", added), Owner: "alice", Agent: "echo", MessageID: "m", Idle: idle,
			Created: now, Updated: now,
			Task: &a2a.Task{ID: "1", Status: a2a.Status{State: a2a.Completed}},
		}
	}
	running := task(false)
	must(t, db.Ledger.AddTask(t.Context(), running, "replica", 1000))
	for _, c := range []struct {
		what string
		do   func() error
		want int64
	}{
		{"a task that has ended", func() error { return db.Ledger.AddTask(t.Context(), task(true), "replica", 1000) }, 1},
		{"a task that runs", func() error { return db.Ledger.AddTask(t.Context(), task(false), "replica", 10_000) }, 1},
		{"a change of a task", func() error { return db.Ledger.SaveTask(t.Context(), running, "replica") }, 1},
		{"signals", func() error { return signals.Send(t.Context(), make([]ledger.Signal, 50)...) }, 1},
		{"the records of 55 calls", func() error { // BEGIN, three statements for calls and two for sums, COMMIT
			calls := make([]usage.Record, 55)
			for i := range calls {
				added++
				calls[i] = call(added)
			}
			return db.Records.AddCalls(t.Context(), calls)
		}, 7},
	} {
		got := int64(math.MaxInt64)
		for range 4 { // the first prepares the statements, and each second the network is probed
			before := trips.trips.Load()
			must(t, c.do())
			got = min(got, trips.trips.Load()-before)
		}
		if got != c.want {
			t.Errorf("%s: got %d round trips, want %d", c.what, got, c.want)
		}
	}
}
