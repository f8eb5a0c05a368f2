package oauth

import (
	"context"
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"rialto/internal/sealed"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
)

const (
	keyLife     = 90 * 24 * time.Hour // how long a key signs
	keyLead     = 10 * time.Minute    // how long it is published before that
	maxTokenTTL = 90 * 24 * time.Hour // how long a token may live at most

	keysFresh  = time.Minute      // how long the keys are believed to be all
	keysReload = 30 * time.Second // how often an unknown key ID may make us look
)

// keyring holds the signing keys that the store keeps.
type keyring struct {
	reading gate // one at a time asks the store

	mu     sync.Mutex
	loaded time.Time
	keys   []*signingKey // oldest first
}

// known returns the keys, and whether they were read less than fresh ago.
func (k *keyring) known(now time.Time, fresh time.Duration) (keys []*signingKey, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	age := now.Sub(k.loaded)
	return k.keys, len(k.keys) > 0 && age < fresh && age >= 0
}

func (k *keyring) keep(keys []*signingKey, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys, k.loaded = keys, now
}

// signingKey is a key and the one algorithm that it signs with. It is published for a while before
// it signs, so that every replica and every cache of the JWKS knows it by then,
// and afterwards until no token that it signed is alive.
type signingKey struct {
	SealedKey
	private   crypto.Signer
	algorithm string
	signer    jose.Signer
}

// loadKeys returns the keys, read from the store if what we have is older
// than fresh. When the store cannot be asked, what we have is good enough.
func (s *Server) loadKeys(ctx context.Context, fresh time.Duration) ([]*signingKey, error) {
	keys, ok := s.keys.known(s.Now(), fresh)
	if ok {
		return keys, nil
	}
	leave, err := s.keys.reading.enter(ctx, 1)
	if err == nil {
		defer leave()
		if keys, ok = s.keys.known(s.Now(), fresh); ok {
			return keys, nil // somebody else has read them meanwhile
		}
		var sealed []SealedKey
		if sealed, err = s.Store.Keys(ctx, s.Now()); err == nil {
			return s.openKeys(sealed)
		}
	}
	if len(keys) > 0 {
		return keys, nil
	}
	return nil, fmt.Errorf("reading signing keys: %w", err)
}

