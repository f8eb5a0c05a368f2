package authserver_test

import (
	"errors"
	"testing"
	"time"

	"rialto/oauth"
)

// kids returns the IDs of the published keys.
func (r *rig) kids() (all []string) {
	r.t.Helper()
	for _, k := range r.jwks().Keys {
		all = append(all, k.KeyID)
	}
	return all
}

// rotated replaces the signing key and waits until the new one signs.
func (r *rig) rotated() string {
	r.t.Helper()
	next, err := r.s.Keys.Rotate(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	r.clock.advance(next.Active.Sub(r.clock.Now()))
	return next.ID
}

// TestARetiredKeyEndsWithTheLastTokenItSigned rotates keys. A retired key was valid for nine months.
func TestARetiredKeyEndsWithTheLastTokenItSigned(t *testing.T) {
	r := newRig(t)
	first := kid(t, r.tokens(r.newClient("none"), nil).str("access_token")) // for an hour
	second := r.rotated()
	long, g, err := r.s.Tokens.Issue(t.Context(), "Ada", []string{"mcp:tools"}, 24*time.Hour)
	if err != nil || kid(t, long) != second {
		t.Fatalf("got a token of %s, %v; want one of the new key", kid(t, long), err)
	}
	r.clock.advance(45 * time.Minute)
	if got := r.kids(); len(got) != 2 || got[0] != first {
		t.Fatalf("got keys %v before the last token of the first has expired", got)
	}
	r.clock.advance(20 * time.Minute)
	if got := r.kids(); len(got) != 1 || got[0] != second {
		t.Errorf("got keys %v 75 minutes after the last token of the first, want the second only", got)
	}
	third := r.rotated()
	r.clock.advance(g.Expires.Sub(r.clock.Now()) - time.Minute)
	if got := status(r.s, long); got != 200 {
		t.Errorf("got %d for a token of a retired key that is valid, want 200", got)
	}
	r.clock.advance(15 * time.Minute)
	if got := r.kids(); len(got) != 1 || got[0] != third {
		t.Errorf("got keys %v after the last token of the second, want the third only", got)
	}
}

// TestARevokedKeyEndsAtOnce revokes keys in each state, here and at another replica.
func TestARevokedKeyEndsAtOnce(t *testing.T) {
	r := newRig(t)
	c, other := r.newClient("none"), r.replica()
	got := r.tokens(c, nil)
	token := got.str("access_token")
	signs := kid(t, token)
	if first, second := status(r.s, token), status(other, token); first != 200 || second != 200 {
		t.Fatalf("got %d and %d before", first, second)
	}
	if err := r.s.Keys.Revoke(t.Context(), signs); err != nil {
		t.Fatal(err)
	}
	if got := status(r.s, token); got != 401 {
		t.Errorf("got %d at once, want 401", got)
	}
	if got := r.kids(); len(got) != 1 || got[0] == signs {
		t.Errorf("got keys %v, want a new one only", got)
	}
	r.clock.advance(2 * time.Second)
	if got := status(other, token); got != 401 {
		t.Errorf("got %d at another replica after two seconds, want 401", got)
	}
	got = r.ok(r.form("/token", refreshForm(c, got.str("refresh_token"))))
	if first, second := status(r.s, got.str("access_token")), status(other, got.str("access_token")); first != 200 || second != 200 {
		t.Errorf("got %d and %d for a refreshed token, want 200", first, second)
	}
	if err := r.s.Keys.Revoke(t.Context(), signs); !errors.Is(err, oauth.ErrNotFound) {
		t.Errorf("got %v the second time, want not found", err)
	}

	t.Run("a key that waits for its turn", func(t *testing.T) {
		next, err := r.s.Keys.Rotate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := r.s.Keys.Revoke(t.Context(), next.ID); err != nil {
			t.Fatal(err)
		}
		all, err := r.s.Keys.List(t.Context())
		if err != nil || len(all) != 2 || all[1].ID == next.ID || !all[1].Active.After(r.clock.Now()) {
			t.Errorf("got %+v, %v; want another key that waits", all, err)
		}
		if got := status(r.s, r.ok(r.form("/token", refreshForm(c, got.str("refresh_token")))).str("access_token")); got != 200 {
			t.Errorf("got %d, want the key that signs to go on", got)
		}
		r.clock.advance(10 * time.Minute)
	})
	t.Run("a retired key", func(t *testing.T) {
		all, err := r.s.Keys.List(t.Context())
		if err != nil || len(all) != 2 {
			t.Fatalf("got %+v, %v", all, err)
		}
		if err := other.Keys.Revoke(t.Context(), all[0].ID); err != nil {
			t.Fatal(err)
		}
		r.clock.advance(2 * time.Second)
		if got := r.kids(); len(got) != 1 || got[0] != all[1].ID {
			t.Errorf("got keys %v, want %s only", got, all[1].ID)
		}
	})
}

// TestAKeyThatAnotherReplicaRevokedSignsNothing mints with a replica that has not heard of it. The
// token lives longer than any that the key signed, so the replica asks the store first.
func TestAKeyThatAnotherReplicaRevokedSignsNothing(t *testing.T) {
	r := newRig(t)
	old := kid(t, r.tokens(r.newClient("none"), nil).str("access_token"))
	if err := r.replica().Keys.Revoke(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	token, _, err := r.s.Tokens.Issue(t.Context(), "Ada", []string{"mcp:tools"}, 24*time.Hour)
	if err != nil || kid(t, token) == old || status(r.s, token) != 200 {
		t.Errorf("got a token of %s, %v; want one of the new key", kid(t, token), err)
	}
}
