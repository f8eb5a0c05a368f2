package main

import (
	"bytes"
	"crypto/subtle"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// era is how a client calls.
type era string

const (
	legacy era = "2025-11-25"
	modern era = "2026-07-28"
)

// outcome is what was measured. Allocations are those of the client as well,
// which is the same for all.
type outcome struct {
	rate, allocations float64
	p50, p99          time.Duration
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

// caller is one client.
type caller struct {
	http    *http.Client
	url     string
	era     era
	session string
}

const meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// begin does what a client does before its first call.
func (c *caller) begin() error {
	if c.era == modern {
		return nil
	}
	res, _, err := c.post("initialize", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	if err != nil {
		return err
	}
	c.session = res.Header.Get("Mcp-Session-Id")
	_, _, err = c.post("notifications/initialized", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return err
}

func (c *caller) call() error {
	extra := ""
	if c.era == modern {
		extra = meta
	}
	_, body, err := c.post("tools/call",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}`+extra+`}}`)
	if err == nil && !bytes.Contains(body, []byte(`"text":"hello"`)) {
		err = fmt.Errorf("got %s", body)
	}
	return err
}

func (c *caller) post(method, body string) (*http.Response, []byte, error) {
	r, err := http.NewRequest(http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Authorization": {"Bearer " + token},
	}
	if method != "initialize" {
		r.Header.Set("Mcp-Protocol-Version", string(c.era))
	}
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	if c.era == modern {
		r.Header.Set("Mcp-Method", method)
		r.Header.Set("Mcp-Name", "echo")
	}
	res, err := c.http.Do(r)
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
		callers[i] = &caller{http: &http.Client{Transport: &http.Transport{}}, url: srv.URL + "/mcp", era: e}
		if err := callers[i].begin(); err != nil {
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
	begun := time.Now()
	for i, c := range callers {
		all.Go(func() {
			for errs[i] == nil && time.Since(begun) < period {
				one := time.Now()
				errs[i] = c.call()
				times[i] = append(times[i], time.Since(one))
			}
			c.http.CloseIdleConnections()
		})
	}
	all.Wait()
	took := time.Since(begun)
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
		p50: sorted[n/2].Round(time.Microsecond), p99: sorted[n*99/100].Round(time.Microsecond),
	}, nil
}
