package a2aclient_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// carrier answers each call over gRPC with a task, and notes it.
type carrier struct{ called *http.Request }

func (c *carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	c.called = r
	body := "\x0a\x07\x0a\x01t\x1a\x02\x08\x03" // a SendMessageResponse: task t is completed
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func TestGRPCIsCalledWhereTheCardSays(t *testing.T) {
	for place, want := range map[string]string{
		"127.0.0.1:7":            "http://127.0.0.1:7 secret", // as the agent was dialled
		"localhost:7":            "http://localhost:7 ",       // another host gets no credentials
		"dns:///127.0.0.1:7":     "http://127.0.0.1:7 secret",
		"grpc://127.0.0.1:7":     "http://127.0.0.1:7 secret",
		"grpcs://127.0.0.1:7":    "https://127.0.0.1:7 secret",
		"https://127.0.0.1:7/rp": "https://127.0.0.1:7 secret",
		"http://127.0.0.1":       "http://127.0.0.1 secret",
		"unix://127.0.0.1":       "",
		"https://x@127.0.0.1":    "",
	} {
		t.Run(place, func(t *testing.T) {
			card := `{"name":"g","supportedInterfaces":[{"url":"` + place + `","protocolBinding":"GRPC","protocolVersion":"1.0"}]}`
			s := newSite(t, map[string]string{"/.well-known/agent-card.json": card})
			over := &carrier{}
			c, err := (&a2aclient.Dialer{GRPC: over, Header: http.Header{"Authorization": {"secret"}}}).Dial(t.Context(), s.url)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Send(t.Context(), a2atest.Say("x"))
			if want == "" {
				if !a2a.Is(err, a2a.InvalidAgentResponse) || over.called != nil {
					t.Errorf("got %v, want that this is no place", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r := over.called
			if got := r.URL.Scheme + "://" + r.URL.Host + " " + r.Header.Get("Authorization"); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if r.URL.Path != "/lf.a2a.v1.A2AService/SendMessage" || r.Header.Get("A2A-Version") != "1.0" {
				t.Errorf("got %s in %q", r.URL.Path, r.Header)
			}
		})
	}
}
