package console

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/bridge/sanitize"
	"rialto/bridge/web"
	"rialto/templates"
)

const (
	taskPage     = 50
	ownTasksPath = "/account/tasks"
)

// findOwnTasks returns a page of the user's tasks, and the cursor of the next.
func (c ownAccount) findOwnTasks(
	ctx context.Context, q query, after string,
) ([]ledger.Summary, string, error) {
	f := ledger.Filter{Agent: q.get("agent"), State: a2a.State(q.get("state")), Limit: taskPage}
	if text := q.get("text"); text != "" {
		found, err := c.Bridge.Documents.FindTasks(ctx, c.access(ctx), text, f)
		return found, "", err
	}

	tasks, next, err := c.Bridge.Runner.Summaries(ctx, c.access(ctx), f, after)
	if errors.Is(err, ledger.ErrCursor) {
		tasks, next, err = c.Bridge.Runner.Summaries(ctx, c.access(ctx), f, "")
	}

	return tasks, next, err
}

// ownTasks lists the user's tasks from all apps. The page updates itself.
func (c ownAccount) ownTasks(r *http.Request) (*templates.Console, error) {
	q := parseQuery(r, "text", "agent", "state")
	tasks, next, err := c.findOwnTasks(r.Context(), q, param(r, "after"))
	if err != nil {
		return nil, err
	}

	t := &templates.Table{Dense: true, Columns: columns("Task", "State", "Agent", "Changed")}
	bulk(t, "tasks", ownTasksPath)
	if !q.filtered() {
		t.Empty = "No tasks yet. Ask an agent something in a connected app."
	}
	if q.get("text") == "" {
		f := operator.TaskFilter{
			OwnerID: user(r).User,
			Agent:   q.get("agent"),
			State:   a2a.State(q.get("state")),
		}
		n, err := f.Count(r.Context(), c.Admin)
		if err != nil {
			return nil, err
		}
		t.Total = total(n)
	}

	for _, task := range tasks {
		t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{
			templates.Lines(
				templates.Link(ownTaskAt(task.TaskID), taskTitle(task.Asked)),
				said(task.Message, task.Failure),
			),
			state(task.State),
			templates.Verbatim(c.Bridge.Directory.Title(task.Agent)),
			c.when(task.Updated),
		}, Actions: c.taskActions(task), Pick: pick(task)})
	}

	return &templates.Console{
		Title: "Tasks", Lead: templates.Textf("Your requests to agents, the latest first."),
		Live: "/account/tasks/events?" + r.URL.Query().Encode(),
		Sections: []templates.Section{{ID: "tasks", Filter: q.filter(templates.Field{
			Name:  "text",
			Kind:  "search",
			Label: "Search your requests",
			Hint:  "Search your requests",
			Max:   200,
		}, stateField(), c.agentField(r)), Table: q.pager(r, t, next)}},
	}, nil
}

// taskActions are what can be done to a task in the list: answer, cancel or share it.
func (c ownAccount) taskActions(task ledger.Summary) []templates.Button {
	title := ledger.Title(task.Asked)
	cancel := templates.Button{
		Action: "/account/tasks/cancel",
		Word:   "Cancel",
		About:  title,
		Grave:  true,
		Hidden: hidden("id", task.TaskID),
	}
	switch {
	case task.State.Interrupted():
		answer := templates.Button{
			Action: ownTaskAt(task.TaskID),
			Get:    true,
			First:  true,
			Word:   "Answer task",
			About:  title,
		}
		if task.State == a2a.AuthRequired {
			answer.Word = "Sign in"
		}
		return []templates.Button{answer, cancel}
	case !task.State.Terminal():
		return []templates.Button{cancel}
	case c.Bridge.Documents.Sharing != nil:
		return []templates.Button{
			{
				Action: ownTaskAt(task.TaskID),
				Get:    true,
				Word:   "Share",
				About:  title,
				Hidden: hidden("share", "1"),
			},
		}
	}

	return nil
}

// agentField chooses among the agents that the user may send tasks to.
func (c ownAccount) agentField(r *http.Request) templates.Field {
	f := templates.Field{
		Name:    "agent",
		Kind:    "choice",
		Label:   "Agent",
		Options: []templates.Option{{Word: "Any"}},
	}
	for _, a := range c.Bridge.Directory.Agents(c.access(r.Context())) {
		f.Options = append(f.Options, templates.Option{Value: a.Name})
	}

	return f
}

// ownTaskEvents sends the list of the user's tasks an event when it has changed.
func (c ownAccount) ownTaskEvents(w http.ResponseWriter, r *http.Request) {
	q := parseQuery(r, "text", "agent", "state")
	after := param(r, "after")
	c.follow(w, r, func(ctx context.Context) (snapshot, error) {
		tasks, _, err := c.findOwnTasks(ctx, q, after)
		h := fnv.New64a()
		for _, t := range tasks {
			fmt.Fprintln(h, t.TaskID, t.State, t.Updated.UnixMilli())
		}
		return snapshot{digest: h.Sum64()}, err
	})
}

func (c ownAccount) askCancelTask(f *form) (question, error) {
	v, err := c.Bridge.Documents.TaskView(f.Context(), c.access(f.Context()), f.Get("id"))
	if err != nil {
		return question{}, err
	}

	return question{
		title: "Cancel this task?",
		word:  "Cancel task",
		back:  "/account/tasks",
		about: templates.Textf(
			"The agent {} is asked to stop. Its results so far are kept.", v.Agent,
		),
	}, nil
}

func (c ownAccount) cancelTask(f *form) error {
	return f.done(ownTasksPath, "canceled", c.cancelOwn(f, f.Get("id")))
}

func (c ownAccount) cancelOwn(f *form, id string) error {
	return cancelError(c.Bridge.Documents.CancelTask(f.Context(), c.access(f.Context()), id))
}

// cancelError says why a task was not canceled.
func cancelError(err error) error {
	if refused, ok := errors.AsType[*a2a.Error](err); ok {
		return &operator.Error{
			Code: "agent_refused",
			Text: "The agent didn't stop: {}",
			Args: []string{sanitize.Short(refused.Message, 300)},
		}
	}
	if _, ok := ledger.InputText(err); ok {
		return &operator.Error{
			Code: "not_cancelable",
			Text: "The task can't be canceled now: it has ended, or the agent hasn't confirmed it yet.",
		}
	}

	return err
}

// said shows the last message of a task: our words about its failure in the reader's language, those
// of an agent as they are.
func said(message string, failure *ledger.Failure) templates.Text {
	if ours := failure.Words(); ours != nil {
		return templates.Message(ours, upTo(200))
	}
	return templates.Verbatim(message)
}

// taskTitle names a task by its request.
func taskTitle(asked string) templates.Text {
	if title := ledger.Title(asked); title != "" {
		return templates.Verbatim(title)
	}
	return templates.Textf("Request without text")
}

func ownTaskAt(id string) string { return documents.TaskPath + url.PathEscape(id) }

// state shows the state of a task.
func state(s a2a.State) templates.Text {
	tone, word := web.State(s)
	return templates.Badge(tone, word)
}

func stateField() templates.Field {
	f := templates.Field{
		Name:    "state",
		Kind:    "choice",
		Label:   "State",
		Options: []templates.Option{{Word: "Any"}},
	}
	for _, s := range operator.States {
		_, word := web.State(s)
		f.Options = append(f.Options, templates.Option{Value: string(s), Word: word})
	}

	return f
}
