package a2aclient_test

import (
	"net/http"
	"strings"
	"testing"

	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// TestAnErrorSaysWhatIsWrongWithACard: every case once said "no agent card was found".
func TestAnErrorSaysWhatIsWrongWithACard(t *testing.T) {
	header := func(name, value string) http.Header { return http.Header{name: {value}} }
	for name, c := range map[string]struct {
		answer a2atest.Answer
		words  []string
	}{
		"a page": {a2atest.Answer{Header: header("Content-Type", "text/html; charset=utf-8"), Body: "<!doctype html>\n<title>Hello</title>" + strings.Repeat(" x", 1000)},
			[]string{"/.well-known/agent-card.json is not an agent card: not valid JSON (HTTP 200, text/html \"<!doctype html> <title>Hello</title> x x"}},
		"no interface":     {a2atest.Answer{Body: `{"name":"x"}`}, []string{"it has no interface: neither supportedInterfaces nor url", `{\"name\":\"x\"}`}},
		"no URL":           {a2atest.Answer{Body: `{"name":"x","supportedInterfaces":[{"protocolBinding":"JSONRPC"}]}`}, []string{"supportedInterfaces[0].url is missing"}},
		"a wrong type":     {a2atest.Answer{Body: `{"name":"x","url":"/","skills":[{"id":1}]}`}, []string{"skills", "id must not be a JSON number"}},
		"a list":           {a2atest.Answer{Body: `[]`}, []string{"must not be a JSON array"}},
		"a redirect":       {a2atest.Answer{Status: 302, Header: header("Location", "https://u:p@login.example/in?token=x")}, []string{"HTTP 302 Found, a redirect to https://login.example/in that is not followed"}},
		"nothing":          {a2atest.Answer{Status: 404, Header: header("Content-Type", "text/html"), Body: "<h1>Not here</h1>"}, []string{"no agent card was found", `HTTP 404 Not Found: text/html "<h1>Not here</h1>"`}},
		"a server's fault": {a2atest.Answer{Status: 500, Body: "oops"}, []string{"no agent card was found", "HTTP 500 Internal Server Error"}},
	} {
		t.Run(name, func(t *testing.T) {
			rogue := &a2atest.Rogue{Answers: map[string][]a2atest.Answer{"GET /.well-known/agent-card.json": {c.answer}}}
			_, err := (&a2aclient.Dialer{}).Dial(t.Context(), rogue.Serve(t))
			for _, words := range c.words {
				if err == nil || !strings.Contains(err.Error(), words) || len(err.Error()) > 600 || strings.Contains(err.Error(), "token") {
					t.Errorf("got %v, want %q", err, words)
				}
			}
		})
	}
}
