package stdio_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rialto/cmd/rialto/internal/login"
	"rialto/cmd/rialto/internal/stdio"
)

// host is a program that has launched the proxy.
type host struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	done  chan error
	err   bytes.Buffer // to be read after done
}

func launch(t *testing.T, l *login.Login) *host {
	t.Helper()
	h := &host{t: t, lines: make(chan string, 1000), done: make(chan error, 1)}
	in, w := io.Pipe()
	h.in = w
	out, ow := io.Pipe()
	p := &stdio.Proxy{URL: l.URL, Login: l, Command: "rialto call", Err: &h.err}
	l.Err = io.Discard
	go func() {
		defer close(h.lines)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			h.lines <- line
		}
	}()
	go func() {
		err := p.Run(context.Background(), in, ow)
		ow.Close()
		h.done <- err
	}()
	t.Cleanup(func() { w.Close() })
	return h
}

// open launches the proxy for a server that wants no login.
func open(t *testing.T, server http.Handler) *host {
	t.Helper()
	s := httptest.NewServer(server)
	t.Cleanup(s.Close)
	return launch(t, &login.Login{URL: s.URL, Token: "none"})
}

func (h *host) send(line string, args ...any) { fmt.Fprintf(h.in, line+"\n", args...) }

// message is a message that came back.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

func (h *host) next() (m message) {
	h.t.Helper()
	select {
	case line, ok := <-h.lines:
		err := json.Unmarshal([]byte(line), &m)
		if !ok || err != nil || !strings.Contains(line, `"jsonrpc":"2.0"`) {
			h.t.Fatalf("got the line %q", line)
		}
	case <-time.After(10 * time.Second):
		h.t.Fatal("no message came")
	}
	return m
}

// answer returns the answer to an id, and drops notifications before it.
func (h *host) answer(id string) message {
	h.t.Helper()
	for {
		m := h.next()
		if m.Method == "" && string(m.ID) == id {
			return m
		}
		if m.Method == "" {
			h.t.Fatalf("got an answer to %s, want one to %s", m.ID, id)
		}
	}
}

// end closes the host's end and returns what was left, and the error of the proxy.
func (h *host) end() (left []string, err error) {
	h.t.Helper()
	h.in.Close()
	select {
	case err = <-h.done:
	case <-time.After(5 * time.Second):
		h.t.Fatal("the proxy does not end")
	}
	for line := range h.lines {
		left = append(left, line)
	}
	return left, err
}

const (
	meta  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}}`
)

// greet makes the handshake of the older era.
func (h *host) greet() {
	h.t.Helper()
	h.send(hello)
	if m := h.answer("0"); m.Error != nil {
		h.t.Fatal(m.Error)
	}
	h.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (m message) has(text string) bool { return strings.Contains(string(m.Result), text) }
