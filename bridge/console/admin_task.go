package console

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/bridge/sanitize"
	"rialto/bridge/web"
	"rialto/templates"
)

// task shows a task of any account. Package documents decides what the operator
// sees and can do (documents.ByOperator).
func (c adminTasks) task(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), pageTimeout)
	defer cancel()
	r = r.WithContext(ctx)
	e, err := c.Admin.Task(ctx, param(r, "id"))
	if err != nil {
		c.writeError(w, r, err)
		return
	}

	v := c.Bridge.Documents.OperatorView(e)
	p := web.TaskPage(v, c.Now(), nil)
	p.Frame, p.Up = c.frame(r, adminArea), link("/admin/tasks", "Tasks")
	if state := e.State(); p.Alert != nil && (state == a2a.Failed || state == a2a.Rejected) {
		p.Alert.Ways = []templates.Way{
			{Href: agentAt(e.Agent), Name: "Test the agent"},
			{
				Href: "/admin/tasks?" + url.Values{
					"agent": {e.Agent},
					"state": {string(state)},
				}.Encode(),
				Name: "Other failures of this agent",
			},
		}
	}

	p.Facts, err = c.taskFacts(r, e)
	if err != nil {
		c.writeError(w, r, err)
		return
	}
	if !e.Idle {
		p.Progress.Live = "/admin/tasks/one/events?id=" + url.QueryEscape(e.Handle)
	}
	if v.CanCancel {
		p.Cancel = &templates.Button{
			Action: "/admin/tasks/cancel",
			Hidden: hidden("id", e.Handle, "confirm", "yes"),
		}
	}

	templates.Write(w, r, http.StatusOK, p)
}

func (c adminTasks) taskFacts(r *http.Request, e *ledger.Record) ([]templates.Fact, error) {
	name := ""
	a, err := c.Admin.AccountOf(r.Context(), e.Owner)
	if err == nil {
		name = a.Name
	} else if !errors.Is(err, operator.ErrNotFound) {
		return nil, err
	}
	app := e.Client
	if client, err := c.Admin.Client(r.Context(), e.Client); err == nil {
		app = cmp.Or(client.Name, app)
	}

	facts := []templates.Fact{
		fact("Account", owner(name, e.Owner)),
		fact("App", appLink(e.Client, sanitize.Short(app, 200))),
		fact("Agent", agentLink(e.Agent)),
		fact("Sent", templates.Stamp(e.Created)), fact("Changed", templates.Stamp(e.Updated)),
		fact("Task ID", templates.ID(e.Handle)),
	}
	if conversation := sanitize.Short(e.ContextID(), 200); conversation != "" {
		facts = append(facts, fact("Conversation", templates.ID(conversation)))
	}

	return facts, nil
}
