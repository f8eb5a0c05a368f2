package a2aclient_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2aserver"
)

// A Dialer reads the card of an agent and finds the generation and binding to speak.
func ExampleDialer_Dial() {
	agent := &a2aexec.Executor{Run: func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Artifact(a2a.Artifact{ID: "echo", Parts: turn.Message.Parts})
		return nil
	}}
	defer agent.Close()
	server := &a2aserver.Server{Agent: agent, Card: &a2a.Card{Name: "Echo", Capabilities: a2a.Capabilities{Streaming: true}}}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { server.ServeHTTP(w, r) }))
	defer web.Close()
	server.URL = web.URL

	dialer := &a2aclient.Dialer{}
	client, err := dialer.Dial(context.Background(), web.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(client.Interface().Version, client.Interface().Binding)
	hello := &a2a.Message{ID: "m1", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("hello")}}
	for event, err := range client.Stream(context.Background(), &a2a.SendRequest{Message: hello}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if update, ok := event.(*a2a.ArtifactUpdate); ok {
			fmt.Println(update.Artifact.Text())
		}
	}
	// Output:
	// 1.0 JSONRPC
	// hello
}
