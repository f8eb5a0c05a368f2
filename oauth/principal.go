package oauth

import (
	"context"
	"time"
)

// Principal is the origin of a request: a client that acts for a person, or a
// person in a browser. It is shared between requests: do not change it.
type Principal struct {
	User      string // the account's ID: never changes and is never given again
	Name      string // what the person types to sign in
	ClientID  string // "" for a browser
	GrantID   string // "" for a browser
	Scope     ScopeSet
	Expires   time.Time
	Resource  string // URL of the one that the token is for; "" for a browser
	Connector string // its Name: "" for the default one

	KeyThumbprint string // of the key that the token is bound to; "" is none
}

// Has tells whether the principal's scopes are enough for a scope: see ScopeSet.Meets.
func (p Principal) Has(scope string) bool { return p.Scope.Meets(scope) }

// UseCases returns the use cases of the principal, in order, or all if there is
// no limit. Neither means that it may not use tools.
func (p Principal) UseCases() (some []string, all bool) { return p.Scope.UseCases() }

// contextKey is the one context key of the program.
type contextKey struct{}

// NewContext returns a context that carries a principal.
func NewContext(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// FromContext returns the principal of a request that a guard or a session let through.
func FromContext(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(contextKey{}).(Principal)
	return p, ok
}
