package api

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/proxy"
)

// longestWait bounds how long a call waits for a task, in seconds.
const longestWait = 240

// newMessage is the body of a call that sends.
type newMessage struct {
	Message   string       `json:"message"` // text, in addition to parts or instead of them
	Parts     []Part       `json:"parts"`
	MessageID string       `json:"message_id"` // "" lets the server make one
	ContextID string       `json:"context_id"` // the conversation to join; "" starts one
	Skill     string       `json:"skill"`
	Metadata  a2a.Metadata `json:"metadata"`
	Wait      *int         `json:"wait"` // seconds to wait for the task to settle
}

func (a *API) createTask(r *http.Request) (any, error) {
	body, err := a.send(r, a.Bridge.Proxy.Agent(mux.Vars(r)["agent"]), "")
	if t, ok := body.(*Task); ok {
		return created{t}, err
	}
	return body, err
}

// addMessage answers a task that waits for input.
func (a *API) addMessage(r *http.Request) (any, error) {
	id := a2a.TaskID(mux.Vars(r)["task"])
	agent, err := a.Bridge.Proxy.AgentOf(r.Context(), id)
	if err != nil {
		return nil, err
	}
	return a.send(r, agent, id)
}

func (a *API) send(r *http.Request, agent *proxy.Agent, to a2a.TaskID) (any, error) {
	var in newMessage
	if err := read(r, &in); err != nil {
		return nil, err
	}
	req, err := in.request()
	if err != nil {
		return nil, err
	}

	req.Message.TaskID = to
	var e a2a.Event
	if in.Wait == nil {
		e, err = agent.Send(r.Context(), req)
	} else {
		e, err = agent.SendAndWait(r.Context(), req, time.Duration(*in.Wait)*time.Second)
	}
	if err != nil {
		return nil, err
	}
	if m, ok := e.(*a2a.Message); ok { // which is in the ledger as a task, too
		return newAnswer(m, agent.Name()), nil
	}

	return newTask(e.(*a2a.Task), agent.Name()), nil
}

func (in *newMessage) request() (*a2a.SendRequest, error) {
	if wait := cmp.Or(in.Wait, new(int)); *wait < 0 || *wait > longestWait {
		return nil, badRequest("wait must be from 0 to %d seconds.", longestWait)
	}

	id := cmp.Or(in.MessageID, uuid.NewString())
	m := &a2a.Message{
		ID:        id,
		ContextID: in.ContextID,
		Role:      a2a.RoleUser,
		Metadata:  a2a.Metadata{},
	}
	if strings.TrimSpace(in.Message) != "" {
		m.Parts = append(m.Parts, a2a.TextPart(in.Message))
	}

	for i, p := range in.Parts {
		part, err := p.toDomain()
		if err != nil {
			return nil, badRequest("parts[%d] %v.", i, err)
		}
		m.Parts = append(m.Parts, part)
	}

	if len(m.Parts) == 0 {
		return nil, badRequest("The message is empty: give \"message\", a text, or \"parts\".")
	}
	if in.Skill != "" {
		m.Metadata[directory.SkillKey] = in.Skill
	}

	maps.Copy(m.Metadata, in.Metadata)
	return &a2a.SendRequest{Message: m, Metadata: m.Metadata, ReturnImmediately: true}, nil
}

// currentTask returns the task of a route as it stands, or after a wait.
func (a *API) currentTask(r *http.Request) (*a2a.Task, string, error) {
	wait, err := number(r, "wait", 0, 0, longestWait)
	if err != nil {
		return nil, "", err
	}

	id := a2a.TaskID(mux.Vars(r)["task"])
	agent, err := a.Bridge.Proxy.AgentOf(r.Context(), id)
	if err != nil {
		return nil, "", err
	}

	t, err := agent.AwaitTask(
		r.Context(), a2a.TaskQuery{ID: id}, time.Duration(wait)*time.Second,
	)
	return t, agent.Name(), err
}

// task shows a task whole, with as much of its history as is asked for, and with
// it what has been of the task.
func (a *API) task(r *http.Request) (any, error) {
	history, err := number(r, "history_length", 0, 0, 200)
	if err != nil {
		return nil, err
	}

	t, agent, err := a.currentTask(r)
	if err != nil {
		return nil, err
	}

	out := newTask(t.WithHistory(&history), agent)
	if history > 0 {
		e, err := a.Bridge.Runner.Current(r.Context(), a.access(r), string(t.ID))
		if err != nil {
			return nil, err
		}
		out.Revisions = newRevisions(e.Revisions)
	}

	return out, nil
}

// status shows where a task stands.
func (a *API) status(r *http.Request) (any, error) {
	t, agent, err := a.currentTask(r)
	if err != nil {
		return nil, err
	}
	return newStatus(t, agent), nil
}

// cancel asks the agent to stop a task.
func (a *API) cancel(r *http.Request) (any, error) {
	id := a2a.TaskID(mux.Vars(r)["task"])
	agent, err := a.Bridge.Proxy.AgentOf(r.Context(), id)
	if err != nil {
		return nil, err
	}

	t, err := agent.Cancel(r.Context(), id)
	if err != nil {
		return nil, err
	}

	return newTask(t, agent.Name()), nil
}

// tasks lists the caller's tasks with all agents, the latest first.
func (a *API) tasks(r *http.Request) (any, error) {
	size, err := pageSize(r)
	if err != nil {
		return nil, err
	}

	q := r.URL.Query()
	list, next, err := a.Bridge.Runner.Summaries(r.Context(), a.access(r), ledger.Filter{
		Agent: q.Get("agent"), State: a2a.State(q.Get("state")), Limit: size,
	}, q.Get("page_token"))
	if errors.Is(err, ledger.ErrCursor) {
		err = errPageToken
	}
	if err != nil {
		return nil, err
	}

	page := struct {
		Tasks []Status `json:"tasks"`
		Next  string   `json:"next_page_token"`
	}{Tasks: []Status{}, Next: next}
	for _, s := range list {
		page.Tasks = append(page.Tasks, Status{
			ID:        s.TaskID,
			Agent:     s.Agent,
			ContextID: s.ContextID,
			State:     s.State,
			Asked:     s.Asked,
			Message:   s.Message,
			Updated:   s.Updated,
		})
	}

	return page, nil
}

// newAnswer is what a call shows of an agent that answered without a task.
func newAnswer(m *a2a.Message, agent string) *Answer {
	return &Answer{
		Agent:     agent,
		ContextID: m.ContextID,
		Message:   m.Text(),
		Parts:     newParts(m.Parts),
	}
}
