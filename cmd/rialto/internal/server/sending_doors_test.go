package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// recording is a server with agents that follow commands and record what they receive.
type recording struct {
	*doors
	agents  map[string]*a2atest.Agent
	clients map[string]*a2aclient.Client
}

// newRecording starts one with the agent echo, whose card lists one skill, and others by their
// cards. echo is the primary agent.
func newRecording(t *testing.T, others map[string]func(*a2a.Card), set func(*config.Config)) *recording {
	t.Helper()
	r := &recording{agents: map[string]*a2atest.Agent{}, clients: map[string]*a2aclient.Client{}}
	var agents []config.Agent
	serve := func(name string, change func(*a2a.Card)) {
		agent := a2atest.NewAgent()
		t.Cleanup(func() { agent.Close() })
		card := agent.Card()
		change(card)
		r.agents[name] = agent
		url := a2atest.Serve(t, agent, card, a2a.V10)
		agents = append(agents, config.Agent{Name: name, URL: url, SkillsAsTools: name == "echo"})
	}
	serve("echo", func(*a2a.Card) {})
	for name, change := range others {
		serve(name, change)
	}
	r.doors = newDoors(t, func(c *config.Config) {
		c.Agents, c.Calls.DefaultAgent = agents, "echo"
		set(c)
	})
	return r
}

// unlimited returns a token of alice's for all doors and all use cases.
func (d *doors) unlimited() string {
	d.t.Helper()
	return d.token("alice", oauth.ScopeTools, oauth.ScopeDiscover, oauth.ScopePublish)
}

// last returns the message that an agent received after n of them, and no other. said is what
// the sender was answered.
func (r *recording) last(t *testing.T, agent string, n int, said string) *a2a.SendRequest {
	t.Helper()
	all := r.agents[agent].Received()
	if len(all) != n+1 {
		t.Fatalf("the agent got %d messages, want one more than %d: %.600s", len(all), n, said)
	}
	return all[n]
}

// outgoing is a message as a caller gives it to a door.
type outgoing struct {
	agent, task string // where to: one of them
	id, text    string
	skill       string
	useCase     string // in the metadata, where the door takes any
	data        string // a JSON object
}

// sendingDoor is a door through which a caller sends a message. It returns all that it answers.
type sendingDoor struct {
	name  string
	names bool // its callers name tasks, so that only their own can be continued
	send  func(token string, m outgoing) string
}

// sendingDoors are all of them.
func (r *recording) sendingDoors(t *testing.T) (all []sendingDoor) {
	for _, revision := range mcpRevisions {
		all = append(all, sendingDoor{name: "MCP " + revision + ": send_task", send: r.sendTask(t, revision)})
	}
	for _, g := range generations {
		for _, binding := range []a2a.Binding{a2a.JSONRPC, a2a.HTTPJSON, a2a.GRPC} {
			if binding != a2a.JSONRPC && g != a2a.V10 && g != a2a.V03 {
				continue
			}
			for _, how := range []string{"send", "stream"} {
				for _, where := range []string{"in the message", "around the message"} {
					all = append(all, sendingDoor{
						name:  fmt.Sprintf("A2A %s over %s: %s, metadata %s", g, binding, how, where),
						names: g == a2a.V01,
						send:  r.sendA2A(t, g, binding, how == "stream", where == "around the message"),
					})
				}
			}
		}
	}
	for _, root := range []string{"/api/v1", "/a2a"} {
		all = append(all, sendingDoor{name: "REST below " + root, send: r.sendREST(root)})
	}
	return all
}

// withoutEmpty returns a JSON object without the members that say nothing.
func withoutEmpty(members object) string {
	for name, v := range members {
		if v == "" || v == nil {
			delete(members, name)
		}
	}
	b, err := json.Marshal(members)
	if err != nil {
		panic(err) // they are texts, and JSON
	}
	return string(b)
}

// raw returns JSON as a value, nil for none.
func raw(text string) any {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

func (r *recording) sendTask(t *testing.T, revision string) func(token string, m outgoing) string {
	return func(token string, m outgoing) string {
		arguments := withoutEmpty(object{
			"agent": m.agent, "task_id": m.task, "message_id": m.id, "message": m.text, "skill": m.skill,
			"data": raw(m.data), "wait": 9,
		})
		said, _ := r.read(token, toolCall(t, revision, "send_task", arguments, "{}"), "")
		return said
	}
}

func (r *recording) sendREST(root string) func(token string, m outgoing) string {
	return func(token string, m outgoing) string {
		path := root + "/agents/" + m.agent + "/tasks"
		if m.task != "" {
			path = root + "/tasks/" + m.task + "/messages"
		}
		body := object{"message": m.text, "message_id": m.id, "skill": m.skill, "wait": 9}
		if m.useCase != "" {
			body["metadata"] = object{"usecase": m.useCase}
		}
		if m.data != "" {
			body["parts"] = []object{{"data": raw(m.data)}}
		}
		said, _ := r.read(token, sent{"POST", path, withoutEmpty(body), nil}, "")
		return said
	}
}

// sendA2A returns what sends through the client of a generation. Over gRPC 0.3 there is room
// for the primary agent only.
func (r *recording) sendA2A(
	t *testing.T, g a2a.Generation, b a2a.Binding, stream, around bool,
) func(token string, m outgoing) string {
	return func(token string, m outgoing) string {
		path := directory.AgentPath + m.agent
		if m.agent == "" || g == a2a.V03 && b == a2a.GRPC {
			path = ""
		}
		req := a2atest.Say(m.text)
		req.Message.ID, req.Message.TaskID = m.id, a2a.TaskID(m.task)
		if m.data != "" {
			req.Message.Parts = append(req.Message.Parts, a2a.Part{Content: a2a.Data(m.data)})
		}
		var meta a2a.Metadata
		for key, value := range map[string]string{"skillId": m.skill, "usecase": m.useCase} {
			if value == "" {
				continue
			}
			if meta == nil {
				meta = a2a.Metadata{}
			}
			meta[key] = value
		}
		if around {
			req.Metadata = meta
		} else {
			req.Message.Metadata = meta
		}
		c := r.clientOf(path, token, g, b)
		if stream {
			return spelled(c.Stream(t.Context(), req))
		}
		e, err := c.Send(t.Context(), req)
		return spelled(func(yield func(a2a.Event, error) bool) { yield(e, err) })
	}
}

// clientOf is client, once for all messages: connections of one address are limited.
func (r *recording) clientOf(path, token string, g a2a.Generation, b a2a.Binding) *a2aclient.Client {
	r.t.Helper()
	key := fmt.Sprint(path, token, g, b)
	if r.clients[key] == nil {
		r.clients[key] = r.client(path, token, g, b)
	}
	return r.clients[key]
}

// spelled returns events as JSON, and an error by its code and text.
func spelled(events iter.Seq2[a2a.Event, error]) (said string) {
	for e, err := range events {
		var refused *a2a.Error
		switch {
		case errors.As(err, &refused):
			said += string(refused.Code) + " " + refused.Message
		case err != nil:
			said += err.Error()
		default:
			b, _ := json.Marshal(e) // what was read from JSON has a form
			said += string(b)
		}
	}
	return said
}

// tasks returns how many tasks with the primary agent alice has.
func (r *recording) tasks(t *testing.T, token string) int {
	t.Helper()
	var page struct{ TotalSize int }
	r.do("GET", "/a2a/echo/tasks?pageSize=1", token, "", "A2A-Version: 1.0").decode(t, &page)
	return page.TotalSize
}
