package a2avault

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"golang.org/x/oauth2"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
)

const (
	renewBefore  = 30 * time.Second       // a token is renewed before it expires
	renewTimeout = 15 * time.Second       // for everything that renewing takes
	claimTimeout = 45 * time.Second       // longer than renewTimeout, writing included
	pollInterval = 100 * time.Millisecond // while another replica renews
	minTokenAge  = 5 * time.Second        // a token that is refused so soon would be again
	maxWrites    = 5                      // attempts to write what was renewed
)

// Credentials implements a2aclient.Credentials with the connections of users. Calls
// without a user carry none.
type Credentials struct {
	Vault *Vault
	App   App
}

var _ a2aclient.Credentials = Credentials{}

// Apply implements a2aclient.Credentials.
func (c Credentials) Apply(req *http.Request, caller a2aclient.Caller) error {
	if caller.User == "" {
		return nil
	}

	row, s, err := c.read(req.Context(), caller.User)
	if err != nil {
		return err
	}
	if !s.Expires.IsZero() && !c.Vault.Now().Before(s.Expires.Add(-renewBefore)) {
		renewed, err := c.renew(req.Context(), row)
		switch {
		case err == nil:
			s = renewed
		case !c.Vault.Now().Before(s.Expires):
			return err
		}
	}

	return s.credential(row.Kind).Apply(req, caller)
}

// Renew implements a2aclient.Credentials.
func (c Credentials) Renew(req *http.Request, caller a2aclient.Caller) bool {
	if caller.User == "" {
		return false
	}

	row, s, err := c.read(req.Context(), caller.User)
	if err != nil || row.Kind != OAuth {
		return false
	}
	if req.Header.Get("Authorization") != "Bearer "+s.Value {
		return true // there is another by now
	}
	if c.Vault.Now().Sub(row.Updated) < minTokenAge {
		return false
	}

	_, err = c.renew(req.Context(), row)
	return err == nil
}

// read returns the stored connection of user.
func (c Credentials) read(ctx context.Context, user string) (*Row, *Secret, error) {
	row, err := c.Vault.Store.Connection(ctx, user, c.App.Agent)
	if errors.Is(err, ErrNone) {
		return nil, nil, errNotConnected(c.App.Agent)
	}
	if err != nil {
		return nil, nil, err
	}
	s, err := c.Vault.secret(row)
	return row, s, err
}

// renew renews the secret of row once for all callers of all replicas, and returns it. It continues
// when the caller disconnects: a refresh token that is used and not stored is lost.
func (c Credentials) renew(ctx context.Context, row *Row) (*Secret, error) {
	got, err, _ := c.Vault.renewing.Do(associatedData(row.Owner, row.Agent), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
		defer cancel()
		return c.renewOnce(ctx, row)
	})
	if err != nil {
		return nil, err
	}
	return got.(*Secret), nil
}

func (c Credentials) renewOnce(ctx context.Context, before *Row) (*Secret, error) {
	holder := c.Vault.Replica + " " + rand.Text()
	for {
		row, s, err := c.read(ctx, before.Owner)
		switch {
		case err != nil:
			return nil, err
		case row.Version != before.Version:
			return s, nil // another call has renewed it
		case s.Refresh == "" || s.Grant == nil:
			return nil, errNotConnected(c.App.Agent)
		}
		err = c.Vault.Store.ClaimRenewal(ctx, row, holder, c.Vault.Now(), claimTimeout)
		if err == nil {
			return c.claimed(ctx, row, *s, holder)
		}
		if !errors.Is(err, ErrChanged) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, a2a.Errorf(
				a2a.Unavailable,
				"the connection to the agent %s is being renewed; try again",
				c.App.Agent,
			)
		case <-time.After(pollInterval):
		}
	}
}

// claimed renews a secret under its claim, and ends the claim. It deletes a secret that
// the server refuses permanently.
func (c Credentials) claimed(ctx context.Context, row *Row, s Secret, holder string) (*Secret, error) {
	next, err := c.refresh(ctx, s)
	switch {
	case errors.Is(err, ErrRefused):
		next = Secret{Grant: s.Grant}
	case err != nil:
		next = s
	}

	if written := c.write(ctx, row, next, holder); written != nil {
		return nil, written
	}

	switch {
	case errors.Is(err, ErrRefused):
		return nil, errNotConnected(c.App.Agent)
	case err != nil:
		return nil, &a2a.Error{
			Code:    a2a.Unavailable,
			Message: "the authorization server of the agent " + c.App.Agent + " does not answer",
			Cause:   err,
		}
	}

	return &next, nil
}

func (c Credentials) refresh(ctx context.Context, s Secret) (Secret, error) {
	known, err := s.Grant.client(c.App)
	if err != nil {
		return Secret{}, err
	}

	config := c.Vault.config(c.App.Agent, s.Grant.Token, known)
	asking := context.WithValue(ctx, oauth2.HTTPClient, c.App.Fetch.HTTP())
	t, err := config.TokenSource(asking, &oauth2.Token{RefreshToken: s.Refresh}).Token()
	if err != nil {
		return Secret{}, c.Vault.refusal(ctx, c.App.Agent, *s.Grant, err)
	}

	next, err := c.Vault.secretOf(
		t, *s.Grant,
	) // the library keeps the refresh token where no other came
	next.Host = s.Host
	return next, err
}

// write stores a secret under a claim, and retries: the previous one is invalid.
func (c Credentials) write(ctx context.Context, row *Row, s Secret, holder string) error {
	sealed, err := c.Vault.seal(row.Owner, row.Agent, s)
	if err != nil {
		return err
	}

	changed := *row
	changed.Sealed, changed.Updated = sealed, c.Vault.Now()
	if s.Value == "" {
		changed.Kind = Ended
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTimeout-renewTimeout)
	defer cancel()
	for n := range maxWrites {
		err = c.Vault.Store.SaveRenewal(ctx, &changed, holder)
		if err == nil {
			return nil
		}
		if errors.Is(err, ErrChanged) {
			return a2a.Errorf(
				a2a.Unavailable,
				"the connection to the agent %s was changed meanwhile; try again",
				c.App.Agent,
			)
		}
		c.Vault.Log.ErrorContext(
			ctx, "writing a renewed connection",
			"agent", c.App.Agent,
			"err", err,
		)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pollInterval << n):
		}
	}

	return err
}
