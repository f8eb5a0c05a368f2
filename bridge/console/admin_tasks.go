package console

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/bridge/sanitize"
	"rialto/templates"
)

// adminTasks are the pages about the tasks of all accounts.
type adminTasks struct{ *Console }

func (c adminTasks) routes() []route {
	a := adminArea
	return []route{
		{"/admin/tasks", c.show(a, c.tasks), nil},
		{"/admin/tasks/events", c.taskEvents, nil},
		{"/admin/tasks/one", c.show(a, c.task), nil},
		{"/admin/tasks/one/events", c.oneTaskEvents, nil},
		{"/admin/tasks/cancel", nil, c.do(a, confirm(c.askCancel, c.cancel))},
	}
}

// tasks lists the tasks of all accounts. The page updates itself.
func (c adminTasks) tasks(r *http.Request) (templates.Console, error) {
	q, f := taskFilter(r)
	page, err := c.Admin.Tasks(r.Context(), f)
	if err != nil {
		return templates.Console{}, err
	}
	t := &templates.Table{Columns: []templates.Column{{Name: "Task"}, {Name: "State"}, {Name: "Agent"}, {Name: "Account"}, {Name: "Changed"}, {Name: "Sent"}}}
	for _, task := range page.Items {
		t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{
			templates.Lines(templates.Link(taskAt(task.ID), templates.Code(task.ID)), templates.Known(task.Message)),
			state(task.State), templates.Data(task.Agent), owner(task.Owner, task.OwnerID),
			templates.When(task.Updated, c.Now()), templates.When(task.Created, c.Now()),
		}})
	}
	return templates.Console{
		Title: "Tasks", Lead: templates.Say("The requests of all accounts to agents, the latest first."),
		Live: "/admin/tasks/events?" + r.URL.Query().Encode(),
		Sections: []templates.Section{
			{ID: "filter", Filter: q.filter(stateField(), agentField(), templates.Field{Name: "owner", Kind: "search", Label: "ID of an account", Max: 128})},
			{ID: "tasks", Table: q.pager(r, t, page.Next)},
		},
	}, nil
}

func taskFilter(r *http.Request) (query, operator.TaskFilter) {
	q := parseQuery(r, "agent", "state", "owner")
	return q, operator.TaskFilter{Span: span(r), Agent: q.get("agent"), State: a2a.State(q.get("state")), OwnerID: q.get("owner")}
}

func taskAt(id string) string { return "/admin/tasks/one?id=" + url.QueryEscape(id) }

// owner links to the account of a task, unless the account was removed.
func owner(name, id string) templates.Text {
	if name == "" {
		return templates.Lines(templates.Say("removed"), templates.Code(id))
	}
	return templates.Link("/admin/accounts/one?name="+url.QueryEscape(name), templates.Data(name))
}

// The bounds of a task on its page; the API has the rest.
const (
	maxTurns  = 50
	maxBlocks = 50
	maxText   = 20_000 // characters of one block
)

// task shows a task with its messages and results.
func (c adminTasks) task(r *http.Request) (templates.Console, error) {
	id := r.URL.Query().Get("id")
	e, err := c.Admin.Task(r.Context(), id)
	if err != nil {
		return templates.Console{}, err
	}
	facts, err := c.taskFacts(r, e)
	if err != nil {
		return templates.Console{}, err
	}
	p := templates.Console{
		Title: "Task", Heading: templates.Code(e.Handle), Up: link("/admin/tasks", "Tasks"),
		Sections: []templates.Section{{ID: "state", Facts: facts}},
	}
	if !e.Idle {
		p.Live = "/admin/tasks/one/events?id=" + url.QueryEscape(id)
	}
	if ledger.Cancelable(e) == nil {
		p.Actions = []templates.Button{{Action: "/admin/tasks/cancel", Word: "Cancel", About: e.Handle, Grave: true, Hidden: hidden("id", e.Handle)}}
	}
	p.Sections = append(p.Sections, artifacts(e), transcript(e))
	p.Sections = append(p.Sections, c.past(e.Revisions)...)
	return p, nil
}

func (c adminTasks) taskFacts(r *http.Request, e *ledger.Record) ([]templates.Fact, error) {
	name := ""
	a, err := c.Admin.AccountOf(r.Context(), e.Owner)
	if err == nil {
		name = a.Name
	} else if !errors.Is(err, operator.ErrNotFound) {
		return nil, err
	}
	s := e.Summary()
	facts := []templates.Fact{
		{Name: "State", Value: state(e.State())},
		{Name: "The agent says", Value: ourOwn(e, s.Message)},
		{Name: "Agent", Value: templates.Link("/admin/agents/one?name="+url.QueryEscape(e.Agent), templates.Data(e.Agent))},
		{Name: "Account", Value: owner(name, e.Owner)},
		{Name: "App", Value: templates.Link("/admin/clients/one?id="+url.QueryEscape(e.Client), templates.Code(e.Client))},
		{Name: "Conversation", Value: templates.Code(s.ContextID)},
		{Name: "Sent", Value: templates.When(e.Created, c.Now())},
		{Name: "Changed", Value: templates.When(e.Updated, c.Now())},
	}
	if e.Failure != nil {
		facts = append(facts, templates.Fact{Name: "Failure", Value: ourOwn(e, shown(e.Failure.Message, 500))})
	}
	return facts, nil
}

