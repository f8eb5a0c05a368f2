package a2aclient

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
	"rialto/internal/sse"
)

// Stream delivers a message and yields the events of the answer (a2a.Agent). An agent that does
// not stream is sent the message without, and its answer is followed by a2a.ErrNoStream.
func (c *Client) Stream(ctx context.Context, req *a2a.SendRequest) a2a.Events {
	return func(yield func(a2a.Event, error) bool) {
		req := identified(req)
		f := follow{c: c, yield: yield, resumes: req.Message.TaskID != ""}
		if !c.card.Capabilities.Streaming {
			f.send(ctx, req)
			return
		}
		var newTask a2a.TaskID
		ctx := withExtensions(ctx, req.Extensions)
		s, err := c.open(ctx, wire.Stream, func(r route) ([]byte, error) {
			return r.dialect.EncodeSend(req, r.envelope(&newTask))
		})
		switch {
		case remote(err) && a2a.Is(err, a2a.MethodNotFound):
			f.send(ctx, req) // nothing ran: the agent does not stream, whatever its card says
		case err != nil:
			yield(nil, err)
		default:
			f.listen(ctx, s, nil)
		}
	}
}

// Subscribe yields an existing task and its events (a2a.Agent). It reads the task first: before
// 1.0 a subscription has only later events, and agents report an ended task in different ways.
func (c *Client) Subscribe(ctx context.Context, id a2a.TaskID) a2a.Events {
	return func(yield func(a2a.Event, error) bool) {
		t, err := c.Task(ctx, a2a.TaskQuery{ID: id})
		if err != nil {
			yield(nil, err)
			return
		}
		if t.Status.State.Terminal() {
			if yield(t, nil) {
				yield(
					nil,
					a2a.Errorf(
						a2a.UnsupportedOperation,
						"task %s has ended: it is %s",
						id, t.Status.State,
					),
				)
			}
			return
		}
		f := follow{c: c, id: id, yield: yield}
		switch {
		case f.emit(ctx, t, false):
		case c.card.Capabilities.Streaming:
			f.subscribe(ctx)
		default:
			yield(nil, a2a.ErrNoStream)
		}
	}
}

// stream is the answer to a call that streams.
type stream struct {
	body    io.ReadCloser
	in      metered // body, as far as it may go
	events  events  // nil if the answer was a single item
	memory  *reservation
	dialect *wire.Dialect
	binding binding
	first   wire.Item // read already, if it has an event

	// lossy is set when an event may be missing or may have been misread.
	lossy bool

	// subscribed is set on a subscription: some agents repeat chunks there that its first
	// task has already. repeats is set when that may have happened.
	subscribed, repeats bool

	ended func(a2a.Event, error) // from Dialer.Observer; nil without one
	over  sync.Once              // for ended
	last  a2a.Event
	err   error // the reason for the end

	// whole has the artifacts so far by their ids, where chunks may be cumulative.
	whole map[string][]a2a.Part
}

// maxUnreadable bounds the unreadable events in a row; the stream fails after them.
const maxUnreadable = 100

// maxBodies bounds the bytes of a stream, in bodies of the largest size.
const maxBodies = 64

// answerTime bounds sending an answer or an event, from its first byte, and firstEventTime
// waiting for the first event of a stream. Between events a stream may be silent.
const (
	answerTime     = time.Minute
	firstEventTime = 10 * time.Minute
)

var errEndlessStream = errors.New("the stream does not end")

// metered is a reader that fails after left bytes.
type metered struct {
	io.Reader
	left  int64
	ended bool // Reader has returned io.EOF
}

func (m *metered) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errEndlessStream
	}

	n, err := m.Reader.Read(p[:min(int64(len(p)), m.left)])
	m.left -= int64(n)
	m.ended = m.ended || err == io.EOF
	return n, err
}

// open makes a call that streams and reads its first item: agents that do not know a method
// may say so only there.
func (c *Client) open(
	ctx context.Context, op wire.Op, encode func(route) ([]byte, error),
) (*stream, error) {
	return tryRoutes(ctx, c, op, func(ctx context.Context, r route) (*stream, error) {
		params, err := encode(r)
		if err != nil {
			return nil, err
		}
		return c.openOn(ctx, call{r, op, params})
	})
}

