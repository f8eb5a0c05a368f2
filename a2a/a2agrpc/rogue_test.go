package a2agrpc_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2atest"
	"rialto/a2a/internal/wire"
)

// dial returns a client of the handler h over gRPC.
func dial(t *testing.T, h http.HandlerFunc, d *a2aclient.Dialer) *a2aclient.Client {
	t.Helper()
	over, address := carrier(t, h)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"name":"x","capabilities":{"streaming":true},"supportedInterfaces":[{"url":"`+address+`","protocolBinding":"GRPC","protocolVersion":"1.0"}]}`)
	}))
	t.Cleanup(web.Close)
	d.GRPC, d.Pause = over, time.Millisecond
	c, err := d.Dial(t.Context(), web.URL)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func message(t *testing.T, e a2a.Event) []byte {
	t.Helper()
	b, err := wire.GRPCDialects()[0].EncodeEvent(e)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func working(text string) a2a.Event {
	return &a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.Working, Message: &a2a.Message{ID: "m", Parts: []a2a.Part{a2a.TextPart(text)}}}}
}

// TestAStreamIsBounded has agents that never stop, and are asked for their task then, or
// say too much at one time.
func TestAStreamIsBounded(t *testing.T) {
	const limit = 1 << 10
	for name, c := range map[string]struct {
		event  a2a.Event
		times  int
		most   int // the bound of events
		reason error
	}{
		"a stream without end":       {working("again"), 1 << 20, 64 * limit / 20, a2a.ErrNoStream},
		"an event that is too large": {working(strings.Repeat("x", limit)), 2, 0, a2a.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			frame := wire.AppendFrame(nil, message(t, c.event), false)
			first := wire.AppendFrame(nil, message(t, &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Submitted}}), false)
			client := dial(t, func(w http.ResponseWriter, r *http.Request) {
				_, err := w.Write(first)
				for n := 0; err == nil && n < c.times; n++ {
					_, err = w.Write(frame)
				}
				if err == nil && c.times > 2 {
					t.Error("all of it was read")
				}
			}, &a2aclient.Dialer{MaxBody: limit})
			told := 0
			var last error
			for _, err := range client.Stream(t.Context(), a2atest.Say("x")) {
				if last = err; err == nil {
					told++
				}
			}
			if told == 0 || told > c.most+1 || !errors.Is(last, c.reason) {
				t.Errorf("got %d events and %v, want at most %d, and then the reason", told, last, c.most+1)
			}
		})
	}
}

// TestAnAnswerThatIsTooLargeIsNotAnAgentsRefusal: package grpc reports it as a status of the
// server, with the code for "ask again later".
func TestAnAnswerThatIsTooLargeIsNotAnAgentsRefusal(t *testing.T) {
	large := wrapperspb.Bytes(make([]byte, a2agrpc.DefaultMaxMessage))
	s := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error { return s.SendMsg(large) }))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(s.Stop)
	card := &a2atest.Rogue{Card: `{"name":"x","capabilities":{"streaming":true},"supportedInterfaces":[{"url":"` + l.Addr().String() + `","protocolBinding":"GRPC","protocolVersion":"1.0"}]}`}
	over := &a2agrpc.Transport{}
	t.Cleanup(func() { over.Close() })
	c, err := (&a2aclient.Dialer{GRPC: over}).Dial(t.Context(), card.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	_, asked := c.Task(t.Context(), a2a.TaskQuery{ID: "t"})
	var streamed error
	for _, streamed = range c.Stream(t.Context(), a2atest.Say("x")) {
	}
	for _, err := range []error{asked, streamed} {
		if known, ok := errors.AsType[*a2a.Error](err); !ok || known.Remote || known.Code != a2a.InvalidAgentResponse || !errors.Is(err, a2a.ErrTooLarge) {
			t.Errorf("got %+v, want that the answer is too large", err)
		}
	}
}

func TestAMessageThatIsTooLargeIsNotSent(t *testing.T) {
	called := false
	client := dial(t, func(http.ResponseWriter, *http.Request) { called = true }, &a2aclient.Dialer{})
	_, err := client.Send(t.Context(), a2atest.Say(strings.Repeat("x", a2agrpc.DefaultMaxMessage)))
	if !a2a.Is(err, a2a.InvalidParams) || !err.(*a2a.Error).NotSent || err.(*a2a.Error).Remote || called {
		t.Errorf("got %v, want that the message is too large to be sent", err)
	}
}

// key is a token that can be renewed once.
type key struct{ value string }

func (k *key) Apply(req *http.Request, _ a2aclient.Caller) error {
	req.Header.Set("Authorization", "Bearer "+k.value)
	return nil
}

func (k *key) Renew(req *http.Request, _ a2aclient.Caller) bool {
	renewed := req.Header.Get("Authorization") == "Bearer old"
	k.value = "new"
	return renewed
}

func TestCredentialsAreRenewedOnce(t *testing.T) {
	for accepted, want := range map[string]int{"Bearer new": 2, "Bearer newer": 2} {
		calls := 0
		done := message(t, &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}})
		client := dial(t, func(w http.ResponseWriter, r *http.Request) {
			if calls++; r.Header.Get("Authorization") == accepted {
				_, _ = w.Write(done)
				return
			}
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
		}, &a2aclient.Dialer{Credentials: &key{"old"}})
		_, err := client.Send(t.Context(), a2atest.Say("x"))
		if (err == nil) != (accepted == "Bearer new") || calls != want {
			t.Errorf("%s is accepted: got %v after %d calls", accepted, err, calls)
		}
		if err != nil && (!a2a.Is(err, a2a.Unauthenticated) || err.(*a2a.Error).Challenge != "Bearer") {
			t.Errorf("got %v, want the challenge", err)
		}
	}
}

// TestWhoseFaultItIs tells a server that says it is unavailable, at once or after
// a header, from one that cannot be reached.
func TestWhoseFaultItIs(t *testing.T) {
	for name, c := range map[string]struct{ answers, early bool }{
		"it says so at once":        {answers: true},
		"it says so after a header": {answers: true, early: true},
		"there is none":             {},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			srv := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
				if c.early {
					if err := s.SendHeader(metadata.Pairs("x", "y")); err != nil {
						t.Error(err)
					}
				}
				return status.Error(codes.Unavailable, "later")
			}))
			if c.answers {
				go func() { _ = srv.Serve(l) }()
			} else {
				l.Close()
			}
			t.Cleanup(srv.Stop)
			over := &a2agrpc.Transport{}
			t.Cleanup(func() { over.Close() })
			for _, method := range []string{"GetTask", "SubscribeToTask"} {
				resp, err := over.Carry(t.Context(), &url.URL{Scheme: "http", Host: l.Addr().String()}, "/lf.a2a.v1.A2AService/"+method, nil, nil)
				if c.answers && (err != nil || resp.StatusCode != http.StatusServiceUnavailable) || !c.answers && err == nil {
					t.Errorf("%s: got %v, %v", method, resp, err)
				}
			}
		})
	}
}

// TestASilentServerIsNotWaitedFor: it takes the call and answers pings, and nothing else.
func TestASilentServerIsNotWaitedFor(t *testing.T) {
	over, address := carrier(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	over.AnswerTime = 20 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for _, method := range []string{"SendMessage", "SendStreamingMessage"} {
		_, err := over.Carry(ctx, &url.URL{Scheme: "http", Host: address}, "/lf.a2a.v1.A2AService/"+method, nil, nil)
		if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "took longer than 20ms") {
			t.Errorf("%s: got %v, want that the answer took too long", method, err)
		}
	}
}

// TestAStreamMayBeSilentAfterItsFirstMessage, for longer than its first message may take.
func TestAStreamMayBeSilentAfterItsFirstMessage(t *testing.T) {
	const limit = 3 * time.Second
	over, address := carrier(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(wire.AppendFrame(nil, []byte("one"), false))
		_ = http.NewResponseController(w).Flush()
		<-time.After(limit + limit/10)
		_, _ = w.Write(wire.AppendFrame(nil, []byte("two"), false))
	})
	over.AnswerTime = limit
	resp, err := over.Carry(t.Context(), &url.URL{Scheme: "http", Host: address}, "/lf.a2a.v1.A2AService/SubscribeToTask", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for _, want := range []string{"one", "two"} {
		if got, _, err := resp.Body.(a2aclient.Messages).Next(); err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
}

func TestACallerMayGiveUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	client := dial(t, func(http.ResponseWriter, *http.Request) { cancel(); <-t.Context().Done() }, &a2aclient.Dialer{})
	if _, err := client.Task(ctx, a2a.TaskQuery{ID: "t"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the caller's own end", err)
	}
}
