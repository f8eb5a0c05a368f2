package a2aserver_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2aserver"
)

// A Server answers at one URL with the card of an agent and to calls of each generation.
func ExampleServer() {
	agent := &a2aexec.Executor{Run: func(context.Context, *a2aexec.Turn) error { return nil }}
	defer agent.Close()
	server := &a2aserver.Server{
		Agent: agent,
		Card:  &a2a.Card{Name: "Clerk", Description: "Files what it gets.", Version: "1"},
		URL:   "https://agents.example/clerk",
	}
	web := httptest.NewServer(http.StripPrefix("/clerk", server))
	defer web.Close()
	resp, err := http.Get(web.URL + "/clerk/.well-known/agent-card.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	card, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.Status, len(card) > 0)
	// Output: 200 OK true
}
