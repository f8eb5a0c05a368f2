package server

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
)

// outage is an agent that can be stopped and started at its address. It keeps its tasks.
type outage struct {
	*a2atest.Agent
	t       *testing.T
	address string
	server  *a2aserver.Server
	web     *httptest.Server
}

func newOutage(t *testing.T) *outage {
	t.Helper()
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	o := &outage{Agent: agent, t: t, address: "127.0.0.1:0"}
	o.server = &a2aserver.Server{Agent: agent}
	o.start()
	t.Cleanup(func() { o.stop() })
	card := *agent.Card()
	card.Interfaces = []a2a.Interface{{URL: o.web.URL, Binding: a2a.JSONRPC, Version: a2a.V10}}
	o.server.Card = &card
	o.server.URL = o.web.URL
	return o
}

func (o *outage) start() {
	o.t.Helper()
	l, err := net.Listen("tcp", o.address)
	if err != nil {
		o.t.Fatal(err)
	}
	o.address = l.Addr().String()
	o.web = httptest.NewUnstartedServer(http.HandlerFunc(o.server.ServeHTTP))
	o.web.Listener.Close()
	o.web.Listener = l
	o.web.Start()
}

func (o *outage) stop() {
	o.web.CloseClientConnections()
	o.web.Close()
}

// asked sends the agent a message about which it asks, and stops it.
func (o *outage) asked(r *rig) (client *a2aclient.Client, task a2a.TaskID) {
	o.t.Helper()
	client = r.client(directory.AgentPath+"away", r.full("alice"), a2a.V10, "")
	e, err := client.Send(o.t.Context(), a2atest.Say("ask which size?"))
	if err != nil {
		o.t.Fatal(err)
	}
	id := e.(*a2a.Task).ID
	o.stop()
	for range 2 { // which closes the connections to it
		taskOf(o.t, client, id)
	}
	return client, id
}