func (c *Client) openOn(ctx context.Context, q call) (*stream, error) {
	resp, err := c.post(ctx, q)
	if err == nil && q.op == wire.Subscribe && q.binding == (rest{}) && noSuchPath(resp) {
		// The texts of 0.3 and 1.0 say POST. Their protocol buffers, and most servers, say GET.
		resp.Body.Close()
		q.subscribeByPOST = true
		resp, err = c.post(ctx, q)
	}

	if err != nil {
		return nil, err
	}

	s, err := c.begin(ctx, q.route, resp)
	if err != nil {
		s.close()
		return nil, err
	}

	s.subscribed = q.op == wire.Subscribe
	s.lossy = s.lossy || s.subscribed && !q.dialect.Replays
	return s, nil
}

// begin reads the first item of an answer, which is an event stream or, from
// agents that have a single thing to say, JSON.
func (c *Client) begin(ctx context.Context, r route, resp *http.Response) (*stream, error) {
	limit := c.dialer.maxBody()
	s := &stream{
		body:    resp.Body,
		in:      metered{Reader: resp.Body, left: maxBodies * limit},
		memory:  c.reservation(),
		dialect: r.dialect,
		binding: r.binding,
	}
	late := time.AfterFunc(firstEventTime, s.close)
	defer late.Stop()
	var err error
	var in io.Reader
	s.events, in = r.binding.events(r.dialect, resp, &s.in, int(limit), s.memory)
	if s.events != nil {
		s.first, err = s.read()
	} else {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{in, resp.Body}
		s.first, err = c.single(ctx, r, resp, s.memory)
	}

	switch {
	case err == nil:
	case !late.Stop():
		err = unreachable(ctx, r.target.Host, tooSlow(firstEventTime))
	case remote(err):
		err = fromResponse(asError(err), resp)
	case errors.Is(err, io.EOF):
		err = unreachable(ctx, r.target.Host, errors.New("it closed the stream without an event"))
	default:
		err = unreachable(ctx, r.target.Host, err)
	}

	switch {
	case s.events == nil: // result has reported already
	case remote(err):
		c.broken.reportOutcome(nil)
	default:
		c.broken.reportOutcome(err)
	}

	return s, err
}

func (c *Client) single(
	ctx context.Context,
	r route,
	resp *http.Response,
	memory *reservation,
) (wire.Item, error) {
	result, err := c.result(ctx, r, resp, memory)
	if err != nil {
		return wire.Item{}, err
	}

	item, err := r.dialect.DecodeAnswer(result)
	if err != nil {
		return wire.Item{}, undecodable(err)
	}

	return item, nil
}

// overHTTP is how answers stream over HTTP, whatever the binding.
type overHTTP struct{}

// carry sends req after it has set the headers for its body and for the response: their types, the
// version and the extensions. err is the error of making req; it is returned as not sent.
func (overHTTP) carry(
	c *Client,
	q call,
	req *http.Request,
	err error,
) (*http.Request, *http.Response, error) {
	if err != nil {
		return nil, nil, notSent(err)
	}

	if req.ContentLength > 0 {
		req.Header["Content-Type"] = onlyJSON
	}

	req.Header["Accept"] = onlyJSON
	if q.op.Streams() {
		req.Header["Accept"] = anyStream
	}

	if q.dialect.Versioned {
		req.Header[versionKey] = q.metadata[versionName]
	}

	uris, _ := extensionsOf(req.Context(), c.card)
	if len(uris) > 0 {
		req.Header[http.CanonicalHeaderKey(q.dialect.ExtensionsHeader())] = uris
	}
	return c.exchange(req)
}

func (overHTTP) events(
	_ *wire.Dialect,
	resp *http.Response,
	body *metered,
	limit int,
	memory *reservation,
) (events, io.Reader) {
	in := bufio.NewReader(body)
	if !isStream(resp, in) {
		return nil, in
	}

	s := sse.NewReader(in)
	s.MaxEvent = limit
	s.MaxTime = answerTime
	s.Hold = memory.hold
	return sseEvents{s}, nil
}

