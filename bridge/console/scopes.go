package console

import (
	"net/http"
	"strconv"
	"strings"

	"rialto/bridge/operator"
	"rialto/oauth"
	"rialto/templates"
)

// scopes describes the scopes of a grant, one on each line.
func (c *Console) scopes(granted []string) templates.Text {
	var all []templates.Text
	for _, scope := range granted {
		if words := c.scopeName(scope); words != nil {
			all = append(all, words)
		}
	}

	if len(all) == 0 {
		return templates.Textf("None")
	}

	return templates.List(all...)
}

// scopeName is a short description of a scope; nil for a scope without an effect of its own.
func (c *Console) scopeName(scope string) templates.Text {
	switch useCase := oauth.UseCase(scope); {
	case scope == oauth.ScopeTools:
		return templates.Textf("Use agents")
	case scope == oauth.ScopeDiscover:
		return templates.Textf("Read (API)")
	case scope == oauth.ScopePublish:
		return templates.Textf("Give tasks (API)")
	case scope == oauth.ScopeAdmin:
		return templates.Textf("Run this server")
	case useCase == "*":
		return templates.Textf("Use agents, in all use cases")
	case useCase != "":
		return templates.Textf("Use agents, in the use case {}", useCase)
	case scope == oauth.OfflineAccess:
		return nil
	}

	for _, s := range c.OAuth.Scopes.All {
		if s.Name == scope {
			return templates.Textf(s.Words)
		}
	}

	return templates.Code(scope)
}

// maxReachable bounds the agents in a row.
const maxReachable = 8

// reachableAgents lists the agents that a grant of the user reaches now.
func (c *Console) reachableAgents(r *http.Request, g operator.Grant) templates.Text {
	opens := oauth.ScopeSet(g.Scope)
	if some, all := user(r).UseCases(); !all {
		opens = opens.Only(some...)
	}

	var names []string
	if some, all := opens.UseCases(); c.OAuth.Consent.Agents != nil && (all || len(some) > 0) {
		names = c.OAuth.Consent.Agents.Titles(g.Resource, some, all)
	}
	if len(names) == 0 {
		return templates.Textf("None")
	}

	shown := strings.Join(names[:min(len(names), maxReachable)], ", ")
	if more := len(names) - maxReachable; more > 0 {
		return templates.Textf("{} and {} more", shown, strconv.Itoa(more))
	}

	return templates.Verbatim(shown)
}

func grantState(s operator.State) templates.Text {
	switch s {
	case operator.Live:
		return templates.Textf("Active")
	case operator.Revoked:
		return templates.Badge(templates.Plain, "Ended")
	case operator.Paused:
		return templates.Badge(templates.Note, "Paused")
	}
	return templates.Badge(templates.Plain, "Expired")
}
