package console

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"rialto/a2a"
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
		{"/admin/tasks/one", c.task, nil},
		{"/admin/tasks/one/events", c.oneTaskEvents, nil},
		{"/admin/tasks/cancel", nil, c.do(a, confirm(c.askCancel, c.cancel))},
	}
}

// tasks lists the tasks of all accounts. The page updates itself.
func (c adminTasks) tasks(r *http.Request) (templates.Console, error) {
	q, f, err := c.taskFilter(r)
	if err != nil {
		return templates.Console{}, err
	}
	page, err := c.Admin.Tasks(r.Context(), f)
	if err != nil {
		return templates.Console{}, err
	}
	agents, accounts, _, err := c.suggestions(r)
	if err != nil {
		return templates.Console{}, err
	}
	t := &templates.Table{
		Columns: []templates.Column{{Name: "Task"}, {Name: "State"}, {Name: "Agent"}, {Name: "Account"}, {Name: "Took", Right: true}, q.sorted("Sent", descending)}, Dense: true, Total: total(page.Total),
		Empty: unfiltered(q, "No tasks yet. They appear when a person asks an agent from a connected app."),
	}
	if f.Text != "" {
		t.Total = templates.Fill("{} found in the latest {}", upToMost(page.Total), templates.Number(operator.MostSearched))
	}
	for _, task := range page.Items {
		t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{
			templates.Lines(templates.Link(taskAt(task.ID), taskTitle(task.Asked)), templates.Known(task.Message)),
			state(task.State), templates.Data(task.Agent), owner(task.Owner, task.OwnerID),
			duration(task, c.Now()), templates.When(task.Created, c.Now()),
		}})
	}
	filter := q.filter(search("Search requests, or paste an ID"), stateField(), named("agent", "Agent", agents), named("owner", "Account", accounts), daysField())
	if changed := q.get("changed"); changed != "" {
		filter.Hidden = append(filter.Hidden, templates.Value{Name: "changed", Value: changed})
	}
	return templates.Console{
		Title: "Tasks", Lead: templates.Say("What people asked the agents to do."),
		Live:     "/admin/tasks/events?" + r.URL.Query().Encode(),
		Sections: []templates.Section{{ID: "tasks", Table: q.pages(t, page.Prev, page.Next), Filter: filter}},
	}, nil
}

// duration is how long a task took, or takes until now.
func duration(task operator.Task, now time.Time) templates.Text {
	if task.State.Terminal() {
		now = task.Updated
	}
	return templates.Took(now.Sub(task.Created))
}

// unfiltered is what an empty list says, unless a filter made it so.
func unfiltered(q query, words string) templates.Text {
	if q.filtered() {
		return nil
	}
	return templates.Say(words)
}

func (c *Console) taskFilter(r *http.Request) (query, operator.TaskFilter, error) {
	q := parseQuery(r, "agent", "state", "owner", "text", "days", "changed")
	owner, err := c.Admin.AccountID(r.Context(), q.get("owner"))
	return q, operator.TaskFilter{
		Span: span(r), Agent: q.get("agent"), State: a2a.State(q.get("state")), OwnerID: owner, Text: q.get("text"), Since: c.since(q.get("days")), Changed: c.since(q.get("changed")),
	}, err
}

// daysField chooses a period, and since returns when it begins; zero is any.
func daysField() templates.Field {
	return templates.Field{Name: "days", Kind: "choice", Label: "Time", Options: append([]templates.Option{{Word: "Any"}}, spans...)}
}

func (c *Console) since(daysAgo string) time.Time {
	if days, err := strconv.Atoi(daysAgo); err == nil && days > 0 && days <= 366 {
		return c.Now().Add(-time.Duration(days) * 24 * time.Hour)
	}
	return time.Time{}
}

func taskAt(id string) string { return "/admin/tasks/one?id=" + url.QueryEscape(id) }

// owner links to the account of a task, unless the account was removed.
func owner(name, id string) templates.Text {
	if name == "" {
		return templates.Lines(templates.Say("removed"), templates.Code(id))
	}
	return templates.Link("/admin/accounts/one?name="+url.QueryEscape(name), templates.Data(name))
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
	return withDone(taskAt(f.Get("id")), "canceled"), nil, uncanceled(err)
}

// upTo returns what cleans text, and cuts it to a length.
func upTo(most int) func(string) string { return func(s string) string { return shown(s, most) } }

// shown cleans text for a page, and cuts it to a length.
func shown(s string, most int) string {
	return sanitize.Truncate(sanitize.Text(s), most)
}