type sseEvents struct{ *sse.Reader }

func (s sseEvents) next() ([]byte, error) {
	e, err := s.Next()
	switch {
	case errors.Is(err, sse.ErrTooLarge):
		err = tooLarge(int64(s.MaxEvent))
	case errors.Is(err, sse.ErrTooSlow):
		err = tooSlow(s.MaxTime)
	}

	return e.Data, err
}

// isStream tells an event stream by its type or, where the type is neither that
// nor JSON, by how it begins.
func isStream(resp *http.Response, in *bufio.Reader) bool {
	t, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	t = strings.ToLower(strings.TrimSpace(t))
	if t == sse.ContentType {
		return true
	}

	if t == "application/json" || resp.StatusCode/100 != 2 {
		return false
	}

	first, err := in.Peek(1)
	return err == nil && strings.Contains("dei:", string(first)) // data, event, id or a comment
}

// next returns the next item. io.EOF is the end of the stream, which says nothing about the task.
func (s *stream) next() (wire.Item, error) {
	if item := s.first; item.Event != nil {
		s.first = wire.Item{}
		s.last = item.Event
		return item, nil
	}

	if s.events == nil {
		return wire.Item{}, io.EOF
	}

	item, err := s.read()
	if err == nil {
		s.last = item.Event
	} else if !errors.Is(err, io.EOF) {
		s.err = err
	}

	return item, err
}

// read returns the next item that can be decoded. It skips others: some servers send
// events of their own.
func (s *stream) read() (wire.Item, error) {
	for range maxUnreadable {
		data, err := s.events.next()
		if err != nil {
			return wire.Item{}, err
		}
		result, refusal, ok := s.binding.decode(s.dialect, http.StatusOK, data)
		if !ok {
			s.lossy = true
			continue
		}
		if refusal != nil {
			return wire.Item{}, refusal
		}
		item, err := s.dialect.DecodeEvent(result)
		if err == nil {
			s.splitCumulative(item.Event)
			s.repeats = s.repeats || s.subscribed && appends(item.Event)
			return item, nil
		}
		if errors.Is(err, wire.ErrTooMany) {
			return wire.Item{}, undecodable(err)
		}
		s.lossy = true
	}
	return wire.Item{}, invalidAnswer("%d events in a row could not be decoded", maxUnreadable)
}

// appends reports whether applying e twice differs from applying it once.
func appends(e a2a.Event) bool {
	u, ok := e.(*a2a.ArtifactUpdate)
	return ok && u.Append
}

func (s *stream) close() {
	s.body.Close()
	s.memory.close()
	if s.ended != nil {
		s.over.Do(func() { s.ended(s.last, s.err) })
	}
}

// The bounds of reading a stream after its last event.
const (
	closeDelay     = time.Second
	closeReadLimit = 4 << 10
	lateDelay      = 100 * time.Millisecond // for artifacts
)

// artifactsAfterEnd returns the artifacts that the stream brings after the last status of the task.
// Most agents end their streams there, and so it returns at once.
func (s *stream) artifactsAfterEnd() (late []a2a.Event) {
	timeout := time.AfterFunc(lateDelay, s.close)
	defer timeout.Stop()
	for range maxUnreadable {
		item, err := s.next()
		if err != nil {
			break
		}
		if brings(item.Event) {
			s.memory.keep()
			late = append(late, item.Event)
		}
	}

	return late
}

// closeAfter closes a stream. After the last event it waits closeDelay for the agent to end the
// stream: closing it earlier would close the connection of HTTP/1.1.
func (s *stream) closeAfter(last bool) {
	if !last || s.in.ended || s.binding == (overGRPC{}) {
		s.close()
		return
	}

	go func() {
		late := time.AfterFunc(closeDelay, s.close)
		defer late.Stop()
		_, _ = io.CopyN(io.Discard, s.body, closeReadLimit) // it is over, however it ends
		s.close()
	}()
}
