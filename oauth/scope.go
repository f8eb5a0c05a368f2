package oauth

import (
	"slices"
	"strings"

	"rialto/oauth/internal/secret"
)

// The scopes that the package knows by name. What they open is for those to
// say who put a Guard before it.
const (
	// ScopeTools lets a client use every tool. "mcp:tools:<use case>" narrows
	// that to one use case, and "mcp:tools:*" says the same as ScopeTools.
	ScopeTools    = "mcp:tools"
	ScopeDiscover = "a2a:discover" // see agents and one's own tasks
	ScopePublish  = "a2a:publish"  // give agents tasks
	// ScopeAdmin lets its bearer run the server. It is granted to accounts with that role only,
	// whatever they consent to, and is worth nothing when the role is gone.
	ScopeAdmin = "admin"
)

// OfflineAccess is requested by clients that want a refresh token. They all
// get one; the word is known so that it can be echoed.
const OfflineAccess = "offline_access"

// maxScopes bounds how many scopes one request may ask for: a person has to read them.
const maxScopes = 32

// ScopeSet is a set of scopes, in the order of the request.
type ScopeSet []string

// ParseScope splits a scope parameter (RFC 6749 section 3.3). Only the space separates: a tab or a
// no-break space is part of a word, which then is no word that we know.
func ParseScope(s string) ScopeSet {
	var set ScopeSet
	for word := range strings.SplitSeq(s, " ") {
		if word != "" && !slices.Contains(set, word) {
			set = append(set, word)
		}
	}
	return set
}

// UseCase returns the use case that a scope narrows ScopeTools to, or "" for
// any other scope. The use case is "*" for all use cases.
func UseCase(scope string) string {
	useCase, ok := strings.CutPrefix(scope, ScopeTools+":")
	valid := useCase == "*" || IsUseCase(useCase)
	if ok && valid {
		return useCase
	}
	return ""
}

// IsUseCase tells whether s can name a use case: up to 64 letters, digits,
// dots, dashes and underscores, none of which means anything in a scope.
func IsUseCase(s string) bool {
	return s != "" && len(s) <= 64 && secret.IsBase64URL(strings.ReplaceAll(s, ".", "-"))
}

// meets tells whether a granted scope is enough where another is demanded. A
// token for one use case may call tools; one for all may act in each.
func meets(granted, demanded string) bool {
	switch {
	case granted == demanded:
		return true
	case demanded == ScopeTools:
		return UseCase(granted) != ""
	case UseCase(demanded) != "":
		return granted == ScopeTools || granted == ScopeTools+":*"
	}
	return false
}

// Meets tells whether the set is enough for all demanded scopes. UseCases tells
// what a token for one use case may do.
func (s ScopeSet) Meets(demanded ...string) bool {
	return !slices.ContainsFunc(demanded, func(demand string) bool {
		return !slices.ContainsFunc(s, func(granted string) bool { return meets(granted, demand) })
	})
}

// UseCases returns the use cases that the set opens, in order, or all if it
// opens every one. Neither means that it opens no tool.
func (s ScopeSet) UseCases() (some []string, all bool) {
	for _, scope := range s {
		switch useCase := UseCase(scope); {
		case scope == ScopeTools || useCase == "*":
			return nil, true
		case useCase != "":
			some = append(some, useCase)
		}
	}

	slices.Sort(some)
	return slices.Compact(some), false
}

// Only returns the set narrowed to some use cases: a scope for all use cases becomes one for each.
func (s ScopeSet) Only(useCases ...string) ScopeSet {
	var set ScopeSet
	for _, scope := range s {
		useCase := UseCase(scope)
		switch {
		case scope == ScopeTools || useCase == "*":
			for _, only := range useCases {
				set = set.With(ScopeTools + ":" + only)
			}
		case useCase == "" || slices.Contains(useCases, useCase):
			set = set.With(scope)
		}
	}

	return set
}

// Within returns the set narrowed to the use cases of a limit; an empty limit restricts nothing.
func (s ScopeSet) Within(limit []string) ScopeSet {
	if len(limit) == 0 {
		return s
	}
	return s.Only(limit...)
}

// Narrow returns what a client gets if it asks for a part of the granted set.
// Asking for nothing asks for all of it; asking for all tools gets the granted
// use cases. ok is false if the client asks for more.
func (s ScopeSet) Narrow(asked ScopeSet) (set ScopeSet, ok bool) {
	if len(asked) == 0 {
		return s, true
	}

	some, all := s.UseCases()
	for _, scope := range asked {
		switch {
		case s.Has(scope), all && (scope == ScopeTools || UseCase(scope) != ""):
			set = set.With(scope)
		case len(some) > 0 && (scope == ScopeTools || UseCase(scope) == "*"):
			for _, useCase := range some {
				set = set.With(ScopeTools + ":" + useCase)
			}
		default:
			return nil, false
		}
	}

	return set, true
}

// Has tells whether the set holds exactly this scope. Meets tells whether the
// set is enough for a scope.
func (s ScopeSet) Has(scope string) bool { return slices.Contains(s, scope) }

// With returns the set and one more scope, unless it is there.
func (s ScopeSet) With(scope string) ScopeSet {
	if s.Has(scope) {
		return s
	}
	return append(s, scope)
}

// Without returns the set without a scope.
func (s ScopeSet) Without(scope string) ScopeSet {
	if !s.Has(scope) {
		return slices.Clip(s) // appending allocates
	}
	return slices.DeleteFunc(slices.Clone(s), func(has string) bool { return has == scope })
}

// OpensNothing tells whether the set holds no permission: OfflineAccess is none.
func (s ScopeSet) OpensNothing() bool { return len(s.Without(OfflineAccess)) == 0 }

// String returns the set as a scope parameter.
func (s ScopeSet) String() string { return strings.Join(s, " ") }
