package a2atest

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aserver"
)

// Serve serves agent on a local port until the test ends and returns the URL of
// its endpoint. The generations are those that its card lists, or all.
func Serve(tb testing.TB, agent a2a.Agent, card *a2a.Card, generations ...a2a.Generation) string {
	tb.Helper()
	return ServeOver(tb, agent, card, a2a.JSONRPC, generations...)
}

// ServeOver is Serve with a card that lists the generations over binding.
func ServeOver(tb testing.TB, agent a2a.Agent, card *a2a.Card, binding a2a.Binding, generations ...a2a.Generation) string {
	tb.Helper()
	s := &a2aserver.Server{Agent: agent, Lists: true}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.ServeHTTP(w, r) }))
	tb.Cleanup(web.Close)
	c := *card
	for _, g := range generations {
		c.Interfaces = append(c.Interfaces, a2a.Interface{URL: web.URL, Binding: binding, Version: g})
	}
	s.Card, s.URL = &c, web.URL
	return web.URL
}
