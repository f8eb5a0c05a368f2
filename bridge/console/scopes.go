package console

import (
	"net/http"
	"strconv"

	"rialto/bridge/operator"
	"rialto/oauth"
	"rialto/templates"
)

// scopes describes the scopes of a grant, one on each line.
func (c *Console) scopes(granted []string) templates.Text {
	var all []templates.Text
	for _, scope := range granted {
		if words := c.describeScope(scope); words != nil {
			all = append(all, words)
		}
	}
	if len(all) == 0 {
		return templates.Say("Nothing")
	}
	return templates.List(all...)
}

// describeScope describes a scope; nil for a scope without an effect of its own.
func (c *Console) describeScope(scope string) templates.Text {
	for _, s := range c.OAuth.Scopes.All {
		if s.Name == scope {
			return templates.Say(s.Words)
		}
	}
	switch useCase := oauth.UseCase(scope); {
	case useCase == "*":
		return templates.Say("Use the tools, in all use cases")
	case useCase != "":
		return templates.Say("Use the tools, in the use case {}", useCase)
	case scope == "offline_access":
		return nil
	}
	return templates.Code(scope)
}

// maxReachable bounds the agents in a row.
const maxReachable = 8

// reachableAgents lists the agents that a grant of the user reaches now.
func (c *Console) reachableAgents(r *http.Request, scope []string) templates.Text {
	opens := oauth.ScopeSet(scope)
	if some, all := user(r).UseCases(); !all {
		opens = opens.Only(some...)
	}
	var names []string
	if some, all := opens.UseCases(); c.OAuth.Consent.Agents != nil && (all || len(some) > 0) {
		names = c.OAuth.Consent.Agents(some, all)
	}
	if len(names) == 0 {
		return templates.Say("None")
	}
	texts := make([]templates.Text, 0, maxReachable+1)
	for _, name := range names[:min(len(names), maxReachable)] {
		texts = append(texts, templates.Data(name))
	}
	if more := len(names) - maxReachable; more > 0 {
		texts = append(texts, templates.Say("and {} more", strconv.Itoa(more)))
	}
	return templates.List(texts...)
}

func grantState(s operator.State) templates.Text {
	switch s {
	case operator.Live:
		return templates.Badge(templates.Good, "in force")
	case operator.Revoked:
		return templates.Badge(templates.Plain, "ended")
	case operator.Paused:
		return templates.Badge(templates.Note, "paused")
	}
	return templates.Badge(templates.Plain, "expired")
}
