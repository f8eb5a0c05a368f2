package bridge_test

import (
	"context"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
)

const (
	tracing   = "https://ext.example/tracing/v1"
	citations = "https://ext.example/citations/v1"
)

// extended is an agent that requires an extension, offers another one, and activates those that the client names.
func extended() (agent *scripted, card *a2a.Card) {
	agent = &scripted{answer: func(_ context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		if req.Extensions == nil {
			return yield(a2a.Errorf(a2a.ExtensionRequired, "declare it"))
		}
		req.Extensions.Activate(req.Extensions.Declared[:1])
		return yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}})
	}}
	return agent, &a2a.Card{Name: "Extended", Capabilities: a2a.Capabilities{Streaming: true, Extensions: []a2a.Extension{
		{URI: tracing, Description: "Traces", Required: true}, {URI: citations},
	}}}
}

// TestExtensionsPassThrough declares extensions to agents of each generation and binding, in the header of
// the caller's generation. Cards did not have them, and an agent that requires one refused every message.
func TestExtensionsPassThrough(t *testing.T) {
	for name, serve := range map[string]func(*scripted, *a2a.Card) a2a.Agent{
		"1.0 over JSON-RPC": func(a *scripted, c *a2a.Card) a2a.Agent { return dialed(t, a2atest.Serve(t, a, c, a2a.V10), a2a.V10) },
		"1.0 over HTTP+JSON": func(a *scripted, c *a2a.Card) a2a.Agent {
			return dialed(t, a2atest.ServeOver(t, a, c, a2a.HTTPJSON, a2a.V10), a2a.V10)
		},
		"0.3 over JSON-RPC": func(a *scripted, c *a2a.Card) a2a.Agent { return dialed(t, a2atest.Serve(t, a, c, a2a.V03), a2a.V03) },
		"1.0 over gRPC":     func(a *scripted, c *a2a.Card) a2a.Agent { return overGRPC(t, a, c) },
	} {
		t.Run(name, func(t *testing.T) {
			agent, card := extended()
			r := newRig(t, "", map[string]peer{"agent": {serve(agent, card), card}})
			f := r.Proxy.Agent("agent")
			shown, err := f.Card(as(t.Context(), "alice"))
			if err != nil || len(shown.Capabilities.Extensions) != 2 || !shown.Capabilities.Extensions[0].Required {
				t.Errorf("the card has %+v, %v", shown, err)
			}
			for _, call := range []struct{ path, body, header string }{
				{"/message:send", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"x"}]}}`, "A2A-Extensions"},
				{"/message:stream", `{"message":{"messageId":"2","role":"ROLE_USER","parts":[{"text":"x"}]}}`, "A2A-Extensions"},
				{"", `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"messageId":"3","role":"ROLE_USER","parts":[{"text":"x"}]}}}`, "A2A-Extensions"},
				{"", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"4","role":"user","parts":[{"kind":"text","text":"x"}]}}}`, "X-A2A-Extensions"},
			} {
				resp, body := callExtended(t, f, call.path, call.body, http.Header{call.header: {tracing + ", " + citations}})
				if got := resp.Header.Get(call.header); got != tracing || !strings.Contains(strings.ToLower(body), "completed") {
					t.Errorf("%s %.70s: activated %q, with %s", call.path, call.body, got, body)
				}
				if got := agent.got[len(agent.got)-1].Extensions.Declared; !slices.Equal(got, []string{tracing, citations}) {
					t.Errorf("the agent received %v", got)
				}
			}
			n := agent.sent()
			if _, body := callExtended(t, f, "", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"5","role":"ROLE_USER","parts":[{"text":"x"}]}}}`, nil); !strings.Contains(body, "-32008") || !strings.Contains(body, tracing) {
				t.Errorf("without a declaration: got %s", body)
			}
			r.call("send_task", `{"message":"x"}`).refused(t, "the agent agent requires the extension "+tracing)
			if agent.sent() != n {
				t.Error("the agent got what it would not take")
			}
		})
	}
}

// callExtended calls a server of the face for alice.
func callExtended(t *testing.T, face a2a.Agent, path, body string, header http.Header) (*http.Response, string) {
	t.Helper()
	s := &a2aserver.Server{Agent: face, Card: &a2a.Card{Capabilities: a2a.Capabilities{Streaming: true}}}
	web := serveAs(t, s, "alice")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, vs := range header {
		req.Header[http.CanonicalHeaderKey(k)] = vs
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}
