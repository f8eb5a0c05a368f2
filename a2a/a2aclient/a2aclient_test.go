package a2aclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

const completed = `{"jsonrpc":"2.0","id":$ID,"result":{"task":{"id":"t1","status":{"state":"TASK_STATE_COMPLETED"}}}}`

// site is a web server that notes what it was asked for and with what
// credentials.
type site struct {
	url string
	mu  sync.Mutex
	log []string
}

func newSite(t *testing.T, pages map[string]string) *site {
	s := &site{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.log = append(s.log, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization")))
		s.mu.Unlock()
		page, ok := pages[r.URL.Path]
		switch {
		case !ok:
			http.NotFound(w, r)
		case strings.HasPrefix(page, "-> "):
			http.Redirect(w, r, strings.TrimPrefix(page, "-> "), http.StatusTemporaryRedirect)
		default:
			_, _ = io.WriteString(w, strings.NewReplacer("$URL", s.url, "$ID", "1").Replace(page))
		}
	}))
	t.Cleanup(web.Close)
	s.url = web.URL
	return s
}

func (s *site) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.log...)
}

func cardOf(url string) string {
	return `{"name":"x","skills":[],"capabilities":{},"supportedInterfaces":[{"url":"` + url + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
}

func TestDialFindsTheCard(t *testing.T) {
	card := cardOf("$URL/agents/a")
	for name, c := range map[string]struct{ at, dial string }{
		"at the base URL":                          {"/agents/a/.well-known/agent-card.json", "/agents/a"},
		"at the base URL with a slash":             {"/agents/a/.well-known/agent-card.json", "/agents/a/"},
		"at the old place":                         {"/agents/a/.well-known/agent.json", "/agents/a"},
		"at the origin, if it names what we dial":  {"/.well-known/agent-card.json", "/agents/a"},
		"at the origin's old place":                {"/.well-known/agent.json", "/agents/a"},
		"at the URL of the card":                   {"/agents/a/.well-known/agent-card.json", "/agents/a/.well-known/agent-card.json"},
		"at a card of another name":                {"/cards/a.json", "/cards/a.json"},
		"at a URL that does not look like a card":  {"/agents/a/card", "/agents/a/card"},
		"at the origin that was dialled":           {"/.well-known/agent-card.json", ""},
		"at the origin that was dialled, by slash": {"/.well-known/agent-card.json", "/"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, map[string]string{c.at: card})
			client, err := new(a2aclient.Dialer).Dial(t.Context(), s.url+c.dial)
			if err != nil {
				t.Fatalf("%v; asked %q", err, s.requests())
			}
			if got := client.Interface().URL; got != s.url+"/agents/a" || client.Card().Name != "x" {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestDialDoesNotTakeAnotherAgentsCard(t *testing.T) {
	s := newSite(t, map[string]string{"/.well-known/agent-card.json": cardOf("$URL/agents/b")})
	if _, err := new(a2aclient.Dialer).Dial(t.Context(), s.url+"/agents/a"); err == nil {
		t.Error("dialled a and got b")
	}
}

func TestDialRefusesWhatIsNoURL(t *testing.T) {
	for _, url := range []string{"", "agent.example", "ftp://agent.example", "file:///etc/passwd", "http://", "http://%zz"} {
		if _, err := new(a2aclient.Dialer).Dial(t.Context(), url); !a2a.Is(err, a2a.InvalidParams) {
			t.Errorf("%q: got %v", url, err)
		}
	}
}

func TestDialSaysWhyThereIsNoCard(t *testing.T) {
	guarded := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer guarded.Close()
	_, err := new(a2aclient.Dialer).Dial(t.Context(), guarded.URL)
	var e *a2a.Error
	if !errors.As(err, &e) || e.Code != a2a.Unauthenticated || e.Challenge != "Bearer" {
		t.Errorf("got %v, want the challenge", err)
	}
	guarded.Close()
	if _, err = new(a2aclient.Dialer).Dial(t.Context(), guarded.URL+"/?key=secret"); !a2a.Is(err, a2a.Unavailable) || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, want that nobody is there, and no secret", err)
	}
}

func TestAnAgentWithoutACardCanBeDialledByItsProtocol(t *testing.T) {
	rogue := &a2atest.Rogue{Answers: map[string][]a2atest.Answer{"message/send": {{Body: completed}}}}
	c, err := (&a2aclient.Dialer{Protocol: a2a.V03}).Dial(t.Context(), rogue.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), a2atest.Say("x")); err != nil {
		t.Error(err)
	}
}

func TestAProtocolThatWasSetIsNotGuessedAt(t *testing.T) {
	rogue := &a2atest.Rogue{Card: cardV10, Answers: map[string][]a2atest.Answer{"SendMessage": {{Body: completed}}}}
	c, err := (&a2aclient.Dialer{Protocol: a2a.V03}).Dial(t.Context(), rogue.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), a2atest.Say("x")); !a2a.Is(err, a2a.MethodNotFound) {
		t.Errorf("got %v", err)
	}
	if calls := rogue.Calls(); len(calls) != 1 || calls[0].Method != "message/send" {
		t.Errorf("got %v", calls)
	}
	for _, d := range []*a2aclient.Dialer{{Protocol: "7.0"}, {Binding: a2a.GRPC}} {
		if _, err := d.Dial(t.Context(), rogue.Serve(t)); err == nil {
			t.Errorf("%s %s was accepted", d.Protocol, d.Binding)
		}
	}
}

