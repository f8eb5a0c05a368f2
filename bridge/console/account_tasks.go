package console

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/templates"
)

const taskPage = 50

// ownTasks lists the user's tasks from all apps.
func (c ownAccount) ownTasks(r *http.Request) (templates.Console, error) {
	q := parseQuery(r, "agent", "state")
	f := ledger.Filter{Agent: q.get("agent"), State: a2a.State(q.get("state")), Limit: taskPage}
	tasks, next, err := c.Bridge.Runner.Summaries(r.Context(), f, r.URL.Query().Get("after"))
	if errors.Is(err, ledger.ErrCursor) {
		tasks, next, err = c.Bridge.Runner.Summaries(r.Context(), f, "")
	}
	if err != nil {
		return templates.Console{}, err
	}
	t := &templates.Table{
		Columns: []templates.Column{{Name: "Task"}, {Name: "State"}, {Name: "Agent"}, {Name: "Changed"}},
		Empty:   nil,
	}
	for _, task := range tasks {
		t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{
			templates.Lines(templates.Link(ownTaskAt(task.TaskID), templates.Data(cmp.Or(task.Asked, task.TaskID))), templates.Known(task.Message)),
			ownState(task), templates.Data(task.Agent), templates.When(task.Updated, c.Now()),
		}})
	}
	return templates.Console{
		Title:    "Tasks",
		Lead:     templates.Say("Your requests to agents, the latest first."),
		Sections: []templates.Section{{ID: "tasks", Filter: q.filter(stateField(), agentField()), Table: q.pager(r, t, next)}},
	}, nil
}

// ownState shows the state of a task, with a link to answer it if it waits.
func ownState(task ledger.Summary) templates.Text {
	if !task.State.Interrupted() {
		return state(task.State)
	}
	return templates.Row(state(task.State), templates.Link(ownTaskAt(task.TaskID), templates.Say("Answer it")))
}

func ownTaskAt(id string) string { return documents.TaskPath + url.PathEscape(id) }

// states are the states of tasks, in the order of the filter.
var states = []a2a.State{
	a2a.Submitted, a2a.Working, a2a.InputRequired, a2a.AuthRequired, a2a.Completed, a2a.Failed, a2a.Canceled, a2a.Rejected, a2a.Unknown,
}

var stateWords = map[a2a.State]struct {
	tone templates.Tone
	word string
}{
	a2a.Submitted:     {templates.Plain, "Sent"},
	a2a.Working:       {templates.Plain, "Working"},
	a2a.InputRequired: {templates.Note, "Waits for an answer"},
	a2a.AuthRequired:  {templates.Note, "Waits for a sign-in"},
	a2a.Completed:     {templates.Good, "Done"},
	a2a.Failed:        {templates.Bad, "Failed"},
	a2a.Canceled:      {templates.Plain, "Canceled"},
	a2a.Rejected:      {templates.Bad, "Refused"},
	a2a.Unknown:       {templates.Bad, "Unknown"},
}

// state shows the state of a task.
func state(s a2a.State) templates.Text {
	if w, ok := stateWords[s]; ok {
		return templates.Badge(w.tone, w.word)
	}
	return templates.Badge(templates.Plain, string(s))
}

func stateField() templates.Field {
	f := templates.Field{Name: "state", Kind: "choice", Label: "State", Options: []templates.Option{{Word: "Any"}}}
	for _, s := range states {
		f.Options = append(f.Options, templates.Option{Value: string(s), Word: stateWords[s].word})
	}
	return f
}

func agentField() templates.Field {
	return templates.Field{Name: "agent", Kind: "search", Label: "Agent", Max: 64}
}
