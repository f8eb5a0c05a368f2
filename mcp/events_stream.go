package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/wire"
)

// eventHeartbeat is how often a stream of events says that it is alive, at least.
const eventHeartbeat = 25 * time.Second

// streamEvents sends events until the client disconnects or the stream has lasted long enough. A
// client that reconnects continues at its last cursor.
func streamEvents(r *request) (json.RawMessage, error) {
	if !r.TakesStream() {
		return nil, wire.Refuse(
			http.StatusNotAcceptable, "events/stream is answered with a text/event-stream",
		)
	}

	_, q, err := eventQuery(r)
	if err != nil {
		return nil, err
	}

	ctx, cancel := context.WithTimeout(r.HTTP.Context(), r.s.built.endpoint.Limits.ListenFor)
	defer cancel()
	page, err := r.s.Extensions.Events.Poll(ctx, r.Principal, q)
	if err != nil {
		return nil, err
	}
	if err := r.Listen(); err != nil {
		return nil, err
	}

	meta := `"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(r.Message.ID) + `}`
	send := func(what string, params any) {
		b, err := json.Marshal(params)
		if err == nil {
			r.Notify(
				wire.Notification(
					"notifications/events/"+what, fmt.Appendf(nil, "%s,%s", b[1:len(b)-1], meta),
				),
			)
		}
	}
	type position struct {
		Cursor    string `json:"cursor"`
		Truncated *bool  `json:"truncated,omitempty"`
	}
	send("active", position{page.Cursor, &page.Truncated})
	q.Wait = min(eventHeartbeat, r.s.built.endpoint.Limits.KeepAlive)
	q.MaxAge = 0 // it limits the replay only
	for {
		for _, e := range page.Events {
			send("event", e)
		}
		if len(page.Events) == 0 {
			send("heartbeat", position{Cursor: page.Cursor})
		}
		q.Cursor = page.Cursor
		page, err = r.s.Extensions.Events.Poll(ctx, r.Principal, q)
		switch {
		case ctx.Err() != nil:
			return json.RawMessage(`{"resultType":"complete",` + meta + `}`), nil
		case err != nil:
			send("terminated", map[string]json.RawMessage{"error": r.streamError(err).Append(nil)})
			return json.RawMessage(`{"resultType":"complete",` + meta + `}`), nil
		case page.Truncated:
			send("active", position{page.Cursor, &page.Truncated})
		}
	}
}

// streamError returns the error that ends a stream for its client, and logs one that is ours.
func (r *request) streamError(err error) *jsonrpc.Error {
	if refusal, is := errors.AsType[*EventError](err); is {
		return refusal.as(r)
	}

	r.s.Log.ErrorContext(r.HTTP.Context(), "events cannot be read", "err", err)
	return jsonrpc.Errorf(
		jsonrpc.CodeInternal,
		"The events cannot be read now. Open the stream again with your last cursor.",
	)
}
