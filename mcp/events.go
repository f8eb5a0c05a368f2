package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rialto/mcp/internal/schema"
	"rialto/mcp/internal/wire"
)

// EventsExtension is the name under which a server declares events (SEP-3415).
const EventsExtension = "io.modelcontextprotocol/events"

// Events tells clients what happens without a call of theirs (SEP-3415). Arguments have been
// checked against the schema of their type. Refusals are *EventError.
type Events interface {
	// EventTypes returns the types that the caller of the context may know of, sorted by name.
	EventTypes(context.Context) []EventType

	// Poll returns the events after a cursor, the oldest first. It waits at most q.Wait for one.
	Poll(ctx context.Context, principal string, q *EventQuery) (*EventPage, error)

	// Subscribe delivers events to a webhook from now on, or renews the subscription with the same
	// principal, address, name and arguments.
	Subscribe(ctx context.Context, principal string, s *EventSubscription) (*EventGrant, error)

	// Unsubscribe ends a subscription. One that does not exist has ended already.
	Unsubscribe(ctx context.Context, principal string, s *EventSubscription) error
}

// EventType describes events of one kind.
type EventType struct {
	Name          string          `json:"name"`
	Title         string          `json:"title,omitempty"`
	Description   string          `json:"description"`
	Delivery      []string        `json:"delivery"` // "poll", "push", "webhook"
	InputSchema   json.RawMessage `json:"inputSchema"`
	PayloadSchema json.RawMessage `json:"payloadSchema"`
}

// Event is something that happened. Cursor is set on streams and in webhooks.
type Event struct {
	ID     string          `json:"eventId"`
	Name   string          `json:"name"`
	At     time.Time       `json:"timestamp"`
	Data   json.RawMessage `json:"data"`
	Cursor string          `json:"cursor,omitempty"`
}

// EventQuery asks for events after a cursor; "" is now. MaxAge leaves out those that are older; zero
// leaves out none.
type EventQuery struct {
	Name      string
	Arguments json.RawMessage
	Cursor    string
	MaxAge    time.Duration
	Most      int
	Wait      time.Duration
}

// EventPage answers an EventQuery. Cursor continues it. Truncated says that events were left out.
type EventPage struct {
	Events    []Event
	Cursor    string
	Truncated bool
	More      bool
}

// EventSubscription asks for the delivery of events to a webhook.
type EventSubscription struct {
	EventQuery
	URL    string
	Secret string // "whsec_…", of 24 to 64 bytes

	TTL     *time.Duration // at most; nil is the default
	Endless bool           // until it is ended
}

// EventGrant is a subscription as the server grants it.
type EventGrant struct {
	ID            string               `json:"id"`
	RefreshBefore *time.Time           `json:"refreshBefore"`
	Cursor        string               `json:"cursor"`
	Truncated     bool                 `json:"truncated"`
	Status        *EventDeliveryStatus `json:"deliveryStatus,omitempty"`
}

// EventDeliveryStatus tells how the deliveries of a subscription go.
type EventDeliveryStatus struct {
	Active         bool       `json:"active"`
	LastDeliveryAt *time.Time `json:"lastDeliveryAt"`
	LastError      *string    `json:"lastError"`
	FailedSince    *time.Time `json:"failedSince,omitempty"`
}

// EventError is a refusal that the extension has a code for.
type EventError struct {
	Kind    EventErrorKind
	Message string
	Data    map[string]any
}

// EventErrorKind says why, in the order of the codes.
type EventErrorKind int

// The kinds of refusals.
const (
	EventNotFound EventErrorKind = iota
	EventForbidden
	EventExhausted
	EventUnsupported
	EventCallback
)

// Error returns the message.
func (e *EventError) Error() string { return e.Message }

// Code returns the code of the error: that of SEP-3415, or that of the sketch before it, which
// ChatGPT was built on.
func (e *EventError) Code(sketch bool) int {
	if sketch {
		return -32011 - int(e.Kind)
	}
	return -32023 - int(e.Kind)
}

// eventMethod returns a method of the extension whose errors have the codes that the client knows.
func eventMethod(m method) method {
	return func(r *request) (json.RawMessage, error) {
		result, err := m(r)
		if refusal, is := errors.AsType[*EventError](err); is {
			return nil, refusal.as(r)
		}
		return result, err
	}
}

// as returns the error with the code that the client of a request knows: that of the sketch before
// 2026-07-28, unless the client declares the extension.
func (e *EventError) as(r *request) *Error {
	sketch := !r.Modern() && !r.Client.Extends(EventsExtension)
	refused := &Error{Code: e.Code(sketch), Message: e.Message}
	if e.Data != nil {
		refused.Data, _ = json.Marshal(e.Data) // strings and numbers always have a JSON form
	}
	return refused
}

// eventMethods are the methods of the extension, in both eras: ChatGPT uses them after initialize
// too.
var eventMethods = map[string]method{
	"events/list":        eventMethod(listEvents),
	"events/poll":        eventMethod(pollEvents),
	"events/stream":      eventMethod(streamEvents),
	"events/subscribe":   eventMethod(subscribeEvents),
	"events/unsubscribe": eventMethod(unsubscribeEvents),
}

// eventParams are the parameters of the methods for events. The meaning of ttlMs depends on whether it is
// absent, null or a number.
type eventParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Cursor    string          `json:"cursor"`
	MaxAge    int64           `json:"maxAgeMs"`
	Most      *int            `json:"maxEvents"`
	TTL       json.RawMessage `json:"ttlMs"`
	Delivery  struct {
		Mode   string `json:"mode"`
		URL    string `json:"url"`
		Secret string `json:"secret"`
	} `json:"delivery"`
}

