package oauth

import (
	"slices"
)

// Scopes are the permissions that a server can grant.
type Scopes struct {
	All []Scope // what a client may ask for; offline_access is added by us

	// Default are the scopes that clients are invited to ask for, and that a
	// client gets if it names none. nil is all but ScopeAdmin.
	Default ScopeSet
}

// Words returns what the operator says that a scope means.
func (sc *Scopes) Words(name string) string {
	if UseCase(name) != "" {
		name = ScopeTools
	}
	i := slices.IndexFunc(sc.All, func(scope Scope) bool { return scope.Name == name })
	if i < 0 {
		return name // the configuration has changed since the request came
	}
	return sc.All[i].Words
}

// Scope is a permission: its name on the wire and what it means in words.
type Scope struct{ Name, Words string }

// Ordinary returns the scopes that challenges and the metadata of the resource name, and that a
// client gets if it names none. It leaves out offline_access, which is not a permission of the
// resource (MCP 2026-07-28, "Scope Selection Strategy").
func (sc *Scopes) Ordinary() ScopeSet {
	if len(sc.Default) > 0 {
		return slices.Clip(sc.Default) // what is appended goes elsewhere
	}
	return sc.Offered().Without(ScopeAdmin)
}

// Offered returns every scope that a client may ask for, in the words of the
// configuration. Use cases of ScopeTools are not listed.
func (sc *Scopes) Offered() ScopeSet {
	var set ScopeSet
	for _, scope := range sc.All {
		set = append(set, scope.Name)
	}
	return set
}

// Supported returns the scopes that the metadata of the server names: all but ScopeAdmin.
func (sc *Scopes) Supported() ScopeSet {
	return append(sc.Offered().Without(ScopeAdmin), OfflineAccess)
}

// Supports tells whether the server can grant a scope.
func (sc *Scopes) Supports(scope string) bool {
	if UseCase(scope) != "" {
		scope = ScopeTools
	}
	return scope == OfflineAccess || sc.Offered().Has(scope)
}

// Grantable returns the scopes that a request asks for. A request without
// scopes, or with offline_access alone, asks for the ordinary scopes. Unknown
// scopes are ignored; a request with no other is an error.
func (sc *Scopes) Grantable(asked string) (ScopeSet, error) {
	words := ParseScope(asked)
	if len(words) > maxScopes {
		return nil, Refuse(
			"invalid_scope", "More than %d scopes are too many for a person to read.", maxScopes,
		)
	}

	set := slices.DeleteFunc(
		slices.Clone(words), func(word string) bool { return !sc.Supports(word) },
	)
	if len(words) > 0 && len(set) == 0 {
		return nil, Refuse(
			"invalid_scope", "None of these scopes exists; known are %s.", sc.Supported(),
		)
	}
	if set.OpensNothing() {
		set = append(sc.Ordinary(), set...)
	}

	return set, nil
}

// Allowed returns the part of a scope that an account may grant: only
// administrators may grant ScopeAdmin.
func Allowed(scope ScopeSet, admin bool) ScopeSet {
	if admin {
		return scope
	}
	return scope.Without(ScopeAdmin)
}
