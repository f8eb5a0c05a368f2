// Package stdio passes MCP messages between a program that launches commands and a server at a URL
// (Streamable HTTP). Messages pass as they are, with their ids, and the two speak the revision that
// they agree on; only files named by their paths are replaced (files.go). It knows what a transport
// has to: the headers that repeat a body, what ends a stream, and the session of revisions before
// 2026-07-28.
package stdio

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"rialto/bridge/sanitize"
	"rialto/cmd/rialto/internal/login"
	"rialto/internal/jsonrpc"
)

// ErrUnreachable is returned if the server did not answer the last request.
var ErrUnreachable = errors.New("couldn't reach the server")

// Bounds on messages and waits.
const (
	maxMessage  = 32 << 20 // bytes
	maxInFlight = 256      // requests at a time
)

// Times that the proxy waits.
const (
	loginPatience = 25 * time.Second       // hosts give a server 30 s or more for its first answer
	endPatience   = 900 * time.Millisecond // for answers after the host has closed its end
	firstTimeout  = 30 * time.Second       // for the answer to initialize, and to requests of the proxy
	probeTimeout  = 10 * time.Second       // for the answer to server/discover: the host tries the older era next
)

// Proxy connects one host to one server. All fields but Files are required.
type Proxy struct {
	URL     string
	Login   *login.Login
	Command string // that logs in beforehand
	Err     io.Writer
	Files   *os.Root // calls may name its files by their paths; it was opened by an absolute path. nil: none

	http    *http.Client
	out     output
	session session
	tools   toolHeaders
	asked   atomic.Int64 // requests of the proxy's own
	offered sync.Map     // names of the tools that were listed as taking paths

	mu       sync.Mutex
	inFlight map[jsonrpc.ID]*call
	failure  error // the error of the last exchange; nil if the server answered
	requests sync.WaitGroup
}

// output writes messages to the host, one a line.
type output struct {
	mu   sync.Mutex
	w    io.Writer
	stop context.CancelCauseFunc // if the host does not read
}

func (o *output) write(raw []byte) {
	if bytes.ContainsAny(raw, "\r\n") {
		var line bytes.Buffer
		if json.Compact(&line, raw) != nil {
			return // messages have been validated
		}
		raw = line.Bytes()
	}

	o.mu.Lock()
	defer o.mu.Unlock()
	_, err := o.w.Write(append(bytes.TrimSpace(raw), '\n'))
	if err != nil {
		o.stop(err)
	}
}

// Run passes messages until the host closes in or ctx ends. It returns why the last exchange with
// the server failed, if it did.
func (p *Proxy) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	jar, err := cookiejar.New(nil) // a load balancer may bind a session to a server by a cookie
	if err != nil {
		return err
	}
	p.Login.Patience = loginPatience
	p.http = p.Login.Client()
	p.http.Jar = jar
	p.out = output{w: out, stop: stop}
	p.inFlight = map[jsonrpc.ID]*call{}

	ended := make(chan error, 1)
	go func() { ended <- p.read(ctx, in) }()
	select {
	case err = <-ended:
		p.drain(ctx)
	case <-ctx.Done():
	}
	stop(nil)
	p.endSession(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	return cmp.Or(err, p.failure)
}

// drain waits for the answers to come.
func (p *Proxy) drain(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		p.requests.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(endPatience):
	case <-ctx.Done():
	}
}

// read reads the messages of the host.
func (p *Proxy) read(ctx context.Context, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		p.take(ctx, bytes.Clone(lines.Bytes()))
	}

	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = jsonrpc.Errorf(
			jsonrpc.CodeInvalidRequest, "a message has more than %d MiB", maxMessage>>20,
		)
		p.refuse(jsonrpc.Null, err)
	}

	return err
}

// take passes a message of the host on.
func (p *Proxy) take(ctx context.Context, line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}

	m, err := parse(line)
	switch {
	case err != nil:
		p.refuse(jsonrpc.Null, err)
	case m.method == "notifications/cancelled":
		p.cancel(ctx, m)
	case m.method == "notifications/initialized": // what follows may rely on it
		p.notify(ctx, m)
		p.session.initialized(ctx, p)
	case m.isRequest():
		p.begin(ctx, m)
	default:
		p.requests.Go(func() { p.notify(ctx, m) })
	}
}

// begin answers a request beside the others.
func (p *Proxy) begin(ctx context.Context, m *message) {
	c := &call{message: m}
	ctx, c.end = context.WithCancel(ctx)
	p.mu.Lock()
	full := len(p.inFlight) >= maxInFlight
	_, twice := p.inFlight[m.id]
	if !full && !twice {
		p.inFlight[m.id] = c
	}

	p.mu.Unlock()
	if full || twice {
		c.end()
		p.refuse(m.id, jsonrpc.Errorf(
			jsonrpc.CodeInvalidRequest, "too many requests at a time, or an id in use",
		))
		return
	}

	p.requests.Go(func() {
		defer c.end()
		err := p.answer(ctx, c)
		p.free(c)
		p.mu.Lock()
		p.failure = kindOf(err)
		p.mu.Unlock()
		if err != nil && !c.canceled.Load() {
			p.refuse(m.id, err)
		}
	})
}

// free frees the id of a call. The host may use it again as soon as it gets the answer, so that is
// written afterwards.
func (p *Proxy) free(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inFlight[c.id] == c {
		delete(p.inFlight, c.id)
	}
}

// cancel ends a request. Since 2026-07-28 the end of its stream tells the server; before, a
// notification does.
func (p *Proxy) cancel(ctx context.Context, m *message) {
	var params struct {
		ID jsonrpc.ID `json:"requestId"`
	}
	_ = json.Unmarshal(m.params, &params) // else it names no request
	p.mu.Lock()
	c := p.inFlight[params.ID]
	p.mu.Unlock()
	if c != nil {
		c.canceled.Store(true) // the host wants no answer
	}
	if c != nil && c.modern() {
		c.end()
		return
	}

	p.requests.Go(func() {
		p.notify(ctx, m)
		if c != nil {
			c.end()
		}
	})
}

// notify posts a message that gets no answer: a notification, or the answer of the host to a
// request of the server.
func (p *Proxy) notify(ctx context.Context, m *message) {
	ctx, cancel := context.WithTimeout(ctx, firstTimeout)
	defer cancel()
	r, err := p.post(ctx, m)
	if err == nil {
		r.body.Close()
		err = r.refusal()
	}
	if err != nil {
		p.log("%s: %v", cmp.Or(m.method, "an answer"), err)
	}
}

// refuse answers a request with an error.
func (p *Proxy) refuse(id jsonrpc.ID, err error) {
	p.log("%s: %v", p.URL, err)
	e := jsonrpc.Errorf(jsonrpc.CodeInternal, "%s: %v", p.URL, err)
	own, ok := errors.AsType[*jsonrpc.Error](err)
	if ok {
		e = own
	}
	if errors.Is(err, login.ErrRequired) {
		e.Message = "The server wants a login. You can also log in beforehand: " + p.Command + "\n" + e.Message
	}

	pending, ok := errors.AsType[*login.PendingError](err)
	if ok && pending.Link != "" {
		e.Data = append(jsonrpc.AppendString([]byte(`{"url":`), pending.Link), '}')
	}

	p.out.write((&jsonrpc.Response{ID: id, Error: e}).Append(nil))
}

func (p *Proxy) log(format string, args ...any) {
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	fmt.Fprintln(p.Err, sanitize.Text(fmt.Sprintf(format, args...)))
}
