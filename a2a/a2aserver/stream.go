package a2aserver

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
	"rialto/internal/sse"
)

// stream answers c with events until the task settles, the agent fails or the
// client is gone. When it returns nobody writes to w any more.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, c call) {
	ctx, stop := context.WithCancel(r.Context())
	var pulse sync.WaitGroup
	defer pulse.Wait()
	defer stop()

	var out *sse.Writer
	begin := func() bool {
		if out != nil {
			return true
		}
		out = sse.NewWriter(w)
		pulse.Go(func() { keepAlive(ctx, out, s.keepAlive()) })
		return out.Flush() == nil
	}
	if (c.binding == jsonRPC{}) && !begin() {
		return
	}
	for result, err := range s.results(ctx, c) {
		if err != nil && out == nil {
			s.writeError(w, r, c, err) // over HTTP+JSON, before the stream begins
			return
		}
		event := sse.Event{Data: c.binding.result(c, result.json)}
		if err != nil {
			_, event.Data = c.binding.refusal(c, s.shown(r, c, err))
		}
		if !begin() {
			return
		}
		if c.dialect.CallersName && strings.HasPrefix(r.UserAgent(), namesEvents) {
			event.Type = result.kind
		}
		if r.Context().Err() != nil || out.Event(event) != nil {
			return
		}
	}
}

// namesEvents begins the name of a client of 0.1 that ignores events without a
// type, while the sample client in JavaScript ignores those that have one. The
// specification has none.
const namesEvents = "trpc-a2a-go"

// result is an encoded event.
type result struct {
	kind string // the type that namesEvents knows it by
	json json.RawMessage
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

// keepAlive comments on a stream that may be quiet for long, so that nobody on
// the way takes it for dead, and so that we notice when the client is.
func keepAlive(ctx context.Context, out *sse.Writer, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if out.Comment("keep-alive") != nil {
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
			b, err := c.dialect.EncodeEvent(limit(e, history))
			if !yield(result{kind(e), b}, err) || err != nil || (wire.Item{Event: e}).Done() {
				return
			}
		}
	}
}

// events returns what the agent tells in answer to c, and how much of the
// history the caller wants to see.
func (s *Server) events(ctx context.Context, c call) (iter.Seq2[a2a.Event, error], *int, error) {
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
