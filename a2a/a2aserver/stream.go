package a2aserver

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
	"rialto/internal/sse"
)

// stream answers c with events until the task is idle, the agent fails or the client
// disconnects. It writes nothing to w after it returns.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, c call) {
	ctx, stop := context.WithCancel(r.Context())
	var keepAlives sync.WaitGroup
	defer keepAlives.Wait()
	defer stop()

	var out events
	begin := func() bool {
		if out != nil {
			return true
		}
		c.showExtensions(w)
		out = c.binding.events(w)
		keepAlives.Go(func() { out.keepAlive(ctx, cmp.Or(s.KeepAlive, DefaultKeepAlive)) })
		return out.begin() == nil
	}
	early := c.binding == jsonRPC{} && c.extensions == nil // otherwise the header waits for the agent
	if early && !begin() {
		return
	}
	for result, err := range s.results(ctx, c) {
		if err != nil && out == nil && (c.binding != jsonRPC{}) {
			s.writeError(w, r, c, err) // over HTTP+JSON and gRPC, before the stream begins
			return
		}
		if !begin() || r.Context().Err() != nil {
			return
		}
		if err != nil {
			_, body := c.binding.refusal(c, 0, s.publicError(r, c, err))
			_ = out.refuse(body) // the stream ends here
			return
		}
		kind := ""
		if c.dialect.CallersName && strings.HasPrefix(r.UserAgent(), namesEvents) {
			kind = result.kind
		}
		if out.event(kind, c.binding.result(c, result.body)) != nil {
			return
		}
	}
}

// events are those of a stream. Each is sent at once.
type events interface {
	// begin sends the header, if nothing has been sent yet.
	begin() error

	// event sends a result, of a kind for those who want to know it.
	event(kind string, data []byte) error

	// refuse ends the stream with an error.
	refuse(data []byte) error

	// keepAlive keeps a quiet stream alive until ctx ends.
	keepAlive(ctx context.Context, every time.Duration)
}

// sseEvents is an event stream over HTTP.
type sseEvents struct{ *sse.Writer }

func newSSE(w http.ResponseWriter) events { return sseEvents{sse.NewWriter(w)} }

func (s sseEvents) begin() error { return s.Flush() }

func (s sseEvents) event(kind string, data []byte) error {
	return s.Event(sse.Event{Type: kind, Data: data})
}

func (s sseEvents) refuse(data []byte) error { return s.event("", data) }

// namesEvents begins the name of a client of 0.1 that ignores events without a type, while the
// sample client in JavaScript ignores those that have one. The specification has none.
const namesEvents = "trpc-a2a-go"

// result is an encoded event.
type result struct {
	kind string // the type that namesEvents knows it by
	body []byte
}

func kind(e a2a.Event) string {
	switch e.(type) {
	case *a2a.StatusUpdate:
		return "task_status_update"
	case *a2a.ArtifactUpdate:
		return "task_artifact_update"
	default:
		return ""
	}
}

// keepAlive sends comments on a quiet stream, so that proxies keep it open, and so that
// we notice when the client disconnects.
func (s sseEvents) keepAlive(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if s.Comment("keep-alive") != nil {
				return
			}
		}
	}
}

// results yields what a stream carries: encoded events, or an error at last.
func (s *Server) results(ctx context.Context, c call) iter.Seq2[result, error] {
	return func(yield func(result, error) bool) {
		events, history, err := s.events(ctx, c)
		if err != nil {
			yield(result{}, err)
			return
		}
		for e, err := range events {
			if err != nil {
				yield(result{}, err)
				return
			}
			b, err := c.dialect.EncodeEvent(limitHistory(e, history))
			if !yield(result{kind(e), b}, err) || err != nil || c.dialect.Ends(e) {
				return
			}
		}
	}
}

// events returns what the agent tells in answer to c, and how much of the
// history the caller wants to see.
func (s *Server) events(ctx context.Context, c call) (a2a.Events, *int, error) {
	if s.Card != nil && !s.Card.Capabilities.Streaming {
		// A2A 1.0 section 3.3.4: what the card does not offer is refused.
		return nil, nil, a2a.Errorf(a2a.StreamingNotSupported, "this agent does not stream")
	}
	if c.op == wire.Subscribe {
		q, err := c.dialect.DecodeQuery(c.params)
		if err != nil {
			return nil, nil, err
		}
		return c.agent.Subscribe(ctx, q.ID), q.HistoryLength, nil
	}
	req, err := s.request(c)
	if err != nil {
		return nil, nil, err
	}
	return c.agent.Stream(ctx, req), req.HistoryLength, nil
}