func taskOf(t *testing.T, client *a2aclient.Client, id a2a.TaskID) *a2a.Task {
	t.Helper()
	task, err := client.Task(t.Context(), a2a.TaskQuery{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// answerTo returns an answer to the question of a task. The caller does not wait for the end.
func answerTo(task a2a.TaskID, text string) *a2a.SendRequest {
	req := a2atest.Say(text)
	req.Message.TaskID = task
	req.ReturnImmediately = true
	return req
}

// answers returns the texts that the agent has received after the first message.
func (o *outage) answers() (texts []string) {
	for _, req := range o.Received()[1:] {
		texts = append(texts, req.Message.Text())
	}
	return texts
}

const notDelivered = "has not got your answer"

// TestAnAnswerWaitsForAnAgentThatIsAway answers a question while the agent refuses connections. The
// answer was gone: the agent never got it, and the task showed the question again without a word.
func TestAnAnswerWaitsForAnAgentThatIsAway(t *testing.T) {
	o := newOutage(t)
	client, id := o.asked(newRig(t, config.Agent{Name: "away", URL: o.web.URL}))

	e, err := client.Send(t.Context(), answerTo(id, "echo large"))
	if err != nil {
		t.Fatal(err)
	}
	told := e.(*a2a.Task)
	if told.Status.State != a2a.InputRequired || !strings.Contains(told.Status.Message.Text(), notDelivered) {
		t.Errorf("got %s %q, want that it was not delivered", told.Status.State, told.Status.Message.Text())
	}
	if !strings.Contains(told.Status.Message.Text(), "which size?") {
		t.Errorf("got %q without the question", told.Status.Message.Text())
	}

	o.start()
	var ended *a2a.Task
	poll(t, 50*time.Millisecond, func() bool {
		ended = taskOf(t, client, id)
		return ended.Status.State.Terminal()
	})
	if got := o.answers(); len(got) != 1 || got[0] != "echo large" {
		t.Errorf("the agent got %q, want the answer once", got)
	}
	var said []string
	for i := range ended.History {
		said = append(said, ended.History[i].Text())
	}
	if got := strings.Join(said, "|"); !strings.HasPrefix(got, "ask which size?|which size?|echo large") {
		t.Errorf("the history is %s", got)
	}
}

// TestAKeptAnswerIsReplacedOrWithdrawn has the owner answer anew, or cancel, while the agent is away.
func TestAKeptAnswerIsReplacedOrWithdrawn(t *testing.T) {
	for name, c := range map[string]struct {
		second func(*rig, *a2aclient.Client, a2a.TaskID)
		want   string
	}{
		"replaced": {func(_ *rig, client *a2aclient.Client, id a2a.TaskID) {
			if _, err := client.Send(t.Context(), answerTo(id, "echo small")); err != nil {
				t.Error(err)
			}
		}, "echo small"},
		"withdrawn": {func(_ *rig, client *a2aclient.Client, id a2a.TaskID) {
			if _, err := client.Cancel(t.Context(), id); !a2a.Is(err, a2a.Unavailable) {
				t.Errorf("got %v, want that the agent cannot be reached", err)
			}
		}, ""},
		"withdrawn, and canceled on its page": {func(r *rig, _ *a2aclient.Client, id a2a.TaskID) {
			alice := r.visitor("alice")
			page := r.cfg.Load().URL + "/answer/" + string(id)
			resp, err := alice.Get(page)
			if err != nil {
				t.Error(err)
				return
			}
			if body := readAll(t, resp); !strings.Contains(body, notDelivered) || !strings.Contains(body, "echo large") {
				t.Errorf("the page says %s", body)
			}
			alice.post(page, url.Values{"do": {"cancel"}}, nil)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOutage(t)
			r := newRig(t, config.Agent{Name: "away", URL: o.web.URL})
			client, id := o.asked(r)
			if _, err := client.Send(t.Context(), answerTo(id, "echo large")); err != nil {
				t.Fatal(err)
			}
			c.second(r, client, id)
			o.start()
			task := &a2a.Task{}
			for range 20 {
				task = taskOf(t, client, id)
			}
			if c.want != "" {
				poll(t, 50*time.Millisecond, func() bool {
					task = taskOf(t, client, id)
					return task.Status.State == a2a.Completed
				})
			} else if task.Status.State != a2a.InputRequired || strings.Contains(task.Status.Message.Text(), notDelivered) {
				t.Errorf("got %s %q, want the question", task.Status.State, task.Status.Message.Text())
			}
			if got := strings.Join(o.answers(), "|"); got != c.want {
				t.Errorf("the agent got %q, want %q", got, c.want)
			}
		})
	}
}

// TestAKeptAnswerOutlivesTheServer stops the server while the agent is away, after a client of each era of
// MCP has answered. The next server delivers the answer before a client asks for the task.
func TestAKeptAnswerOutlivesTheServer(t *testing.T) {
	for _, revision := range []string{mcp2025, mcp2026} {
		t.Run(revision, func(t *testing.T) {
			o := newOutage(t)
			database := filepath.Join(t.TempDir(), "r.db")
			start := func(t *testing.T) *doors {
				return newDoors(t, func(c *config.Config) {
					c.Agents = []config.Agent{{Name: "away", URL: o.web.URL}}
					c.Storage.Database = database
					c.Storage.SecretFile = database + ".secret"
				})
			}
			t.Run("the answer is given", func(t *testing.T) {
				r := start(t)
				_, id := o.asked(r.rig)
				answer := toolCall(t, revision, "send_task", `{"task_id":"`+string(id)+`","message":"echo large"}`, canElicit)
				said, _ := r.read(r.unlimited(), answer, "")
				if !strings.Contains(said, "has not got the answer") {
					t.Errorf("got %s, want that the answer was not delivered", said)
				}
			})
			o.start()
			t.Run("the answer arrives", func(t *testing.T) {
				start(t)
				poll(t, 100*time.Millisecond, func() bool { return len(o.answers()) > 0 })
			})
			if got := o.answers(); len(got) != 1 || got[0] != "echo large" {
				t.Errorf("the agent got %q, want the answer once", got)
			}
		})
	}
}
