package bridge_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2aserver"
)

const burstSize = 20

// bursting is an agent that works until it is released, and then ends with a burst of artifacts.
func bursting(t *testing.T) (agent peer, release func()) {
	released := make(chan struct{}, 1)
	agent = running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Working("on it")
		<-released
		for i := range burstSize {
			turn.Artifact(a2a.Artifact{ID: fmt.Sprint("a", i), Parts: []a2a.Part{a2a.TextPart("text")}})
		}
		turn.Complete("done")
		return nil
	})
	return agent, func() { released <- struct{}{} }
}

// TestABurstAtTheEndStaysEvents follows a task that ends with a burst, with the call that sent the message
// and with another one. A stream that was a moment late got the whole task in place of the events, and
// clients that show texts as they come showed them twice, or not at all.
func TestABurstAtTheEndStaysEvents(t *testing.T) {
	for range 20 {
		agent, release := bursting(t)
		f := faceOf(t, agent)
		first := make(chan a2a.TaskID)
		done := make(chan string)
		go func() {
			got := ""
			for e, err := range f.Stream(t.Context(), say("go")) {
				if err != nil {
					t.Error(err)
				}
				if task, ok := e.(*a2a.Task); ok && got == "" {
					first <- task.ID
				} else if ok {
					t.Errorf("another task comes after %s", got)
				}
				got += letter(e)
			}
			done <- got
		}()
		subscribed, sent := "", ""
		for e, err := range f.Subscribe(t.Context(), <-first) {
			if err != nil {
				t.Error(err)
			}
			if subscribed == "" {
				release()
				sent = <-done // the caller is slow: all has happened before it reads on
			}
			subscribed += letter(e)
		}
		const want = "tsaaaaaaaaaaaaaaaaaaaas"
		if sent != want && sent != "t"+want[2:] {
			t.Errorf("the stream of the message has %s, want %s", sent, want)
		}
		if subscribed != want && subscribed != "t"+want[2:] {
			t.Errorf("the subscription has %s, want %s", subscribed, want)
		}
	}
}

// TestABurstOverGRPCStaysEvents has the agent behind gRPC, which brings the burst in one piece, and a caller
// who is slow.
func TestABurstOverGRPCStaysEvents(t *testing.T) {
	for range 10 {
		agent, release := bursting(t)
		client := overGRPC(t, agent.Agent, agent.card)
		release()
		got := ""
		for e, err := range faceOf(t, peer{client, client.Card()}).Stream(t.Context(), say("go")) {
			if err != nil {
				t.Error(err)
			}
			if task, ok := e.(*a2a.Task); ok && len(task.Artifacts) > 0 {
				t.Errorf("the first event has %d artifacts already", len(task.Artifacts))
			}
			got += letter(e)
		}
		const want = "tsaaaaaaaaaaaaaaaaaaaas"
		if got != want && got != "t"+want[2:] {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// letter says what an event is.
func letter(e a2a.Event) string {
	switch e.(type) {
	case *a2a.Task:
		return "t"
	case *a2a.ArtifactUpdate:
		return "a"
	case *a2a.StatusUpdate:
		return "s"
	}
	return "?"
}

// overGRPC returns a client of an agent that is served over gRPC.
func overGRPC(t *testing.T, agent a2a.Agent, described *a2a.Card) *a2aclient.Client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	card := *described
	card.Interfaces = []a2a.Interface{{URL: l.Addr().String(), Binding: a2a.GRPC, Version: a2a.V10}}
	served := &a2aserver.Server{Agent: agent, Card: &card, URL: "http://" + l.Addr().String()}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	stopped := make(chan error, 1)
	go func() { stopped <- (&a2agrpc.Server{Handler: http.HandlerFunc(served.ServeGRPC)}).Serve(ctx, l) }()
	over := &a2agrpc.Transport{}
	t.Cleanup(func() {
		over.Close()
		stop()
		<-stopped
	})
	client, err := (&a2aclient.Dialer{GRPC: over, Binding: a2a.GRPC}).Dial(t.Context(), serveAs(t, served, ""))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// serveAs serves h to a user, and returns its address.
func serveAs(t *testing.T, h http.Handler, user string) string {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(as(r.Context(), user)))
	}))
	t.Cleanup(web.Close)
	return web.URL
}
