package a2aclient_test

import (
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
	"rialto/internal/raced"
)

func TestABodyThatGrowsWhenItIsUnpackedIsBounded(t *testing.T) {
	bodies := map[string]string{
		"application/json":  a2atest.Bomb(`{"jsonrpc":"2.0","id":1,"result":{"task":`),
		"text/event-stream": a2atest.Bomb(`data: {"jsonrpc":"2.0","id":1,"result":{"task":`),
	}
	for _, binding := range []a2a.Binding{a2a.JSONRPC, a2a.HTTPJSON} {
		for kind, body := range bodies {
			t.Run(kind+" over "+string(binding), func(t *testing.T) {
				web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodGet {
						http.NotFound(w, r)
						return
					}
					w.Header().Set("Content-Type", kind)
					w.Header().Set("Content-Encoding", "gzip")
					_, _ = io.WriteString(w, body) // the client hangs up
				}))
				t.Cleanup(web.Close)
				c, err := (&a2aclient.Dialer{Pause: time.Millisecond, MaxBody: 1 << 20, Protocol: a2a.V10, Binding: binding}).Dial(t.Context(), web.URL)
				if err != nil {
					t.Fatal(err)
				}
				_, err = c.Send(t.Context(), a2atest.Say("x"))
				if kind == "text/event-stream" {
					for _, err = range c.Stream(t.Context(), a2atest.Say("x")) {
					}
				}
				if !a2a.Is(err, a2a.InvalidAgentResponse) || !strings.Contains(err.Error(), "too large") {
					t.Errorf("got %v, want that it is too large", err)
				}
			})
		}
	}
}

// TestAnAnswerOfTooManyThingsIsRefused: it is not large, but what is made of it
// would be.
func TestAnAnswerOfTooManyThingsIsRefused(t *testing.T) {
	raced.Skip(t)
	const size = 15 << 20
	message := `{"message":{"messageId":"m","parts":[` + strings.Repeat(`{},`, size/3) + `{}]}}`
	rogue := &a2atest.Rogue{Card: cardV10, Answers: map[string][]a2atest.Answer{
		"SendMessage":          {{Body: `{"jsonrpc":"2.0","id":$ID,"result":` + message + `}`}},
		"SendStreamingMessage": {{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: `data: {"jsonrpc":"2.0","id":$ID,"result":` + message + "}\n\n"}},
	}}
	byJSON, err := (&a2aclient.Dialer{}).Dial(t.Context(), rogue.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	message = strings.Repeat("\x2a\x00", size/2)
	s := newSite(t, map[string]string{"/.well-known/agent-card.json": `{"name":"g","supportedInterfaces":[{"url":"127.0.0.1:7","protocolBinding":"GRPC","protocolVersion":"1.0"}]}`})
	byGRPC, err := (&a2aclient.Dialer{GRPC: &carrier{body: "\x12" + string(binary.AppendUvarint(nil, uint64(len(message)))) + message}}).Dial(t.Context(), s.url)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*a2aclient.Client{"JSON": byJSON, "a stream": byJSON, "gRPC": byGRPC} {
		_, err := c.Send(t.Context(), a2atest.Say("x"))
		if name == "a stream" {
			for _, err = range c.Stream(t.Context(), a2atest.Say("x")) {
			}
		}
		if !a2a.Is(err, a2a.InvalidAgentResponse) || !strings.Contains(err.Error(), "the agent's answer is not A2A: ") || !strings.Contains(err.Error(), "too many parts") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
