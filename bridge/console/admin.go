package console

import (
	"slices"

	"rialto/bridge/operator"
)

// adminRoutes lists the pages of operators in the order of the navigation. The guard in front lets
// only administrators see them.
func (c *Console) adminRoutes() []route {
	return slices.Concat(c.activityRoutes(), c.agentRoutes(), c.accessRoutes(), c.serverRoutes())
}

func (c *Console) activityRoutes() []route {
	tasks := adminTasks{c}
	use := adminUsage{c}
	log := adminAudit{c}
	return []route{
		{path: "/admin", page: c.overview},
		{path: "/admin/tasks", page: tasks.tasks},
		{path: "/admin/tasks/events", raw: tasks.taskEvents},
		{path: "/admin/tasks/one", raw: tasks.task},
		{path: "/admin/tasks/one/events", raw: tasks.oneTaskEvents},
		several(
			route{path: "/admin/tasks/cancel", ask: tasks.askCancel, form: tasks.cancel},
			"tasks",
			tasks.cancelAny,
		),
		{path: "/admin/usage", page: use.usage},
		{path: "/admin/usage/calls", page: use.usageCalls},
		{path: "/admin/usage/export", raw: use.exportUsage},
		{path: "/admin/audit", page: log.audit},
		{path: "/admin/audit/export", raw: log.exportAudit},
	}
}

func (c *Console) agentRoutes() []route {
	agents := adminAgents{c}
	connectors := adminConnectors{c}
	return []route{
		{path: "/admin/agents", page: agents.agents},
		{path: "/admin/agents/one", page: agents.agent},
		{path: "/admin/agents/new", page: agents.newAgent, form: agents.addAgent},
		{path: "/admin/agents/change", page: agents.changeForm, form: agents.changeAgent},
		{path: "/admin/agents/test", slow: true, form: agents.testAgent},
		{path: "/admin/agents/enable", form: agents.turn(operator.Agents.Enable, "enabled")},
		{path: "/admin/agents/disable", form: agents.turn(operator.Agents.Disable, "disabled")},
		{path: "/admin/agents/accept", ask: agents.askAccept, form: agents.acceptCard},
		c.removal("agents"),
		{path: "/admin/connectors", page: connectors.connectors},
		{path: "/admin/connectors/one", page: connectors.connector},
		{path: "/admin/connectors/new", page: connectors.newConnector, form: connectors.put},
		{path: "/admin/connectors/change", form: connectors.put},
		c.removal("connectors"),
	}
}

func (c *Console) accessRoutes() []route {
	clients := adminClients{c}
	grants := adminGrants{c}
	accounts := adminAccounts{c}
	return []route{
		{path: "/admin/clients", page: clients.clients},
		{path: "/admin/clients/one", page: clients.client},
		{path: "/admin/clients/new", page: clients.newClient, form: clients.registerClient},
		c.removal("clients"),
		{path: "/admin/grants", page: grants.grants},
		{path: "/admin/grants/end-all", ask: grants.askEndGrants, form: grants.endGrants},
		several(c.removal("grants"), "grants", grants.endAny),
		{path: "/admin/accounts", page: accounts.accounts},
		{path: "/admin/accounts/one", page: accounts.account},
		{path: "/admin/accounts/new", page: accounts.newAccount, fresh: true, form: accounts.addAccount},
		{path: "/admin/accounts/password", fresh: true, form: accounts.setPassword},
		{path: "/admin/accounts/role", fresh: true, form: accounts.setRole},
		{path: "/admin/accounts/disable", form: accounts.turn(true, "disabled")},
		{path: "/admin/accounts/enable", form: accounts.turn(false, "enabled")},
		inFresh(c.removal("accounts")),
	}
}

func (c *Console) serverRoutes() []route {
	keys := adminKeys{c}
	doctor := adminDoctor{c}
	return []route{
		{path: "/admin/keys", page: keys.keys},
		{path: "/admin/keys/rotate", ask: askRotate(), fresh: true, form: keys.rotate},
		{path: "/admin/keys/revoke", ask: keys.askRevokeKey, fresh: true, form: c.removal("keys").form},
		{path: "/admin/settings", page: adminSettings{c}.settings},
		{path: "/admin/doctor", page: doctor.doctorForm, slow: true, form: doctor.examine},
	}
}

// inFresh returns a route whose form needs a fresh session.
func inFresh(o route) route {
	o.fresh = true
	return o
}
