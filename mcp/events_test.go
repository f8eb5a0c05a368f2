package mcp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"rialto/mcp"
)

// threeEvents has three events of one type, at the cursors 1 to 3. Webhooks below refused.example
// do not answer the challenge.
type threeEvents struct{}

func (threeEvents) EventTypes(context.Context) []mcp.EventType {
	return []mcp.EventType{{
		Name: "lamp.lit", Description: "A lamp was lit.", Delivery: []string{"webhook", "push", "poll"},
		InputSchema:   json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"lamp":{"type":"string"}}}`),
		PayloadSchema: json.RawMessage(`{"type":"object","properties":{"lamp":{"type":"string"}}}`),
	}}
}

func (threeEvents) Poll(ctx context.Context, _ string, q *mcp.EventQuery) (*mcp.EventPage, error) {
	at := 3
	if q.Cursor != "" {
		var err error
		if at, err = strconv.Atoi(q.Cursor); err != nil {
			return &mcp.EventPage{Cursor: "0", Truncated: true}, nil
		}
	}
	page := &mcp.EventPage{}
	for at < 3 && (q.Most == 0 || len(page.Events) < q.Most) {
		at++
		page.Events = append(page.Events, mcp.Event{ID: "lamp." + strconv.Itoa(at), Name: "lamp.lit", At: time.Unix(1795338000, 0).UTC(), Data: json.RawMessage(`{"lamp":"desk"}`), Cursor: strconv.Itoa(at)})
	}
	page.Cursor, page.More = strconv.Itoa(at), at < 3
	if q.Wait > 0 && len(page.Events) == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return page, nil
}

func (threeEvents) Subscribe(_ context.Context, _ string, s *mcp.EventSubscription) (*mcp.EventGrant, error) {
	if strings.HasPrefix(s.URL, "https://refused.example/") {
		return nil, &mcp.EventError{Kind: mcp.EventCallback, Message: "The webhook did not answer.", Data: map[string]any{"reason": "challenge_failed"}}
	}
	until := time.Unix(1795338000, 0).UTC()
	if s.TTL != nil {
		until = until.Add(*s.TTL)
	}
	return &mcp.EventGrant{ID: "sub_f8a3f738386fcee69f0fcd29cc248573", RefreshBefore: &until, Cursor: "3", Status: &mcp.EventDeliveryStatus{Active: true}}, nil
}

func (threeEvents) Unsubscribe(context.Context, string, *mcp.EventSubscription) error { return nil }

// TestASecretHas24To64Bytes is test E2 of Standard Webhooks' rules for secrets.
func TestASecretHas24To64Bytes(t *testing.T) {
	of := func(n int) string { return "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	for secret, valid := range map[string]bool{
		of(23): false, of(24): true, of(64): true, of(65): false, "whsec_": false, "": false,
		strings.TrimPrefix(of(32), "whsec_"): false, "WHSEC_" + of(32)[6:]: false, of(32) + "!": false, "whsec_" + strings.Repeat("_", 40): false,
	} {
		if _, err := mcp.WebhookSecret(secret); (err == nil) != valid {
			t.Errorf("%q: got %v, want valid %v", secret, err, valid)
		}
	}
}

// TestErrorsOfEventsFollowTheEra asks wrongly: errors of the current era had the codes of the sketch, and
// named types of Go.
func TestErrorsOfEventsFollowTheEra(t *testing.T) {
	srv := serve(t, &mcp.Server{Extensions: mcp.Extensions{Events: threeEvents{}}})
	for i, codes := range [][2]string{{"-32011", "-32015"}, {"-32023", "-32027"}} {
		c := &client{t: t, srv: srv, era: eras[i]}
		if i == 0 {
			c = c.initialize()
		}
		webhook := `"name":"lamp.lit","delivery":{"mode":"webhook","url":"https://refused.example/","secret":"whsec_` + strings.Repeat("A", 32) + `"}`
		for method, code := range map[string]string{
			`events/poll "name":"dark"`: codes[0], "events/subscribe " + webhook: codes[1],
			`events/poll "name":"lamp.lit","maxEvents":"all"`: "-32602", `events/poll "name":7`: "-32602",
		} {
			name, params, _ := strings.Cut(method, " ")
			_, body := c.do("1", name, params)
			if !strings.Contains(body, `"code":`+code) || strings.Contains(body, "Go ") || strings.Contains(body, "eventParams") {
				t.Errorf("%s %s: got %s, want %s without types of Go", eras[i].name, method, body, code)
			}
		}
	}
}
