package a2aclient_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// TestAStreamThatNeverTellsTheEndIsNotWaitedForForEver has agents that hold a
// stream open and say nothing on it, while their task ends.
func TestAStreamThatNeverTellsTheEndIsNotWaitedForForEver(t *testing.T) {
	const (
		card03  = `{"name":"x","url":"$URL","protocolVersion":"0.3.0","preferredTransport":"JSONRPC","capabilities":{"streaming":true}}`
		working = `{"jsonrpc":"2.0","id":$ID,"result":{"kind":"task","id":"t1","contextId":"c","status":{"state":"working"}}}`
		done    = `{"jsonrpc":"2.0","id":$ID,"result":{"kind":"task","id":"t1","contextId":"c","status":{"state":"completed"}}}`
	)
	stream := http.Header{"Content-Type": {"text/event-stream"}}
	for name, c := range map[string]struct {
		subscribed, sent a2atest.Answer
		stands           []a2atest.Answer
	}{
		"a subscription is not answered": {
			subscribed: a2atest.Answer{Hold: true},
			stands:     []a2atest.Answer{{Body: working}, {Body: working}, {Body: done}},
		},
		"a stream goes quiet": {
			sent:   a2atest.Answer{Header: stream, Body: "data: " + working + "\n\n", Hold: true},
			stands: []a2atest.Answer{{Status: 503}, {Body: working}, {Body: done}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			rogue := &a2atest.Rogue{Card: card03, Answers: map[string][]a2atest.Answer{
				"tasks/resubscribe": {c.subscribed}, "message/stream": {c.sent}, "tasks/get": c.stands}}
			client, err := (&a2aclient.Dialer{Pause: time.Millisecond, IdleTimeout: 10 * time.Millisecond}).Dial(t.Context(), rogue.Serve(t))
			if err != nil {
				t.Fatal(err)
			}
			events := client.Subscribe(t.Context(), "t1")
			if c.sent.Body != "" {
				events = client.Stream(t.Context(), a2atest.Say("x"))
			}
			var last error
			for _, last = range events {
			}
			if !errors.Is(last, a2a.ErrStreamEnded) {
				t.Errorf("got %v last, want that the stream ended before its task", last)
			}
		})
	}
}

// TestAnArtifactAfterAQuestionIsLookedInto has an agent send the last of its output after its question, and keep
// the stream. The task was taken to work again, for a minute.
func TestAnArtifactAfterAQuestionIsLookedInto(t *testing.T) {
	const (
		card     = `{"name":"x","supportedInterfaces":[{"url":"$URL","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"streaming":true}}`
		question = `"id":"t1","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED"}`
		artifact = `{"jsonrpc":"2.0","id":$ID,"result":{"artifactUpdate":{"taskId":"t1","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":"late"}]}}}}`
	)
	rogue := &a2atest.Rogue{Card: card, Answers: map[string][]a2atest.Answer{
		"SendStreamingMessage": {{
			Header: http.Header{"Content-Type": {"text/event-stream"}}, Hold: true,
			Body: `data: {"jsonrpc":"2.0","id":$ID,"result":{"task":{` + question + "}}}\n\ndata: " + artifact + "\n\n",
		}},
		"GetTask": {{Body: `{"jsonrpc":"2.0","id":$ID,"result":{` + question + `}}`}},
	}}
	client, err := (&a2aclient.Dialer{IdleTimeout: 20 * time.Second}).Dial(t.Context(), rogue.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	var last error
	for _, last = range client.Stream(t.Context(), a2atest.Say("x")) {
	}
	if took := time.Since(begun); !errors.Is(last, a2a.ErrStreamEnded) || took > 10*time.Second {
		t.Errorf("got %v last, after %s, want that the stream ended before its task", last, took)
	}
}
