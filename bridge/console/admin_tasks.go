package console

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"rialto/bridge/operator"
	"rialto/bridge/sanitize"
	"rialto/templates"
)

// adminTasks are the pages about the tasks of all accounts.
type adminTasks struct{ *Console }

// tasks lists the tasks of all accounts. The page updates itself.
func (c adminTasks) tasks(r *http.Request) (*templates.Console, error) {
	return c.listPage(r, &operator.TaskFilter{}, c, templates.Console{
		Title: "Tasks",
		Lead:  templates.Textf("What people asked the agents to do."),
		Live:  "/admin/tasks/events?" + r.URL.Query().Encode(),
	})
}

func (c adminTasks) cell(_ *http.Request, entry any, column string) templates.Text {
	task := entry.(operator.Task)
	switch column {
	case "asked":
		return templates.Lines(
			templates.Link(taskAt(task.ID), taskTitle(task.Asked)),
			said(task.Message, task.Failure),
		)
	case "state":
		return state(task.State)
	case "owner":
		return owner(task.Owner, task.OwnerID)
	case "updated":
		return duration(task, c.Now())
	}

	return nil
}

// duration is how long a task took, or takes until now.
func duration(task operator.Task, now time.Time) templates.Text {
	if task.State.Terminal() {
		now = task.Updated
	}
	return templates.Took(now.Sub(task.Created))
}

// since returns when a period of days begins; zero is any.
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
		return templates.Lines(templates.Textf("Removed"), templates.Code(id))
	}
	return accountLink(name)
}

func (c adminTasks) askCancel(f *form) (question, error) {
	e, err := c.Admin.Task(f.Context(), f.Get("id"))
	if err != nil {
		return question{}, err
	}

	return question{
		title: "Cancel this task?",
		word:  "Cancel task",
		back:  taskAt(e.Handle),
		about: templates.Textf(
			"The agent {} is asked to stop. Its results so far are kept.", e.Agent,
		),
	}, nil
}

func (c adminTasks) cancel(f *form) error {
	return f.done(taskAt(f.Get("id")), "canceled", c.cancelAny(f, f.Get("id")))
}

func (c adminTasks) cancelAny(f *form, id string) error {
	_, err := c.Admin.CancelTask(f.Context(), f.by, id)
	return cancelError(err)
}

// upTo returns what cleans text, and cuts it to a length.
func upTo(most int) func(string) string {
	return func(s string) string { return sanitize.Short(s, most) }
}
