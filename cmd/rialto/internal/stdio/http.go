package stdio

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"strings"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/bridge/sanitize"
	"rialto/cmd/rialto/internal/login"
	"rialto/internal/jsonrpc"
	"rialto/internal/neterr"
	"rialto/internal/sse"
)

// reply is what the server answers to one HTTP request: a message, a stream, or neither.
type reply struct {
	status  int
	session string
	message *message
	events  *sse.Reader
	body    io.Closer
	text    string // the beginning of a body that is no message
}

// refusal returns an error for a reply that is no success.
func (r *reply) refusal() error {
	if r.status < http.StatusBadRequest {
		return nil
	}
	if r.message != nil && r.message.err != nil {
		return errors.New(sanitize.Label(string(r.message.err)))
	}
	status := fmt.Sprintf("%d %s", r.status, http.StatusText(r.status))
	return fmt.Errorf("the server answers %s %s", status, sanitize.Label(r.text))
}

// messages returns what is in a reply: a message, or those of a stream and the error that ends it.
func (r *reply) messages() iter.Seq2[*message, error] {
	return func(yield func(*message, error) bool) {
		switch {
		case r.message != nil:
			yield(r.message, nil)
			return
		case r.events == nil:
			err := fmt.Errorf("the server answers without a message: %s", sanitize.Label(r.text))
			yield(nil, cmp.Or(r.refusal(), err))
			return
		}
		for {
			event, err := r.events.Next()
			if err != nil {
				yield(nil, err)
				return
			}
			m, invalid := parse(event.Data)
			if invalid == nil && !yield(m, nil) {
				return
			}
		}
	}
}

// lostSession tells whether the server does not know the session of the request any more. The
// specification has 404 for that; servers on the TypeScript SDK answer 400.
func (r *reply) lostSession() bool {
	if r.status == http.StatusBadRequest && r.message != nil {
		return bytes.Contains(bytes.ToLower(r.message.err), []byte("session"))
	}
	return r.status == http.StatusNotFound
}

// post posts a message with the headers of its era.
func (p *Proxy) post(ctx context.Context, m *message) (*reply, error) {
	h := http.Header{}
	if m.modern() {
		p.tools.setHeaders(h, m)
	} else {
		p.session.setHeaders(h, m)
	}
	return p.send(ctx, m.raw, h)
}

// send posts a message. Close the body of the reply.
func (p *Proxy) send(ctx context.Context, raw []byte, h http.Header) (*reply, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	r.Header = h
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	return p.do(r)
}

// own returns a request of the proxy's own during a call of the host, in its era.
func (p *Proxy) own(c *call, method string, params map[string]any) *message {
	if c.modern() {
		params["_meta"], _ = c.meta()
	}
	encoded, err := json.Marshal(params)
	if err != nil {
		panic(err) // it has strings, numbers and JSON
	}
	id := jsonrpc.StringID(fmt.Sprint("rialto-", p.asked.Add(1)))
	request := &jsonrpc.Request{ID: id, Method: method, Params: encoded}
	return &message{raw: request.Append(nil), method: method, params: encoded}
}

// answer returns the answer in the reply to such a request.
func (r *reply) answer() (*message, error) {
	defer r.body.Close()
	for m, err := range r.messages() {
		if err != nil || m.isResponse() {
			return m, err
		}
	}
	return nil, errors.New("there is no answer")
}

// do sends a request. Close the body of the reply.
func (p *Proxy) do(r *http.Request) (*reply, error) {
	resp, err := p.http.Do(r)
	if err != nil {
		return nil, p.explain(err)
	}

	out := &reply{
		status:  resp.StatusCode,
		session: resp.Header.Get(gomcp.HeaderSessionID),
		body:    resp.Body,
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "text/event-stream" && resp.StatusCode == http.StatusOK {
		out.events = sse.NewReader(resp.Body)
		out.events.MaxEvent = maxMessage
		return out, nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage+1))
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if len(body) > maxMessage {
		return nil, fmt.Errorf("the server answers more than %d MiB", maxMessage>>20)
	}

	m, invalid := parse(body)
	if invalid == nil && m.isResponse() {
		out.message = m
	}

	out.text = string(body[:min(len(body), 200)])
	return out, nil
}

// explain says what an error of a request means.
func (p *Proxy) explain(err error) error {
	if errors.Is(err, login.ErrRequired) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, neterr.Explain(err))
}

// kindOf returns an error that says how the command ends if it is the last one, nil of the others.
func kindOf(err error) error {
	if errors.Is(err, login.ErrRequired) || errors.Is(err, ErrUnreachable) {
		return err
	}
	return nil
}

// timeouts bound the requests that a host makes first.
var timeouts = map[string]time.Duration{
	"initialize":      firstTimeout,
	"server/discover": probeTimeout,
}