func TestACallCarriesWhatItMust(t *testing.T) {
	rogue := &a2atest.Rogue{Card: strings.Replace(cardV10, `"protocolBinding"`, `"tenant":"acme","protocolBinding"`, 1),
		Answers: map[string][]a2atest.Answer{"SendMessage": {{Body: completed}}, "GetTask": {{Status: 500}}}}
	d := &a2aclient.Dialer{Header: http.Header{"authorization": {"Bearer x"}, "A2a-Version": {"9"}, "Content-Type": {"text/plain"}}}
	c, err := d.Dial(t.Context(), rogue.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	req := a2atest.Say("x")
	req.Message.ID = ""
	_, _ = c.Send(t.Context(), req)
	_, _ = c.Task(t.Context(), a2a.TaskQuery{ID: "t1"})
	if req.Message.ID != "" {
		t.Error("the caller's message was changed")
	}
	for _, call := range rogue.Calls() {
		h := call.Header
		if h.Get("A2A-Version") != "1.0" || h.Get("Authorization") != "Bearer x" || h.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %v", call.Method, h)
		}
		if !strings.Contains(string(call.Params), `"tenant":"acme"`) {
			t.Errorf("%s: got %s, without the tenant", call.Method, call.Params)
		}
	}
	if p := string(rogue.Calls()[0].Params); strings.Contains(p, `"messageId":""`) || !strings.Contains(p, `"returnImmediately":false`) {
		t.Errorf("got %s, want a message id and an explicit flag", p)
	}
}

func TestCredentialsStayOnTheHostThatWasDialled(t *testing.T) {
	other := newSite(t, map[string]string{"/rpc": completed})
	elsewhere := strings.Replace(other.url, "127.0.0.1", "localhost", 1)
	s := newSite(t, map[string]string{"/.well-known/agent-card.json": cardOf(elsewhere + "/rpc")})
	c, err := (&a2aclient.Dialer{Header: http.Header{"Authorization": {"secret"}}}).Dial(t.Context(), s.url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), a2atest.Say("x")); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(other.requests()); got != "[POST /rpc]" {
		t.Errorf("the other host got %s", got)
	}
	if got := fmt.Sprint(s.requests()); got != "[GET /.well-known/agent-card.json secret]" {
		t.Errorf("the host got %s", got)
	}
}

func TestRedirectsDoNotLeaveTheHost(t *testing.T) {
	other := newSite(t, map[string]string{"/rpc": completed})
	s := newSite(t, map[string]string{
		"/.well-known/agent-card.json": cardOf("$URL/away"),
		"/away":                        "-> " + other.url + "/rpc",
	})
	c, err := new(a2aclient.Dialer).Dial(t.Context(), s.url)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Send(t.Context(), a2atest.Say("x"))
	var e *a2a.Error
	if !errors.As(err, &e) || e.HTTPStatus != http.StatusTemporaryRedirect || len(other.requests()) > 0 {
		t.Errorf("got %v, and the other host %q", err, other.requests())
	}
}

// TestRedirectsOnTheHostAreFollowed sends the message where it is sent on to, and but
// once to where it was sent first.
func TestRedirectsOnTheHostAreFollowed(t *testing.T) {
	s := newSite(t, map[string]string{
		"/.well-known/agent-card.json": cardOf("$URL/old"),
		"/old":                         "-> /new",
		"/new":                         completed,
	})
	c, err := new(a2aclient.Dialer).Dial(t.Context(), s.url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), a2atest.Say("x")); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.requests()); got != "[GET /.well-known/agent-card.json POST /old POST /new]" {
		t.Errorf("got %s", got)
	}
}

