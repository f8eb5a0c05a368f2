package doctor

import (
	"errors"
	"slices"
	"strings"
	"time"

	"rialto/internal/jsonrpc"
)

const eventsExtension = "io.modelcontextprotocol/events"

// events is the subscription that the doctor makes.
type events struct {
	types    []document
	listErr  error
	receiver *receiver
	name     string
	tried    bool
	none     string // why there is no webhook to subscribe
	err      error  // of the subscription
	waited   bool
	ended    bool
}

// capabilities returns the capabilities of the server in both eras, as far as it has them.
func (c *mcpClient) capabilities() map[string]document {
	if c.offered == nil {
		c.offered = map[string]document{}
		r := c.modern("server/discover", "", nil)
		if r.result.has("supportedVersions", rev202607) {
			c.offered["server/discover"] = r.result.object("capabilities")
		}
		c.session()
		if c.began.err == nil {
			c.offered["initialize"] = c.began.result.object("capabilities")
		}
	}
	return c.offered
}

func offersEvents(d document) (top, extension bool) {
	return d["events"] != nil, d.object("extensions")[eventsExtension] != nil
}

func needEvents(v *examination) string {
	for _, d := range v.mcp.capabilities() {
		if top, extension := offersEvents(d); top || extension {
			return ""
		}
	}
	return "the server offers no events"
}

func checkEventsOffered(v *examination) finding {
	for _, where := range []string{"initialize", "server/discover"} {
		d, ok := v.mcp.capabilities()[where]
		if top, extension := offersEvents(d); ok && !(top && extension) {
			return fail("{}: capabilities.events {}, extension {}", where, top, extension)
		}
	}
	return pass("both are there")
}

// eventTypes lists the event types, once.
func (v *examination) eventTypes() *events {
	if v.events == nil {
		v.events = &events{}
		result, err := v.mcp.ask("events/list", "", map[string]any{})
		v.events.types = objects(result["events"])
		v.events.listErr = err
	}
	return v.events
}

func checkEventsList(v *examination) finding {
	e := v.eventTypes()
	if e.listErr != nil {
		return fail("{}", e.listErr)
	}

	for _, d := range e.types {
		_, unknown := missing(d.list("delivery"), []string{"webhook", "poll", "push"})
		if d.text("name") == "" || len(d.list("delivery")) == 0 || unknown ||
			d.object("inputSchema").text("type") != "object" ||
			d.object("payloadSchema") == nil {
			return fail("the event \"{}\" lacks something", d.text("name"))
		}
	}

	return expect(len(e.types) > 0, "{} events", len(e.types))
}

// chooseEvent returns the type to subscribe to: one that has events to replay, if there is any.
func (v *examination) chooseEvent() (name string) {
	for _, d := range v.eventTypes().types {
		if !d.has("delivery", "webhook") || len(d.object("inputSchema").list("required")) > 0 {
			continue
		}
		if name == "" {
			name = d.text("name")
		}
		if d.has("delivery", "poll") {
			cache, err := v.mcp.ask("events/poll", d.text("name"), v.subscription(d.text("name")))
			if err == nil && len(objects(cache["events"])) > 0 {
				return d.text("name")
			}
		}
	}
	return name
}

// subscription returns params from the oldest event: a cursor that is not known is no error.
func (v *examination) subscription(name string) map[string]any {
	return map[string]any{"name": name, "arguments": map[string]any{}, "cursor": "rialto-doctor"}
}

// needWebhook subscribes a receiver of the doctor's, once.
func needWebhook(v *examination) string {
	e := v.eventTypes()
	if !e.tried {
		e.tried = true
		e.none, e.err = v.subscribe(e)
	}
	return e.none
}

func needSubscription(v *examination) string {
	return need(v.events.err == nil, "there is no subscription")
}

