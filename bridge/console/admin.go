package console

import (
	"net/http"

	"rialto/templates"
)

// adminRoutes lists the pages of operators. The guard before them lets nobody
// else see any of it.
func (c *Console) adminRoutes() []route {
	a := adminArea
	return []route{
		{"/admin", redirect("/admin/agents", http.StatusSeeOther), nil},

		{"/admin/agents", c.show(a, c.agents), nil},
		{"/admin/agents/one", c.show(a, c.agent), nil},
		{"/admin/agents/new", c.show(a, c.newAgent), c.do(a, c.addAgent)},
		{"/admin/agents/change", c.show(a, c.changeForm), c.do(a, c.changeAgent)},
		{"/admin/agents/test", nil, c.slowly(a, c.testAgent)},
		{"/admin/agents/enable", nil, c.do(a, c.enableAgent)},
		{"/admin/agents/disable", nil, c.do(a, c.disableAgent)},
		{"/admin/agents/remove", nil, c.do(a, sure(c.askRemoveAgent, c.removeAgent))},
		{"/admin/agents/accept", nil, c.do(a, sure(c.askAccept, c.acceptCard))},

		{"/admin/clients", c.show(a, c.clients), nil},
		{"/admin/clients/one", c.show(a, c.client), nil},
		{"/admin/clients/new", c.show(a, c.newClient), c.do(a, c.registerClient)},
		{"/admin/clients/remove", nil, c.do(a, sure(c.askRemoveClient, c.removeClient))},

		{"/admin/grants", c.show(a, c.grants), nil},
		{"/admin/grants/end", nil, c.do(a, sure(c.askEndGrant, c.endGrant))},
		{"/admin/grants/end-all", nil, c.do(a, sure(c.askEndGrants, c.endGrants))},

		{"/admin/accounts", c.show(a, c.accounts), nil},
		{"/admin/accounts/one", c.show(a, c.account), nil},
		{"/admin/accounts/new", c.show(a, c.newAccount), c.do(a, c.addAccount)},
		{"/admin/accounts/password", nil, c.do(a, c.setPassword)},
		{"/admin/accounts/role", nil, c.do(a, c.setRole)},
		{"/admin/accounts/disable", nil, c.do(a, c.disableAccount)},
		{"/admin/accounts/enable", nil, c.do(a, c.enableAccount)},
		{"/admin/accounts/remove", nil, c.do(a, sure(c.askRemoveAccount, c.removeAccount))},

		{"/admin/tasks", c.show(a, c.tasks), nil},
		{"/admin/tasks/events", c.taskEvents, nil},
		{"/admin/tasks/one", c.show(a, c.task), nil},
		{"/admin/tasks/one/events", c.oneTaskEvents, nil},
		{"/admin/tasks/cancel", nil, c.do(a, sure(c.askCancel, c.cancel))},

		{"/admin/usage", c.show(a, c.usage), nil},
		{"/admin/usage/export", c.exportUsage, nil},
		{"/admin/audit", c.show(a, c.audit), nil},
		{"/admin/audit/export", c.exportAudit, nil},
		{"/admin/keys", c.show(a, c.keys), nil},
		{"/admin/keys/rotate", nil, c.do(a, sure(askRotate, c.rotate))},
		{"/admin/settings", c.show(a, c.settings), nil},
		{"/admin/doctor", c.show(a, c.doctorForm), c.slowly(a, c.examine)},
	}
}

func redirect(to string, status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, to, status)
	}
}

// one is the button that leads from a row to its own page.
func way(href, name string) *templates.Way { return &templates.Way{Href: href, Name: name} }

// hidden is the value of a form that says what it is about.
func hidden(name, value string) []templates.Value {
	return []templates.Value{{Name: name, Value: value}}
}