// openKeys decrypts the keys that the store holds and keeps them.
func (s *Server) openKeys(sealed []SealedKey) ([]*signingKey, error) {
	var keys []*signingKey
	for _, k := range sealed {
		key, err := openKey(s.Secret, k)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	s.keys.keep(keys, s.Now())
	return keys, nil
}

// activeKey returns the key that signs now, and creates the first one.
func (s *Server) activeKey(ctx context.Context) (*signingKey, error) {
	fresh := keysFresh
	for range 2 {
		keys, err := s.loadKeys(ctx, fresh)
		if err != nil {
			return nil, err
		}
		if key := active(keys, s.Now()); key != nil {
			return key, nil
		}
		if err := s.addKey(ctx, next(keys), s.Now()); err != nil {
			return nil, err
		}
		fresh = 0 // whichever replica was first, its key is there now
	}
	return nil, errors.New("no signing key is active")
}

// active returns the newest key that may sign, or nil.
func active(keys []*signingKey, now time.Time) *signingKey {
	for i := len(keys) - 1; i >= 0; i-- {
		if !keys[i].Active.After(now) {
			return keys[i]
		}
	}
	return nil
}

// next returns the sequence number that follows.
func next(keys []*signingKey) int64 {
	if len(keys) == 0 {
		return 1
	}
	return keys[len(keys)-1].Seq + 1
}

// rotateKeys adds a key when the newest has signed for long enough, or is not
// of the algorithm that the operator has chosen since. Until the new one signs
// the old one does: nobody meets a key that they could not know.
func (s *Server) rotateKeys(ctx context.Context) error {
	if _, err := s.activeKey(ctx); err != nil {
		return err
	}
	keys, err := s.loadKeys(ctx, 0)
	if err != nil {
		return err
	}
	now, newest := s.Now(), keys[len(keys)-1]
	due := now.Sub(newest.Active) > keyLife
	changed := newest.algorithm != s.Algorithm && !newest.Active.After(now)
	if due || changed {
		err = s.addKey(ctx, next(keys), now.Add(keyLead))
		if err == nil && s.Events != nil {
			s.Events.Happened(ctx, Event{Kind: EventKey, Detail: "by itself, as it was due"})
		}
		return err
	}
	return nil
}

// PublishedKey returns the key that signs now, and where its public half is
// published, for what else the server puts its name to. It fails where access
// tokens take a secret: then nothing is published.
func (s *Server) PublishedKey(ctx context.Context) (jose.SigningKey, string, error) {
	if s.Algorithm == HS256 {
		return jose.SigningKey{}, "", errors.New("there is no public key, because access tokens take a secret (HS256)")
	}
	key, err := s.activeKey(ctx)
	if err != nil {
		return jose.SigningKey{}, "", err
	}
	return jose.SigningKey{
		Algorithm: jose.SignatureAlgorithm(key.algorithm), Key: jose.JSONWebKey{Key: key.private, KeyID: key.KeyID},
	}, s.Issuer + "/jwks.json", nil
}

// SigningKey is what an operator may know of a signing key.
type SigningKey struct {
	ID        string    // kid
	Algorithm string    // ES256, RS256 or EdDSA
	Active    time.Time // when it begins to sign
	Expires   time.Time // when no token that it signed is alive any more
}

// SigningKeys returns the signing keys, oldest first. The newest of those that
// are active signs.
func (s *Server) SigningKeys(ctx context.Context) ([]SigningKey, error) {
	keys, err := s.loadKeys(ctx, 0)
	var all []SigningKey
	for _, k := range keys {
		all = append(all, SigningKey{k.KeyID, k.algorithm, k.Active, k.Expires})
	}
	return all, err
}

// ErrNoKeys says that access tokens take a secret.
var ErrNoKeys = errors.New("there are no signing keys: tokens are made with the secret of the configuration")

// RotateKeys replaces the signing key before its time, and returns the new one.
// It signs ten minutes later, when every replica and every reader of the JWKS
// knows it; tokens that exist stay valid. While a new key waits for its turn
// there is no other: RotateKeys returns that one. It fails with ErrNoKeys where
// access tokens take a secret.
func (s *Server) RotateKeys(ctx context.Context) (SigningKey, error) {
	if s.Algorithm == HS256 {
		return SigningKey{}, ErrNoKeys
	}
	if _, err := s.activeKey(ctx); err != nil {
		return SigningKey{}, err
	}
	keys, err := s.loadKeys(ctx, 0)
	if err != nil {
		return SigningKey{}, err
	}
	if now := s.Now(); !keys[len(keys)-1].Active.After(now) {
		if err := s.addKey(ctx, next(keys), now.Add(keyLead)); err != nil {
			return SigningKey{}, err
		}
	}
	all, err := s.SigningKeys(ctx) // whichever replica was first
	if err != nil {
		return SigningKey{}, err
	}
	return all[len(all)-1], nil
}

// addKey creates a key that signs from active on.
func (s *Server) addKey(ctx context.Context, seq int64, active time.Time) error {
	private, err := generate(s.Algorithm)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	id, err := thumbprint(private)
	if err != nil {
		return err
	}
	text, err := sealed.Seal(s.Secret, keyPlace(id), der)
	if err != nil {
		return err
	}
	s.Log.InfoContext(ctx, "oauth: signing key created", "key", id, "algorithm", s.Algorithm, "active", active)
	// It may be a while until the next rotation replaces it.
	return s.Store.AddKey(ctx, SealedKey{Seq: seq, KeyID: id, Private: text, Active: active, Expires: active.Add(2*keyLife + maxTokenTTL)})
}

// openKey decrypts a key.
func openKey(secret []byte, k SealedKey) (*signingKey, error) {
	der, err := sealed.Open(secret, keyPlace(k.KeyID), k.Private)
	if err != nil {
		return nil, fmt.Errorf("opening signing key %s: is it the right secret? %w", k.KeyID, err)
	}
	return readKey(k, der)
}

func keyPlace(id string) string { return "signing_keys|private|" + id }

// thumbprint returns the key's ID (RFC 7638).
func thumbprint(private crypto.Signer) (string, error) {
	jwk := jose.JSONWebKey{Key: private.Public()}
	sum, err := jwk.Thumbprint(crypto.SHA256)
	return base64.RawURLEncoding.EncodeToString(sum), err
}

// verificationKey returns the key of an ID, or nil. An ID that we do
// not know may be a key that another replica has just made.
func (s *Server) verificationKey(ctx context.Context, id string) (*signingKey, error) {
	for _, fresh := range []time.Duration{keysFresh, keysReload} {
		keys, err := s.loadKeys(ctx, fresh)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			if k.KeyID == id && s.Now().Before(k.Expires) {
				return k, nil
			}
		}
	}
	return nil, nil
}

// publicKeys returns what others may check our tokens with: nothing, if it
// takes a secret.
func (s *Server) publicKeys(ctx context.Context) ([]jose.JSONWebKey, error) {
	public := []jose.JSONWebKey{}
	if s.Algorithm == HS256 {
		return public, nil
	}
	if _, err := s.activeKey(ctx); err != nil {
		return nil, err
	}
	keys, err := s.loadKeys(ctx, keysFresh)
	for _, k := range keys {
		public = append(public, jose.JSONWebKey{Key: k.private.Public(), KeyID: k.KeyID, Algorithm: k.algorithm, Use: "sig"})
	}
	return public, err
}

// jwks publishes the public keys (RFC 7517).
func (s *Server) jwks(w http.ResponseWriter, r *http.Request) {
	keys, err := s.publicKeys(r.Context())
	if err != nil {
		s.writeError(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/jwk-set+json")
	w.Header().Set("Cache-Control", "public, max-age=300") // less than keyLead
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if err := json.MarshalWrite(w, jose.JSONWebKeySet{Keys: keys}); err != nil {
		s.Log.DebugContext(r.Context(), "oauth: keys not sent", "error", err)
	}
}
