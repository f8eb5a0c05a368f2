package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

// era is how a client calls.
type era string

const (
	legacy era = "2025-11-25"
	modern era = "2026-07-28"
)

// outcome is what was measured. On a machine that has other work to do the
// processor time tells more than the rate.
type outcome struct {
	rate, allocations float64
	p50, p99          time.Duration
	processor         time.Duration // of a call
	peak              int64         // bytes of memory, at most
}

// caller is one client: a connection, and the bytes of its call, made before.
type caller struct {
	conn    net.Conn
	in      *bufio.Reader
	era     era
	token   string
	session string
	request []byte
}

const meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// begin connects, does what a client does before its first call, and prepares
// one that sends a message.
func (c *caller) begin(addr, message string) (err error) {
	if c.conn, err = net.Dial("tcp", addr); err != nil {
		return err
	}
	c.in = bufio.NewReader(c.conn)
	extra := meta
	if c.era == legacy {
		extra = ""
		if err := c.initialize(); err != nil {
			return err
		}
	}
	c.request = c.bytes("tools/call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_task","arguments":{"message":"`+message+`"}`+extra+`}}`)
	return nil
}

func (c *caller) initialize() error {
	res, err := c.post(c.bytes("initialize", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`))
	if err != nil {
		return err
	}
	c.session = res.Header.Get("Mcp-Session-Id")
	_, err = c.post(c.bytes("notifications/initialized", `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return err
}

// bytes returns a request as it goes over the wire.
func (c *caller) bytes(method, body string) []byte {
	header := "POST /mcp HTTP/1.1\r\nHost: " + c.conn.RemoteAddr().String() + "\r\nUser-Agent: bench/1\r\nContent-Type: application/json\r\n" +
		"Accept: application/json, text/event-stream\r\nAuthorization: Bearer " + c.token + "\r\n"
	if method != "initialize" {
		header += "Mcp-Protocol-Version: " + string(c.era) + "\r\n"
	}
	if c.session != "" {
		header += "Mcp-Session-Id: " + c.session + "\r\n"
	}
	if c.era == modern {
		header += "Mcp-Method: " + method + "\r\nMcp-Name: send_task\r\n"
	}
	return fmt.Appendf(nil, "%sContent-Length: %d\r\n\r\n%s", header, len(body), body)
}

func (c *caller) post(request []byte) (*http.Response, error) {
	if _, err := c.conn.Write(request); err != nil {
		return nil, err
	}
	res, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 400 {
		err = fmt.Errorf("%s: %s", res.Status, b)
	}
	return res, err
}

// call makes the call, and reads as much of the answer as tells whether it is
// the one.
func (c *caller) call(want string) error {
	if _, err := c.conn.Write(c.request); err != nil {
		return err
	}
	length, chunked := -1, false
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
		chunked = chunked || bytes.HasPrefix(line, []byte("Transfer-Encoding: chunked"))
		if len(line) == 2 {
			break
		}
	}
	if chunked {
		return c.stream(want)
	}
	if length < 0 {
		return errors.New("got an answer that does not say how long it is")
	}
	body, err := c.in.Peek(length)
	if err == nil && !bytes.Contains(body, []byte(want)) {
		err = fmt.Errorf("got %s", body)
	}
	_, _ = c.in.Discard(length) // it is in the buffer
	return err
}

// stream reads an answer that is a stream.
func (c *caller) stream(want string) error {
	body, err := io.ReadAll(httputil.NewChunkedReader(c.in))
	if err != nil {
		return err
	}
	if !bytes.Contains(body, []byte(want)) {
		return fmt.Errorf("got %s", body)
	}
	_, err = c.in.Discard(2) // the line in which the trailers end
	return err
}

const hello = `"text":"hello"` // as an answer says it

// measure calls a new server from a number of clients for a time.
func (o *options) measure(s server, e era) (outcome, error) {
	r, err := s.start(e, o.clients)
	if err != nil {
		return outcome{}, err
	}
	defer r.stop()
	callers := make([]*caller, o.clients)
	for i := range callers {
		callers[i] = &caller{era: e, token: r.tokens[i%len(r.tokens)]}
		if err := callers[i].begin(r.addr, "hello"); err != nil {
			return outcome{}, err
		}
		defer callers[i].conn.Close()
	}
	if _, err := run(callers, o.period/10); err != nil { // warm up
		return outcome{}, err
	}
	before, err := r.used(false)
	if err != nil {
		return outcome{}, err
	}
	var stop func() error
	if o.profile != "" {
		stop = r.profile(o.profile, o.period)
	}
	begun := time.Now()
	times, err := run(callers, o.period)
	took := time.Since(begun)
	if err != nil {
		return outcome{}, err
	}
	if stop != nil {
		err = stop()
	}
	after, failed := r.used(false)
	if err := errors.Join(err, failed); err != nil {
		return outcome{}, err
	}
	n := len(times)
	return outcome{
		rate: float64(n) / took.Seconds(), allocations: float64(after.Mallocs-before.Mallocs) / float64(n),
		processor: ((after.Processor - before.Processor) / time.Duration(n)).Round(time.Microsecond), peak: after.Peak,
		p50: times[n/2].Round(10 * time.Microsecond), p99: times[n*99/100].Round(10 * time.Microsecond),
	}, nil
}

// profile has the server write its processor profile meanwhile.
func (r *running) profile(file string, period time.Duration) (stop func() error) {
	done := make(chan error, 1)
	go func() {
		res, err := r.probe.Get(fmt.Sprintf("http://probe/debug/pprof/profile?seconds=%d", max(1, int(period.Seconds()))))
		if err != nil {
			done <- err
			return
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		done <- errors.Join(err, os.WriteFile(file, b, 0o600))
	}()
	return func() error { return <-done }
}

// run calls from all clients for a time, and returns how long each call took,
// the shortest first.
func run(callers []*caller, period time.Duration) ([]time.Duration, error) {
	var all sync.WaitGroup
	times, errs := make([][]time.Duration, len(callers)), make([]error, len(callers))
	begun := time.Now()
	for i, c := range callers {
		all.Go(func() {
			for errs[i] == nil && time.Since(begun) < period {
				one := time.Now()
				errs[i] = c.call(hello)
				times[i] = append(times[i], time.Since(one))
			}
		})
	}
	all.Wait()
	sorted := slices.Concat(times...)
	slices.Sort(sorted)
	return sorted, errors.Join(errs...)
}

// wait has calls wait at a new server, and returns its memory before them, and
// while the agent has all of them.
func (o *options) wait(s server, agent *agent) (before, during int64, err error) {
	r, err := s.start(modern, o.waiting)
	if err != nil {
		return 0, 0, err
	}
	defer r.stop()
	first := &caller{era: modern, token: r.tokens[0]}
	if err := first.begin(r.addr, "hello"); err != nil {
		return 0, 0, err
	}
	defer first.conn.Close()
	if err := first.call(hello); err != nil {
		return 0, 0, err
	}
	idle, err := r.used(true)
	if err != nil {
		return 0, 0, err
	}
	ended := make(chan error, o.waiting)
	for i := range o.waiting {
		c := &caller{era: modern, token: r.tokens[i%len(r.tokens)]}
		if err := c.begin(r.addr, "wait"); err != nil {
			return 0, 0, err
		}
		go func() {
			defer c.conn.Close()
			ended <- c.call(`"text":"wait"`)
		}()
	}
	for agent.waiting.Load() < int64(o.waiting) {
		select {
		case err := <-ended:
			return 0, 0, fmt.Errorf("a call ended before the agent was done: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	busy, err := r.used(true)
	agent.release()
	for range o.waiting {
		err = errors.Join(err, <-ended)
	}
	return idle.Memory, busy.Memory, err
}
