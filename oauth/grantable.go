package oauth

import "slices"

// Scope is a permission: its name on the wire and what it means in words.
type Scope struct{ Name, Words string }

// ordinary returns the scopes that challenges and the metadata of the resource
// name, and that a client gets which does not say what it wants.
// offline_access is not among them, because it is no permission of the
// resource (MCP 2026-07-28, "Scope Selection Strategy").
func (s *Server) ordinary() ScopeSet {
	if len(s.Ordinary) > 0 {
		return slices.Clip(s.Ordinary) // what is appended goes elsewhere
	}
	return s.offered().without(ScopeAdmin)
}

// offered returns every scope that a client may ask for, in the words of the
// configuration. Use cases of ScopeTools are not listed.
func (s *Server) offered() ScopeSet {
	var set ScopeSet
	for _, scope := range s.Scopes {
		set = append(set, scope.Name)
	}
	return set
}

// known returns the scopes that the metadata of the server names. Nobody is
// invited to ask for the operator's.
func (s *Server) known() ScopeSet {
	return append(s.offered().without(ScopeAdmin), offlineAccess)
}

// understands tells whether the server can grant a scope.
func (s *Server) understands(scope string) bool {
	if UseCase(scope) != "" {
		scope = ScopeTools
	}
	return scope == offlineAccess || s.offered().Has(scope)
}

// grantable returns what a client that asks for the scopes in asked is to get,
// if whoever is asked agrees. Asking for nothing, or for nothing but a refresh
// token, asks for everything ordinary. Scopes that do not exist are ignored;
// asking for nothing else is an error.
func (s *Server) grantable(asked string) (ScopeSet, error) {
	words := parseScope(asked)
	if len(words) > maxScopes {
		return nil, refuse("invalid_scope", "More than %d scopes are too many for a person to read.", maxScopes)
	}
	set := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !s.understands(word) })
	if len(words) > 0 && len(set) == 0 {
		return nil, refuse("invalid_scope", "None of these scopes exists here; known are %s.", s.known())
	}
	if len(set) == 0 || len(set) == 1 && set.Has(offlineAccess) {
		set = append(s.ordinary(), set...)
	}
	return set, nil
}

// allowed returns the part of a scope that an account may grant: the
// operator's takes a role, and no consent makes up for it.
func allowed(scope ScopeSet, admin bool) ScopeSet {
	if admin {
		return scope
	}
	return scope.without(ScopeAdmin)
}
