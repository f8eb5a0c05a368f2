package a2aclient

import (
	"context"
	"net/http"
	"net/url"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// Observer observes the calls to an agent. It is used concurrently.
type Observer interface {
	// ObserveCall is called before each call. The call is made in the context that it returns; the
	// function is called once the answer is read, or the stream closed, with the last event, which
	// may be nil, and the error.
	ObserveCall(context.Context, Call) (context.Context, func(a2a.Event, error))

	// Propagate adds the trace of its context to the headers of a request, or the metadata of gRPC.
	Propagate(context.Context, http.Header)
}

// Call is a call to an agent, for its Observer.
type Call struct {
	Method     string // as A2A 1.0 names it: "SendMessage"
	URL        *url.URL
	Binding    a2a.Binding
	Generation a2a.Generation
	Card       *a2a.Card
}

// observed makes a call over r and reports it to the observer. A stream is reported when it
// is closed.
func observed[T any](
	ctx context.Context,
	c *Client,
	r route,
	op wire.Op,
	call func(context.Context, route) (T, error),
) (T, error) {
	if c.dialer.Observer == nil {
		return call(ctx, r)
	}

	ctx, ended := c.dialer.Observer.ObserveCall(ctx, Call{
		Method:     wire.Dialects()[0].Method(op),
		URL:        r.target,
		Binding:    r.binding.name(),
		Generation: r.dialect.Generation,
		Card:       c.card,
	})
	v, err := call(ctx, r)
	if s, ok := any(v).(*stream); ok && err == nil {
		s.ended = ended
		return v, nil
	}

	var e a2a.Event
	if err == nil {
		e, _ = any(v).(a2a.Event)
	}

	ended(e, err)
	return v, err
}