// answer passes a request to the server, and what comes back to the host. If it returns an error,
// the host has had no answer.
func (p *Proxy) answer(ctx context.Context, c *call) error {
	if limit := timeouts[c.method]; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	if c.method == "initialize" {
		p.session.forget()
	}

	m, err := p.upload(ctx, c)
	if err != nil {
		return err
	}
	r, err := p.exchange(ctx, c, m)
	if err != nil {
		return err
	}

	if c.method == "initialize" {
		p.session.begin(c.message, r)
	}

	legacy := r.message == nil && r.status >= 400 && r.status < 500
	if c.method == "server/discover" && legacy { // a server that knows only sessions
		return jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "the server does not know server/discover")
	}

	return p.follow(ctx, c, r)
}

// exchange posts a request, of the host or of the proxy during a call of the host. It posts it
// again if the server had lost the session, or wants other headers.
func (p *Proxy) exchange(ctx context.Context, c *call, m *message) (*reply, error) {
	session := p.session.current()
	r, err := p.post(ctx, m)
	if err != nil {
		return nil, err
	}

	switch {
	case session != "" && !c.modern() && r.lostSession():
		err = p.session.renew(ctx, p, session)
	case c.modern() && r.message != nil && r.message.code() == gomcp.HEADER_MISMATCH:
		err = p.tools.learn(ctx, p, c)
	default:
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	return p.post(ctx, m)
}

// maxResumes bounds how often in a row the stream of a request is resumed without news.
const maxResumes = 5

// follow passes on what the server answers. A stream that breaks before the answer is resumed in a
// session, where events have ids; since 2026-07-28 it cannot be.
func (p *Proxy) follow(ctx context.Context, c *call, r *reply) error {
	last := ""
	for tries := 0; ; tries++ {
		answered, err := p.passAll(c, r)
		switch {
		case answered:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case r.events == nil:
			return err
		case c.modern() && c.method == "subscriptions/listen":
			p.free(c)
			p.out.write([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` +
				string(c.id) + `,"reason":"the connection to the server broke"}}`))
			return nil
		}
		if id := r.events.LastID(); id != last {
			last = id
			tries = 0
		}
		if c.modern() || last == "" || tries == maxResumes {
			return fmt.Errorf("%w: its answer broke off: %w", ErrUnreachable, err)
		}
		r, err = p.resume(ctx, r.events)
		if err != nil {
			return err
		}
	}
}

// passAll passes the messages of a reply on until the answer to c, or the end.
func (p *Proxy) passAll(c *call, r *reply) (answered bool, err error) {
	defer r.body.Close()
	for m, err := range r.messages() {
		if err != nil {
			return false, err
		}
		answered := c != nil && m.isResponse() && (r.events == nil || sameID(m.id, c.id))
		if answered && !sameID(m.id, c.id) { // an error from before the id was read
			m.raw = withID(m, c.id)
		}
		if answered {
			p.free(c)
		}
		p.pass(c, m)
		if answered {
			return true, nil
		}
	}

	return false, nil
}

// pass passes a message of the server on, unless its call has been canceled.
func (p *Proxy) pass(c *call, m *message) {
	if c != nil && c.canceled.Load() {
		return
	}
	if c != nil && c.method == "tools/list" && m.result != nil {
		m = p.tools.watch(p, m, c.modern())
	}
	if c != nil && c.method == "initialize" && m.result != nil {
		p.session.agreed(m)
	}

	p.out.write(m.raw)
}

// resume opens a stream again after its last event, when the server wants it.
func (p *Proxy) resume(ctx context.Context, events *sse.Reader) (*reply, error) {
	pause := min(max(events.Retry(), 100*time.Millisecond), firstTimeout)
	if err := sleep(ctx, pause); err != nil {
		return nil, err
	}
	r, err := p.get(ctx, events.LastID())
	if err == nil && r.events == nil {
		err = errors.Join(r.refusal(), errors.New("the stream cannot be resumed"))
	}
	return r, err
}

// get opens a stream of the session.
func (p *Proxy) get(ctx context.Context, lastID string) (*reply, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, nil)
	if err != nil {
		return nil, err
	}

	r.Header.Set("Accept", "text/event-stream")
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}

	p.session.setHeaders(r.Header, &message{})
	return p.do(r)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sameID compares ids, which the server may have written another way.
func sameID(a, b jsonrpc.ID) bool { return a == b || plain(a) == plain(b) }

func plain(id jsonrpc.ID) string {
	text, ok := jsonrpc.Text([]byte(id))
	if ok {
		return `"` + text
	}
	return strings.TrimSuffix(string(id), ".0")
}

// withID returns a response with another id.
func withID(m *message, id jsonrpc.ID) []byte {
	name := "result"
	value := m.result
	if m.err != nil {
		name = "error"
		value = m.err
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%q:%s}`, string(id), name, value)
}
