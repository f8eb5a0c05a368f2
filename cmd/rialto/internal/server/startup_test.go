package server

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/cmd/rialto/internal/config"
	"rialto/oauth/oauthtest"
)

// TestAStartWaitsForPostgreSQL starts a server whose database refuses connections at first, as it does
// when the machine has just started. The start ended after 0.08 s, and systemd gave up after five.
func TestAStartWaitsForPostgreSQL(t *testing.T) {
	database, err := url.Parse(oauthtest.PostgresSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	behind := database.Host
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	database.Host = free.Addr().String()
	free.Close()
	cfg := config.Demo(t.TempDir())
	cfg.Storage.Database = database.String()
	cfg.Storage.Secret = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	opened := sync.OnceFunc(func() { forward(t, database.Host, behind) })
	s, err := New(t.Context(), cfg, slog.New(onRecord(func(r slog.Record) {
		if strings.Contains(r.Message, "trying again") {
			opened()
		}
	})))
	if err != nil {
		t.Fatalf("got %v from a start before the database", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestAStartEndsWithoutPostgreSQL(t *testing.T) {
	cfg := config.Demo(t.TempDir())
	cfg.Storage.Database = "postgres://u@127.0.0.1:1/x"
	cfg.Storage.Secret = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	cfg.Serving.StartupTimeout = 10 * time.Millisecond
	if _, err := New(t.Context(), cfg, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("got %v from a database that refuses connections", err)
	}
}

// cable passes what is sent on, unless it is frozen.
type cable struct{ frozen sync.RWMutex }

// forward passes connections to an address on to another one. It returns where it listens.
func forward(t *testing.T, from, to string) (string, *cable) {
	c := &cable{}
	l, err := net.Listen("tcp", from)
	if err != nil {
		t.Error(err)
		return "", c
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			go c.pass(far, near)
			go c.pass(near, far)
		}
	}()
	return l.Addr().String(), c
}

func (c *cable) pass(to, from net.Conn) {
	defer to.Close()
	_, _ = io.Copy(to, readerFunc(func(b []byte) (int, error) {
		n, err := from.Read(b)
		c.frozen.RLock()
		defer c.frozen.RUnlock()
		return n, err
	}))
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// throughCable returns the address of a database behind a cable.
func throughCable(t *testing.T, dsn string) (string, *cable) {
	database, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	address, c := forward(t, "127.0.0.1:0", database.Host)
	database.Host = address
	return database.String(), c
}

// onRecord is a log that calls a function with each record.
type onRecord func(slog.Record)

func (f onRecord) Enabled(context.Context, slog.Level) bool { return true }

func (f onRecord) Handle(_ context.Context, r slog.Record) error {
	f(r)
	return nil
}

func (f onRecord) WithAttrs([]slog.Attr) slog.Handler { return f }

func (f onRecord) WithGroup(string) slog.Handler { return f }