func (v *examination) subscribe(e *events) (none string, err error) {
	const refused = "the server takes no webhook of the doctor; see --receiver"
	e.name = v.chooseEvent()
	if e.name == "" {
		return "no event has webhooks", nil
	}
	if v.receiver == "" && !v.local() {
		return refused, nil
	}

	e.receiver, err = receive(v.receiver)
	if err != nil {
		return err.Error(), nil
	}

	v.addSecret(e.receiver.secret)
	params := v.subscription(e.name)
	params["delivery"] = map[string]any{
		"mode":   "webhook",
		"url":    e.receiver.url,
		"secret": e.receiver.secret,
	}
	params["ttlMs"] = (2 * time.Minute).Milliseconds()
	_, err = v.mcp.ask("events/subscribe", e.name, params)
	if v.receiver == "" && len(e.receiver.deliveries()) == 0 && ofLoopback(err) {
		return refused, nil
	}

	return "", err
}

// ofLoopback tells whether an error of events/subscribe may be due to a webhook on loopback, without
// TLS: the server takes no such address, or does not reach it.
func ofLoopback(err error) bool {
	refusal := (*jsonrpc.Error)(nil)
	if !errors.As(err, &refusal) {
		return false
	}

	switch refusal.Code {
	case jsonrpc.CodeInvalidParams:
		return true
	case -32015, -32027: // CallbackEndpointError, of ChatGPT's guide and of SEP-3415
		return slices.Contains(
			[]string{"connection_refused", "timeout", "tls_error"},
			object(refusal.Data).text("reason"),
		)
	}

	return false
}

func checkEventsSubscribe(v *examination) finding {
	if err := v.events.err; err != nil {
		return fail("{}", err)
	}
	return pass("it can")
}

func checkEventsChallenge(v *examination) finding {
	first := v.events.receiver.deliveries()
	return expect(
		len(first) > 0 && first[0].kind == "verification", "the subscription began without one",
	)
}

// delivered returns what came until an event came again: the receiver refuses each first delivery.
func (v *examination) delivered() (all, ofEvents []delivery) {
	if e := v.events; !e.waited {
		e.waited = true
		e.receiver.await(v.ctx, v.redeliveryTimeout)
		v.exhausted() // the time may have ended
	}
	all = v.events.receiver.deliveries()
	return all, slices.DeleteFunc(slices.Clone(all), func(d delivery) bool { return d.kind != "" })
}

func checkEventsSignature(v *examination) finding {
	all, ofEvents := v.delivered()
	for _, d := range all {
		if d.wrong != "" {
			return fail("{}: {}", d.id, d.wrong)
		}
	}

	if len(ofEvents) == 0 {
		return pass("the verification is, and no event came")
	}

	return pass("all are")
}

func checkEventsAgain(v *examination) finding {
	_, ofEvents := v.delivered()
	if len(ofEvents) == 0 {
		return skip("no event came")
	}

	for _, d := range ofEvents {
		if d.event != d.id {
			return fail("the eventId is \"{}\", the webhook-id \"{}\"", d.event, d.id)
		}
	}

	if !slices.ContainsFunc(ofEvents, func(d delivery) bool { return d.again }) {
		return fail("not within {}", v.redeliveryTimeout)
	}

	return pass("it is")
}

func checkEventsUnsubscribe(v *examination) finding {
	for range 2 {
		if err := v.unsubscribe(); err != nil {
			return fail("{}", err)
		}
	}
	return pass("it can")
}

func (v *examination) unsubscribe() error {
	e := v.events
	params := v.subscription(e.name)
	params["delivery"] = map[string]any{"mode": "webhook", "url": e.receiver.url}
	delete(params, "cursor")
	_, err := v.mcp.ask("events/unsubscribe", e.name, params)
	e.ended = e.ended || err == nil
	return err
}

// endEvents ends what the doctor began.
func (v *examination) endEvents() {
	if v.events == nil || v.events.receiver == nil {
		return
	}
	if v.events.none == "" && v.events.err == nil && !v.events.ended &&
		!strings.HasPrefix(v.cutShort, "the time") {
		v.unsubscribe()
	}
	v.events.receiver.close()
}