func listEvents(r *request) (json.RawMessage, error) {
	if err := r.noCursor(); err != nil {
		return nil, err
	}
	types := r.s.Extensions.Events.EventTypes(r.HTTP.Context())
	return eventResult(r, map[string]any{"events": append([]EventType{}, types...)})
}

// eventResult returns a result with the members of an object. It says in both eras that it is complete.
func eventResult(r *request, members any) (json.RawMessage, error) {
	object, err := json.Marshal(members)
	if len(object) > 2 {
		object[0] = ','
	} else {
		object = []byte("}")
	}
	return fmt.Appendf(nil, `{"resultType":"complete",%s%s`, r.identity.meta(), object), err
}

// eventQuery reads and checks what a request wants to know.
func eventQuery(r *request) (*eventParams, *EventQuery, error) {
	var p eventParams
	if err := json.Unmarshal(r.Message.Params, &p); err != nil {
		field := "a parameter"
		if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is && wrong.Field != "" {
			field = wrong.Field
		}
		return nil, nil, wire.InvalidParams("%s of %s has the wrong type", field, r.Message.Method)
	}

	q := &EventQuery{
		Name:      p.Name,
		Arguments: p.Arguments,
		Cursor:    p.Cursor,
		MaxAge:    millis(p.MaxAge),
	}
	if len(q.Arguments) == 0 || string(q.Arguments) == "null" {
		q.Arguments = json.RawMessage("{}")
	}
	if p.MaxAge < 0 {
		return nil, nil, wire.InvalidParams("maxAgeMs is negative")
	}
	if p.Most != nil {
		q.Most = *p.Most
		if q.Most < 1 {
			return nil, nil, wire.InvalidParams("maxEvents is less than 1")
		}
	}

	types := r.s.Extensions.Events.EventTypes(r.HTTP.Context())
	i := slices.IndexFunc(types, func(t EventType) bool { return t.Name == q.Name })
	if i < 0 {
		return nil, nil, &EventError{
			Kind: EventNotFound,
			Message: "There is no event type " + wire.Truncate(q.Name) +
				". events/list returns the types.",
			Data: map[string]any{"kind": "event"},
		}
	}

	accepted, problem := schema.Read(types[i].InputSchema).Accept(q.Name, q.Arguments)
	if problem != "" {
		return nil, nil, wire.InvalidParams("%s", problem)
	}

	q.Arguments = accepted
	return &p, q, nil
}

// millis returns a duration that does not overflow.
func millis(n int64) time.Duration {
	return time.Duration(min(n, int64(1<<62)/int64(time.Millisecond))) * time.Millisecond
}

// nextPoll is how long a client should wait before it polls again.
const nextPoll = 15 * time.Second

func pollEvents(r *request) (json.RawMessage, error) {
	_, q, err := eventQuery(r)
	if err != nil {
		return nil, err
	}

	page, err := r.s.Extensions.Events.Poll(r.HTTP.Context(), r.Principal, q)
	if err != nil {
		return nil, err
	}

	for i := range page.Events {
		page.Events[i].Cursor = "" // the page has one
	}

	return eventResult(r, struct {
		Events    []Event `json:"events"`
		Cursor    string  `json:"cursor"`
		Truncated bool    `json:"truncated"`
		More      bool    `json:"hasMore"`
		NextPoll  int64   `json:"nextPollMs"`
	}{append([]Event{}, page.Events...), page.Cursor, page.Truncated, page.More, nextPoll.Milliseconds()})
}

func subscribeEvents(r *request) (json.RawMessage, error) {
	p, q, err := eventQuery(r)
	if err != nil {
		return nil, err
	}
	if p.Delivery.Mode != "webhook" {
		return nil, &EventError{
			Kind:    EventUnsupported,
			Message: "events/subscribe delivers to webhooks: delivery.mode must be \"webhook\".",
			Data: map[string]any{
				"feature": "deliveryMode",
				"value":   wire.Truncate(p.Delivery.Mode),
			},
		}
	}
	if _, err := WebhookSecret(p.Delivery.Secret); err != nil {
		return nil, wire.InvalidParams("delivery.secret: %v", err)
	}

	s := &EventSubscription{EventQuery: *q, URL: p.Delivery.URL, Secret: p.Delivery.Secret}
	if err := s.readTTL(p.TTL); err != nil {
		return nil, err
	}

	granted, err := r.s.Extensions.Events.Subscribe(r.HTTP.Context(), r.Principal, s)
	if err != nil {
		return nil, err
	}

	return eventResult(r, granted)
}

func (s *EventSubscription) readTTL(v json.RawMessage) error {
	var ms float64
	switch {
	case len(v) == 0:
		return nil
	case string(v) == "null":
		s.Endless = true
		return nil
	case json.Unmarshal(v, &ms) != nil || ms < 0:
		return wire.InvalidParams("ttlMs is neither null nor a number of milliseconds from 0")
	}

	s.TTL = new(millis(int64(min(ms, 1e15))))
	return nil
}

func unsubscribeEvents(r *request) (json.RawMessage, error) {
	p, q, err := eventQuery(r)
	if err != nil {
		return nil, err
	}
	if err := r.s.Extensions.Events.Unsubscribe(
		r.HTTP.Context(), r.Principal, &EventSubscription{EventQuery: *q, URL: p.Delivery.URL},
	); err != nil {
		return nil, err
	}

	return eventResult(r, struct{}{})
}

// WebhookSecret returns the bytes of a secret that signs webhooks (Standard Webhooks).
func WebhookSecret(text string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(text, "whsec_")
	secret, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if !ok || err != nil || len(secret) < 24 || len(secret) > 64 {
		return nil, errors.New("it must be whsec_ and the base64 of 24 to 64 random bytes")
	}
	return secret, nil
}
