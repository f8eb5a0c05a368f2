package token

import (
	"context"
	"errors"
	"slices"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/jwt"
)

// noteSigned records until when a token lives that a key is about to sign, so that the key ends
// with the last of them. What it records is a few minutes later than the token ends: otherwise each
// token would cost a write. It fails with ErrNotFound if the key was revoked.
func (ks *Keys) noteSigned(ctx context.Context, key *signingKey, expires time.Time) error {
	needed := expires.Add(jwt.Leeway).UnixMilli()
	if key.noted.Load() >= needed {
		return nil
	}

	leave, err := ks.ring.reading.Acquire(ctx, "", oneReader)
	if err != nil {
		return err
	}
	defer leave()
	if key.noted.Load() >= needed {
		return nil // another request has recorded it meanwhile
	}

	until := expires.Add(keyLead)
	if err := ks.Store.NoteSigned(ctx, key.KeyID, until); err != nil {
		return err
	}

	key.noted.Store(until.UnixMilli())
	return nil
}

// Revoke ends a key at once: it signs nothing more, and what it signed is refused, here immediately
// and at other replicas within two seconds. A key that signs is replaced by a new one in the same
// step, which signs at once. It fails with ErrNotFound, and with ErrNoKeys if access tokens take a
// secret.
func (ks *Keys) Revoke(ctx context.Context, id string) error {
	keys, err := ks.stored(ctx)
	if err != nil {
		return err
	}

	i := slices.IndexFunc(keys, func(k *signingKey) bool { return k.KeyID == id })
	if i < 0 {
		return oauth.ErrNotFound
	}

	var replacement *oauth.SealedKey
	now := ks.Env.Now()
	if signs := keys[i] == active(keys, now); signs || i == len(keys)-1 {
		from := now
		if !signs {
			from = now.Add(keyLead) // it was to sign next
		}
		k, err := ks.create(keys, from)
		if err != nil {
			return err
		}
		replacement = &k
	}

	err = ks.Store.RemoveKey(ctx, id, replacement)
	ks.ring.keep(nil, time.Time{})
	if err == nil {
		ks.Env.Log.InfoContext(ctx, "oauth: signing key revoked", "key", id)
	}

	return err
}

// signAccessToken signs a token that lives until expires.
func (ks *Keys) signAccessToken(ctx context.Context, payload []byte, expires time.Time) (string, error) {
	if ks.Algorithm == HS256 {
		return jwt.Sign(
			HS256,
			[]byte(ks.tokenSecrets()[0]),
			header{Algorithm: HS256, Type: AccessTokenType},
			payload,
		)
	}
	for range 2 {
		key, err := ks.activeKey(ctx)
		if err != nil {
			return "", err
		}
		err = ks.noteSigned(ctx, key, expires)
		if err == nil {
			return key.sign(AccessTokenType, payload)
		}
		if !errors.Is(err, oauth.ErrNotFound) {
			return "", err
		}
		ks.ring.keep(nil, time.Time{}) // another replica has revoked it
	}

	return "", errors.New("the signing key was revoked twice while it signed")
}
