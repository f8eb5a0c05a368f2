// Package flow serves the protocol endpoints: authorization and consent, pushed requests, the token
// endpoint with its grants, introspection and revocation. It decides which grant a client gets; it
// does not sign tokens or check passwords.
package flow

import (
	"context"
	"time"

	"rialto/oauth"
)

// RequestStore keeps authorization requests while a person decides.
type RequestStore interface {
	// AddRequest records a request.
	AddRequest(ctx context.Context, r *oauth.Request) error
	// Request returns a request that has not expired at now, or ErrNotFound.
	Request(ctx context.Context, handle string, now time.Time) (*oauth.Request, error)
	// TakePushed returns a request that was recorded without a Browser, and forgets it. Of any
	// number of calls with one handle, exactly one succeeds, if it names the request's client and
	// the request has not expired at now; the others get ErrNotFound.
	TakePushed(ctx context.Context, handle, clientID string, now time.Time) (*oauth.Request, error)
	// Approve answers a request: it forgets the request and records the grant
	// and its code. Of any number of Approve and Deny calls with one handle,
	// exactly one succeeds; the others get ErrNotFound and change nothing.
	Approve(ctx context.Context, handle string, g *oauth.Grant, c *oauth.Code) error
	// Deny forgets a request, under the same rule.
	Deny(ctx context.Context, handle string) error
}

// CodeStore keeps the codes and refresh tokens that stand for grants.
type CodeStore interface {
	// TakeCode uses up a code and, unless first is nil, records the first refresh token of the
	// code's grant in the same step. Of any number of calls with one hash, exactly one succeeds,
	// even if the grant has ended; the caller checks the expiry. A second call by the same client
	// revokes the grant and returns ErrReused (RFC 6749 section 4.1.2). A call by another client
	// returns ErrNotFound and changes nothing.
	TakeCode(
		ctx context.Context,
		hash, clientID string,
		first *oauth.Refresh,
		now time.Time,
	) (*oauth.Code, error)
	// Refresh returns a refresh token, used or not, and its grant, live or not, or ErrNotFound.
	Refresh(ctx context.Context, hash string) (*oauth.Refresh, *oauth.Grant, error)
	// Rotate uses a refresh token and returns its sealed successor. The first use stores r.Next and
	// r.Sealed. A later one within r.Grace of the first, up to r.MaxUses in all, returns what the
	// first stored: nothing branches. Any other use revokes the grant and returns ErrReused. A
	// token that is unknown, expired, another client's, or of a grant that is not live returns
	// ErrNotFound and nothing changes.
	Rotate(ctx context.Context, r oauth.Rotation) (sealed string, err error)
}
