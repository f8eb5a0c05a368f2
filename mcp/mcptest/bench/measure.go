package main

import (
	"bufio"
	"bytes"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// era is how a client calls.
type era string

const (
	legacy era = "2025-11-25"
	modern era = "2026-07-28"
)

// outcome is what was measured. Allocations and processor time are those of the
// client as well, which is the same for all. On a machine that has other work to
// do the processor time tells more than the rate.
type outcome struct {
	rate, allocations float64
	p50, p99          time.Duration
	cpu               time.Duration // of a call
}

// processorTime returns what the process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails only for arguments that are wrong
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const token = "a-token-that-nobody-knows"

// guarded lets in who has the token.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(got), []byte(token)) != 1 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// caller is one client: a connection, and the bytes of its call, made before.
// It does little else than the server makes it do, so that what is measured is
// the server and not a client.
type caller struct {
	conn    net.Conn
	in      *bufio.Reader
	era     era
	session string
	request []byte
}

const meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// begin connects, and does what a client does before its first call.
func (c *caller) begin(addr string) (err error) {
	if c.conn, err = net.Dial("tcp", addr); err != nil {
		return err
	}
	c.in = bufio.NewReader(c.conn)
	extra := meta
	if c.era == legacy {
		if err := c.initialize(); err != nil {
			return err
		}
		extra = ""
	}
	c.request = c.message("tools/call",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}`+extra+`}}`)
	return nil
}

func (c *caller) initialize() error {
	res, _, err := c.post(c.message("initialize", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`))
	if err != nil {
		return err
	}
	c.session = res.Header.Get("Mcp-Session-Id")
	_, _, err = c.post(c.message("notifications/initialized", `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return err
}

// call makes one call. Of the answer it reads as much as a load generator does:
// where it ends, and whether it is the one.
func (c *caller) call() error {
	if _, err := c.conn.Write(c.request); err != nil {
		return err
	}
	length := -1
	for i := 0; ; i++ {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if i == 0 && !bytes.HasPrefix(line, []byte("HTTP/1.1 200 ")) {
			return fmt.Errorf("got %s", line)
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
		if len(line) == 2 {
			break
		}
	}
	if length < 0 {
		return errors.New("got an answer without Content-Length")
	}
	body, err := c.in.Peek(length)
	if err == nil && !bytes.Contains(body, []byte(`"text":"hello"`)) {
		err = fmt.Errorf("got %s", body)
	}
	_, _ = c.in.Discard(length) // it is in the buffer
	return err
}

// message returns a request as it goes over the wire.
func (c *caller) message(method, body string) []byte {
	header := "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench/1\r\nContent-Type: application/json\r\n" +
		"Accept: application/json, text/event-stream\r\nAuthorization: Bearer " + token + "\r\n"
	if method != "initialize" {
		header += "Mcp-Protocol-Version: " + string(c.era) + "\r\n"
	}
	if c.session != "" {
		header += "Mcp-Session-Id: " + c.session + "\r\n"
	}
	if c.era == modern {
		header += "Mcp-Method: " + method + "\r\nMcp-Name: echo\r\n"
	}
	return fmt.Appendf(nil, "%sContent-Length: %d\r\n\r\n%s", header, len(body), body)
}

func (c *caller) post(request []byte) (*http.Response, []byte, error) {
	if _, err := c.conn.Write(request); err != nil {
		return nil, nil, err
	}
	res, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 400 {
		err = fmt.Errorf("%s: %s", res.Status, b)
	}
	return res, b, err
}

// measure calls the server from a number of clients for a time.
func measure(h http.Handler, e era, clients int, period time.Duration) (outcome, error) {
	srv := httptest.NewServer(guarded(h))
	defer srv.Close()
	callers := make([]*caller, clients)
	for i := range callers {
		callers[i] = &caller{era: e}
		if err := callers[i].begin(srv.Listener.Addr().String()); err != nil {
			return outcome{}, err
		}
		for range 20 { // warm up
			if err := callers[i].call(); err != nil {
				return outcome{}, err
			}
		}
	}
	return run(callers, period)
}

func run(callers []*caller, period time.Duration) (outcome, error) {
	var (
		all    sync.WaitGroup
		times  = make([][]time.Duration, len(callers))
		errs   = make([]error, len(callers))
		before runtime.MemStats
		after  runtime.MemStats
	)
	runtime.GC()
	runtime.ReadMemStats(&before)
	begun, used := time.Now(), processorTime()
	for i, c := range callers {
		all.Go(func() {
			for last := begun; errs[i] == nil && last.Sub(begun) < period; {
				errs[i] = c.call()
				now := time.Now() // once a call, for it is not free
				times[i] = append(times[i], now.Sub(last))
				last = now
			}
			c.conn.Close()
		})
	}
	all.Wait()
	took, used := time.Since(begun), processorTime()-used
	runtime.ReadMemStats(&after)
	for _, err := range errs {
		if err != nil {
			return outcome{}, err
		}
	}
	sorted := slices.Concat(times...)
	slices.Sort(sorted)
	n := len(sorted)
	return outcome{
		rate: float64(n) / took.Seconds(), allocations: float64(after.Mallocs-before.Mallocs) / float64(n),
		cpu: (used / time.Duration(n)).Round(100 * time.Nanosecond),
		p50: sorted[n/2].Round(time.Microsecond), p99: sorted[n*99/100].Round(time.Microsecond),
	}, nil
}
