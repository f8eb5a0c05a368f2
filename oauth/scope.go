package oauth

import (
	"slices"
	"strings"
)

// offlineAccess is asked for by clients that want a refresh token. They all
// get one; the word is known so that it can be echoed.
const offlineAccess = "offline_access"

// adminScope lets its bearer see and remove clients. Nobody is asked for it,
// and no metadata names it: only IssueToken gives it, to the operator.
const adminScope = "admin"

// ScopeSet is a set of scopes, in the order in which they were asked for.
type ScopeSet []string

// parseScope splits a scope parameter (RFC 6749 section 3.3). Only the space
// separates: a tab or a no-break space is part of a word, which then is no
// word that we know.
func parseScope(s string) ScopeSet {
	var set ScopeSet
	for word := range strings.SplitSeq(s, " ") {
		if word != "" && !slices.Contains(set, word) {
			set = append(set, word)
		}
	}
	return set
}

// Has tells whether the set holds exactly this scope.
func (s ScopeSet) Has(scope string) bool { return slices.Contains(s, scope) }

// HasAll tells whether the set holds all of these.
func (s ScopeSet) HasAll(scopes ...string) bool {
	for _, scope := range scopes {
		if !s.Has(scope) {
			return false
		}
	}
	return true
}

// String returns the set as a scope parameter.
func (s ScopeSet) String() string { return strings.Join(s, " ") }

// ordinary returns the scopes of the resource: what metadata and challenges
// name. offline_access is not among them, because it is no permission of the
// resource (MCP 2026-07-28, "Scope Selection Strategy").
func (s *Server) ordinary() ScopeSet {
	var set ScopeSet
	for _, scope := range s.Scopes {
		if scope.Name != offlineAccess {
			set = append(set, scope.Name)
		}
	}
	return set
}

// known returns every scope that the server understands.
func (s *Server) known() ScopeSet { return append(s.ordinary(), offlineAccess) }

// grantable returns what a client that asks for the scopes in asked is to get.
// Asking for nothing, or for nothing but a refresh token, asks for everything
// ordinary. ok is unset if the client asked only for what does not exist.
func (s *Server) grantable(asked string) (set ScopeSet, ok bool) {
	words := parseScope(asked)
	for _, word := range words {
		if s.known().Has(word) {
			set = append(set, word)
		}
	}
	if unknown := len(words) - len(set); unknown > 0 {
		s.Log.Debug("oauth: unknown scopes ignored", "count", unknown, "known", set.String())
	}
	if len(words) > 0 && len(set) == 0 {
		return nil, false
	}
	if len(set) == 0 || len(set) == 1 && set.Has(offlineAccess) {
		set = append(s.ordinary(), set...)
	}
	return set, true
}
