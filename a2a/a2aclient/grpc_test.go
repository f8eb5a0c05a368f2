package a2aclient_test

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// carrier answers each call over gRPC with a task, and notes it.
type carrier struct {
	origin, name string
	metadata     map[string][]string
	body         string // of the answer; "" is that task t is completed
}

func (c *carrier) Carry(_ context.Context, origin *url.URL, name string, metadata map[string][]string, _ []byte) (*http.Response, error) {
	c.origin, c.name, c.metadata = origin.String(), name, metadata
	body := cmp.Or(c.body, "\x0a\x07\x0a\x01t\x1a\x02\x08\x03") // a SendMessageResponse
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
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
			c, err := (&a2aclient.Dialer{GRPC: over, Header: http.Header{"Authorization": {"secret"}, "Te": {"x"}, "Grpc-Timeout": {"1S"}}}).Dial(t.Context(), s.url)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Send(t.Context(), a2atest.Say("x"))
			if want == "" {
				if !a2a.Is(err, a2a.InvalidAgentResponse) || over.name != "" {
					t.Errorf("got %v, want that this is no place", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := over.origin + " " + strings.Join(over.metadata["authorization"], ""); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if over.name != "/lf.a2a.v1.A2AService/SendMessage" || !reflect.DeepEqual(over.metadata["a2a-version"], []string{"1.0"}) {
				t.Errorf("got %s with %q", over.name, over.metadata)
			}
			for name := range over.metadata {
				if name != "authorization" && name != "a2a-version" {
					t.Errorf("%s travels", name)
				}
			}
		})
	}
}
