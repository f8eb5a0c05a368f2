package console

import (
	"slices"

	"rialto/templates"
)

// adminRoutes lists the pages of operators. The guard in front lets only administrators see them.
func (c *Console) adminRoutes() []route {
	return slices.Concat(
		[]route{{"/admin", c.show(adminArea, c.overview), nil}},
		adminAgents{c}.routes(),
		adminClients{c}.routes(),
		adminGrants{c}.routes(),
		adminAccounts{c}.routes(),
		adminTasks{c}.routes(),
		adminUsage{c}.routes(),
		adminAudit{c}.routes(),
		adminKeys{c}.routes(),
		adminSettings{c}.routes(),
		adminDoctor{c}.routes(),
	)
}

func link(href, name string) *templates.Way { return &templates.Way{Href: href, Name: name} }

func hidden(name, value string) []templates.Value {
	return []templates.Value{{Name: name, Value: value}}
}
