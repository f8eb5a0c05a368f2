package telemetry

import (
	"context"
	"errors"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"rialto/oauth"
)

// TokenAnswered counts a response of the token endpoint, by the grant type and the error code.
func (t *Telemetry) TokenAnswered(ctx context.Context, grant string, err error) {
	if !slices.Contains(grantTypes, grant) {
		grant = other
	}

	result := "ok"
	if e, refused := errors.AsType[*oauth.Error](err); refused {
		result = e.Code
	} else if err != nil {
		result = "server_error"
	}

	labels := []attribute.KeyValue{grantType.String(grant), outcome.String(result)}
	trace.SpanFromContext(ctx).SetAttributes(labels...)
	t.count(oauthTokens, labels...)
}

var grantTypes = []string{
	oauth.GrantAuthorizationCode,
	oauth.GrantRefreshToken,
	oauth.GrantClientCredentials,
	oauth.GrantTokenExchange,
}

// RefreshReused counts a refresh token that was presented again.
func (t *Telemetry) RefreshReused() {
	t.count(refreshReuse)
}

// ClientRegistered counts a registration.
func (t *Telemetry) ClientRegistered(ok bool) {
	t.count(registration, outcome.String(word(ok)))
}

// CardChanged counts a changed card.
func (t *Telemetry) CardChanged(name string) {
	t.count(cardChanges, agent.String(name))
}

// The kinds of deliveries to webhooks: push notifications about tasks, and MCP events.
const (
	Push  = "push"
	Event = "event"
)

// Deliveries returns a counter for deliveries of a kind, Push or Event.
func (t *Telemetry) Deliveries(kind string) Deliveries { return Deliveries{t, kind} }

// Deliveries counts the attempts to deliver to webhooks.
type Deliveries struct {
	telemetry *Telemetry
	kind      string
}

// Attempted counts an attempt by its outcome.
func (d Deliveries) Attempted(ok bool) {
	d.telemetry.count(deliveries, kind.String(d.kind), outcome.String(word(ok)))
}

func word(ok bool) string {
	if ok {
		return "ok"
	}
	return "failed"
}