func TestAPasswordInTheURLIsSent(t *testing.T) {
	s := newSite(t, map[string]string{"/.well-known/agent-card.json": cardOf("$URL/rpc"), "/rpc": completed})
	with := strings.Replace(s.url, "http://", "http://ann:secret@", 1)
	if _, err := new(a2aclient.Dialer).Dial(t.Context(), with); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.requests()); got != "[GET /.well-known/agent-card.json Basic YW5uOnNlY3JldA==]" {
		t.Errorf("got %s", got)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	big := strings.Repeat("x", 1<<16)
	event := `data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}}}` + "\n\n"
	stream := http.Header{"Content-Type": {"text/event-stream"}}
	rogue := &a2atest.Rogue{Card: cardV10, Answers: map[string][]a2atest.Answer{
		"SendMessage": {{Repeat: big}},
		"GetTask":     {{Repeat: big}},
		"SendStreamingMessage": {
			{Header: stream, Body: "data: ", Repeat: big},         // one event without end
			{Header: stream, Repeat: "data: rubbish\n\n"},         // rubbish without end
			{Header: stream, Body: event + "data: ", Repeat: big}, // an event without end, later
		},
	}}
	c, err := (&a2aclient.Dialer{MaxBody: 1 << 20, Pause: time.Millisecond}).Dial(t.Context(), rogue.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), a2atest.Say("x")); !a2a.Is(err, a2a.InvalidAgentResponse) {
		t.Errorf("send: got %v", err)
	}
	for i, want := range []a2a.Code{a2a.InvalidAgentResponse, a2a.InvalidAgentResponse, a2a.InvalidAgentResponse} {
		var last error
		for _, err := range c.Stream(t.Context(), a2atest.Say("x")) {
			last = err
		}
		if !a2a.Is(last, want) {
			t.Errorf("stream %d: got %v, want %s", i, last, want)
		}
	}
}

func TestAFloodEndsTheStream(t *testing.T) {
	event := `data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}}}` + "\n\n"
	stream := http.Header{"Content-Type": {"text/event-stream"}}
	for name, flood := range map[string]string{"of comments": ": x\n", "of events": event} {
		t.Run(name, func(t *testing.T) {
			rogue := &a2atest.Rogue{Card: cardV10, Answers: map[string][]a2atest.Answer{
				"SendStreamingMessage": {{Header: stream, Body: event, Repeat: flood}},
			}}
			c, err := (&a2aclient.Dialer{MaxBody: 1 << 12}).Dial(t.Context(), rogue.Serve(t))
			if err != nil {
				t.Fatal(err)
			}
			var last error
			for _, last = range c.Stream(t.Context(), a2atest.Say("x")) {
			}
			if !errors.Is(last, a2a.ErrNoStream) {
				t.Errorf("got %v, want ErrNoStream", last)
			}
		})
	}
}

func TestACallerWhoGivesUpIsLetGo(t *testing.T) {
	rogue := &a2atest.Rogue{Card: cardV10, Answers: map[string][]a2atest.Answer{
		"SendMessage":          {{Hold: true}},
		"SendStreamingMessage": {{Header: http.Header{"Content-Type": {"text/event-stream"}}, Hold: true, Body: `data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}}}` + "\n\n"}},
		"GetTask":              {{Body: `{"jsonrpc":"2.0","id":1,"result":{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}}`}},
		"SubscribeToTask":      {{Header: http.Header{"Content-Type": {"text/event-stream"}}, Hold: true}},
	}}
	c, err := (&a2aclient.Dialer{Pause: time.Millisecond}).Dial(t.Context(), rogue.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, giveUp := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer giveUp()
	if _, err := c.Send(ctx, a2atest.Say("x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("send: got %v", err)
	}
	ctx, giveUp = context.WithCancel(t.Context())
	var got []string
	for e, err := range c.Stream(ctx, a2atest.Say("x")) {
		got = append(got, fmt.Sprintf("%T %v", e, err))
		giveUp()
	}
	if want := "[*a2a.Task <nil> <nil> context canceled]"; fmt.Sprint(got) != want {
		t.Errorf("stream: got %v, want %s", got, want)
	}
	ctx, giveUp = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer giveUp()
	var last error
	for _, last = range c.Subscribe(ctx, "t1") {
	}
	if !errors.Is(last, context.DeadlineExceeded) {
		t.Errorf("subscribe: got %v", last)
	}
}

func TestAListenerWhoLeavesEndsTheStream(t *testing.T) {
	agent := a2atest.NewAgent()
	defer agent.Close()
	c, err := new(a2aclient.Dialer).Dial(t.Context(), a2atest.Serve(t, agent, agent.Card()))
	if err != nil {
		t.Fatal(err)
	}
	for e := range c.Stream(t.Context(), a2atest.Say("hang")) {
		if got, err := c.Task(t.Context(), a2a.TaskQuery{ID: e.(*a2a.Task).ID}); err != nil || got.Status.State.Idle() {
			t.Errorf("got %+v, %v", got, err)
		}
		break
	}
}