func artifacts(e *ledger.Record) templates.Section {
	s := templates.Section{ID: "artifacts", Title: "Results"}
	if e.Task != nil {
		for _, a := range e.Task.Artifacts {
			if len(s.Pages) >= maxBlocks {
				break
			}
			name := templates.Data(shown(a.Name, 200))
			if a.Name == "" {
				name = templates.Code(shown(a.ID, 200))
			}
			s.Pages = append(s.Pages, templates.Block{Title: name, Text: parts(ledger.JoinTexts(a.Parts))})
		}
	}
	if len(s.Pages) == 0 {
		s.Lead = templates.Say("There is nothing here yet.")
	}
	return s
}

// past shows the earlier states and results of a task.
func (c adminTasks) past(p *ledger.Revisions) (all []templates.Section) {
	if p == nil {
		return nil
	}
	if len(p.States) > 1 {
		t := &templates.Table{Columns: []templates.Column{{Name: "State"}, {Name: "Since"}}}
		for _, s := range p.States {
			since := time.UnixMilli(s.Since).UTC()
			t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{
				state(s.State), templates.Lines(templates.When(since, c.Now()), templates.Data(since.Format(time.DateTime+" UTC"))),
			}})
		}
		all = append(all, templates.Section{ID: "states", Title: "States", Table: t})
	}
	if len(p.Artifacts)+p.Dropped > 0 {
		all = append(all, earlier(p))
	}
	return all
}

// earlier shows the replaced results, the latest first.
func earlier(p *ledger.Revisions) templates.Section {
	s := templates.Section{ID: "replaced", Title: "Replaced results"}
	if p.Dropped > 0 {
		s.Lead = templates.Say("Earlier results that were too many, or too large, to keep: {}", strconv.Itoa(p.Dropped))
	}
	for _, v := range slices.Backward(p.Artifacts) {
		if len(s.Pages) >= maxBlocks {
			break
		}
		until := time.UnixMilli(v.Until).UTC().Format(time.DateTime)
		s.Pages = append(s.Pages, templates.Block{Title: templates.Say("{} until {}", shown(cmp.Or(v.Artifact.Name, v.Artifact.ID), 200), until), Text: shown(v.Text(), maxText)})
	}
	return s
}

func transcript(e *ledger.Record) templates.Section {
	s := templates.Section{ID: "transcript", Title: "Conversation"}
	if e.Task != nil {
		history := e.Task.History
		for _, m := range history[max(0, len(history)-maxTurns):] {
			who := templates.Say("The person")
			if m.Role == a2a.RoleAgent {
				who = templates.Say("The agent")
			}
			s.Pages = append(s.Pages, templates.Block{Title: who, Text: parts(m.Parts)})
		}
	}
	if len(s.Pages) == 0 {
		s.Lead = templates.Say("The agent keeps no history of it.")
	}
	return s
}

// parts returns the parts of a message or a result as text.
func parts(all []a2a.Part) string {
	var text string
	for _, p := range all {
		switch x := p.Content.(type) {
		case a2a.Text:
			text += string(x) + "\n"
		case a2a.Data:
			text += string(x) + "\n"
		default:
			text += "[" + p.Filename + " " + p.MediaType + "]\n"
		}
		if len(text) > 4*maxText {
			break
		}
	}
	return shown(text, maxText)
}

func (c adminTasks) askCancel(r *http.Request, f url.Values) (question, error) {
	e, err := c.Admin.Task(r.Context(), f.Get("id"))
	if err != nil {
		return question{}, err
	}
	return question{
		title: "Cancel this task?", word: "Cancel it", back: taskAt(e.Handle),
		about: templates.Say("The agent {} is asked to stop. Its results so far are kept.", e.Agent),
	}, nil
}

func (c adminTasks) cancel(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	_, err := c.Admin.CancelTask(r.Context(), c.actor(r), f.Get("id"))
	if refused, ok := errors.AsType[*a2a.Error](err); ok {
		err = &operator.Error{Code: "agent_refused", Text: "The agent did not stop: {}", Args: []string{shown(refused.Message, 300)}}
	}
	return withDone(taskAt(f.Get("id")), "canceled"), nil, err
}

// ourOwn shows what is said about a task, in the reader's language if we said it.
func ourOwn(e *ledger.Record, text string) templates.Text {
	if m := e.Sentence(); m != nil {
		return templates.Sentence(m, upTo(500))
	}
	return templates.Known(text)
}

// upTo returns what cleans text, and cuts it to a length.
func upTo(most int) func(string) string { return func(s string) string { return shown(s, most) } }

// shown cleans text for a page, and cuts it to a length.
func shown(s string, most int) string {
	s = sanitize.Text(s)
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
