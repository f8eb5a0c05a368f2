package token

import (
	"context"
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"

	"rialto/internal/quota"
	"rialto/internal/sealed"
	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
)

// Keys signs with the keys that the store keeps, or with a shared secret
// (HS256), and rotates them.
type Keys struct {
	Store     KeyStore
	Secret    []byte // 32 bytes that encrypt the keys at rest
	Algorithm string // what new keys are made for
	// TokenSecret has 32 bytes or more; for HS256 only.
	TokenSecret []byte
	Env         *endpoint.Env

	ring keyring
}

const (
	keyLife     = 90 * 24 * time.Hour // how long a key signs
	keyLead     = 10 * time.Minute    // how long it is published before that
	maxTokenTTL = 90 * 24 * time.Hour // how long a token may live at most

	keysFresh = 2 * time.Second // how long the keys are cached, and how often an unknown key ID may reload them
)

// oneReader bounds the requests that wait for the keys.
var oneReader = quota.Room{Running: 1, Waiting: 10_000}

// keyring caches the signing keys of the store.
type keyring struct {
	reading quota.Queue // one request at a time reads the store

	mu      sync.Mutex
	loaded  time.Time
	keys    []*signingKey // oldest first
	unknown time.Time     // when an unknown key ID last reloaded them
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
	k.keys = keys
	k.loaded = now
}

// mayReload tells whether an unknown key ID may reload the keys now.
func (k *keyring) mayReload(now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if age := now.Sub(k.unknown); age >= 0 && age < keysFresh {
		return false
	}
	k.unknown = now
	return true
}

// signingKey is a key and the one algorithm that it signs with. It is published
// for a while before it signs, so that every replica and every cache of the
// JWKS knows it by then, and afterwards until no token that it signed is alive.
type signingKey struct {
	oauth.SealedKey
	private   crypto.Signer
	algorithm string
	noted     atomic.Int64 // SealedKey.SignedUntil as this process raised it, in milliseconds since 1970
}

// load returns the keys, read from the store if the cached ones are older than
// fresh. If the store fails, the cached keys are good enough.
func (ks *Keys) load(ctx context.Context, fresh time.Duration) ([]*signingKey, error) {
	keys, ok := ks.ring.known(ks.Env.Now(), fresh)
	if ok {
		return keys, nil
	}

	leave, err := ks.ring.reading.Acquire(ctx, "", oneReader)
	if err != nil {
		return orCached(keys, err)
	}
	defer leave()
	keys, ok = ks.ring.known(ks.Env.Now(), fresh)
	if ok {
		return keys, nil // another request has read them meanwhile
	}

	sealed, err := ks.Store.Keys(ctx, ks.Env.Now())
	if err != nil {
		return orCached(keys, err)
	}

	return ks.open(sealed, keys)
}

// orCached returns the cached keys, or the error if there are none.
func orCached(keys []*signingKey, err error) ([]*signingKey, error) {
	if len(keys) > 0 {
		return keys, nil
	}
	return nil, fmt.Errorf("reading signing keys: %w", err)
}

// open decrypts keys of the store, those that are not among opened, and caches all.
func (ks *Keys) open(sealed []oauth.SealedKey, opened []*signingKey) ([]*signingKey, error) {
	var keys []*signingKey
	for _, k := range sealed {
		key, err := ks.openOnce(opened, k)
		if err != nil {
			return nil, err
		}
		key.noted.Store(k.SignedUntil.UnixMilli())
		keys = append(keys, key)
	}

	ks.ring.keep(keys, ks.Env.Now())
	return keys, nil
}

// openOnce returns a key as the store has it now. It decrypts one that is not among opened.
func (ks *Keys) openOnce(opened []*signingKey, k oauth.SealedKey) (*signingKey, error) {
	for _, old := range opened {
		if old.KeyID == k.KeyID && old.Private == k.Private {
			return &signingKey{SealedKey: k, private: old.private, algorithm: old.algorithm}, nil
		}
	}

	der, err := sealed.Open(ks.Secret, keyPlace(k.KeyID), k.Private)
	if err != nil {
		return nil, fmt.Errorf("opening signing key %s: is it the right secret? %w", k.KeyID, err)
	}

	return readKey(k, der)
}

// activeKey returns the key that signs now, and creates the first one.
func (ks *Keys) activeKey(ctx context.Context) (*signingKey, error) {
	fresh := keysFresh
	for range 2 {
		keys, err := ks.load(ctx, fresh)
		if err != nil {
			return nil, err
		}
		if key := active(keys, ks.Env.Now()); key != nil {
			return key, nil
		}
		if err := ks.add(ctx, keys, ks.Env.Now()); err != nil {
			return nil, err
		}
		fresh = 0 // whichever replica was first, its key is there now
	}

	return nil, errors.New("no signing key is active")
}

// active returns the newest key that may sign, or nil.
func active(keys []*signingKey, now time.Time) *signingKey {
	for _, key := range slices.Backward(keys) {
		if !key.Active.After(now) {
			return key
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

// RotateDue adds a key if the newest has signed for long enough, or has another algorithm than the
// configured one. The old key signs until the new one has been published long enough.
func (ks *Keys) RotateDue(ctx context.Context) error {
	keys, err := ks.stored(ctx)
	if errors.Is(err, ErrNoKeys) {
		return nil
	}
	if err != nil {
		return err
	}

	now := ks.Env.Now()
	newest := keys[len(keys)-1]
	due := now.Sub(newest.Active) > keyLife
	changed := newest.algorithm != ks.Algorithm && !newest.Active.After(now)
	if !due && !changed {
		return nil
	}

	err = ks.add(ctx, keys, now.Add(keyLead))
	if err == nil && ks.Env.Events != nil {
		ks.Env.Events.Happened(ctx, oauth.Event{Kind: oauth.EventKey, Detail: "on schedule"})
	}

	return err
}

// stored returns the keys that the store has now; one of them signs. It fails with ErrNoKeys if
// access tokens take a secret.
func (ks *Keys) stored(ctx context.Context) ([]*signingKey, error) {
	if _, err := ks.publishedKey(ctx); err != nil {
		return nil, err
	}
	return ks.load(ctx, 0)
}

// publishedKey returns the active key. It fails with ErrNoKeys if access tokens take a secret.
func (ks *Keys) publishedKey(ctx context.Context) (*signingKey, error) {
	if ks.Algorithm == HS256 {
		return nil, ErrNoKeys
	}
	return ks.activeKey(ctx)
}

// PublishedKey returns the active key, and where its public half is published. It
// fails with ErrNoKeys if access tokens take a secret.
func (ks *Keys) PublishedKey(ctx context.Context) (signs jose.SigningKey, jwks string, err error) {
	key, err := ks.publishedKey(ctx)
	if err != nil {
		return signs, "", err
	}
	return jose.SigningKey{
		Algorithm: jose.SignatureAlgorithm(key.algorithm),
		Key:       jose.JSONWebKey{Key: key.private, KeyID: key.KeyID},
	}, ks.Env.Issuer + "/jwks.json", nil
}

// SigningKey describes a signing key to the operator.
type SigningKey struct {
	ID        string    // kid
	Algorithm string    // ES256, RS256 or EdDSA
	Active    time.Time // when it begins to sign
	Expires   time.Time // when no token that it signed is alive any more
}

// List returns the signing keys, oldest first. The newest active key signs.
func (ks *Keys) List(ctx context.Context) ([]SigningKey, error) {
	keys, err := ks.load(ctx, 0)
	var all []SigningKey
	for _, k := range keys {
		all = append(all, SigningKey{k.KeyID, k.algorithm, k.Active, k.Expires})
	}
	return all, err
}

// ErrNoKeys says that access tokens take a secret.
var ErrNoKeys = errors.New(
	"there are no signing keys: tokens are made with the secret of the configuration",
)

// Rotate replaces the signing key ahead of schedule, and returns the new one. It
// signs ten minutes later, when every replica and every reader of the JWKS knows
// it; existing tokens stay valid. If a new key is waiting already, Rotate returns
// that one. It fails with ErrNoKeys if access tokens take a secret.
func (ks *Keys) Rotate(ctx context.Context) (newest SigningKey, err error) {
	keys, err := ks.stored(ctx)
	if err != nil {
		return newest, err
	}
	if now := ks.Env.Now(); !keys[len(keys)-1].Active.After(now) {
		if err := ks.add(ctx, keys, now.Add(keyLead)); err != nil {
			return newest, err
		}
	}

	all, err := ks.List(ctx) // whichever replica was first
	if err != nil {
		return newest, err
	}

	return all[len(all)-1], nil
}

// add creates a key that follows keys and signs from active on.
func (ks *Keys) add(ctx context.Context, keys []*signingKey, active time.Time) error {
	key, err := ks.create(keys, active)
	if err != nil {
		return err
	}

	ks.Env.Log.InfoContext(
		ctx, "oauth: signing key created",
		"key", key.KeyID,
		"algorithm", ks.Algorithm,
		"active", active,
	)
	return ks.Store.AddKey(ctx, key, active.Add(keyLead))
}

// create makes a key that follows keys and signs from active on.
func (ks *Keys) create(keys []*signingKey, active time.Time) (key oauth.SealedKey, err error) {
	private, err := generate(ks.Algorithm)
	if err != nil {
		return key, err
	}
	id, err := thumbprint(private)
	if err != nil {
		return key, err
	}
	if strings.HasPrefix(id, "-") {
		return ks.create(keys, active) // a command would take the ID for a flag
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return key, err
	}
	text, err := sealed.Seal(ks.Secret, keyPlace(id), der)
	// It may be a while until the next rotation replaces it, and sets its end.
	return oauth.SealedKey{
		Seq:     next(keys),
		KeyID:   id,
		Private: text,
		Active:  active,
		Expires: active.Add(2*keyLife + maxTokenTTL),
	}, err
}

func keyPlace(id string) string { return "signing_keys|private|" + id }

// thumbprint returns the key's ID (RFC 7638).
func thumbprint(private crypto.Signer) (string, error) {
	jwk := jose.JSONWebKey{Key: private.Public()}
	sum, err := jwk.Thumbprint(crypto.SHA256)
	return base64.RawURLEncoding.EncodeToString(sum), err
}

// verificationKey returns the key with an ID, or nil. An unknown ID may be that of
// a key that another replica has just made.
func (ks *Keys) verificationKey(ctx context.Context, id string) (*signingKey, error) {
	keys, err := ks.load(ctx, keysFresh)
	if err != nil {
		return nil, err
	}

	key := ks.find(keys, id)
	if key == nil && ks.ring.mayReload(ks.Env.Now()) {
		keys, err = ks.load(ctx, time.Nanosecond) // unless that has just happened
		key = ks.find(keys, id)
	}

	return key, err
}

// cached returns the key with an ID if the cached keys are fresh, and nil if it takes a look into the
// store.
func (ks *Keys) cached(id string) *signingKey {
	keys, fresh := ks.ring.known(ks.Env.Now(), keysFresh)
	if !fresh {
		return nil
	}
	return ks.find(keys, id)
}

// find returns the key with an ID that has not expired, or nil.
func (ks *Keys) find(keys []*signingKey, id string) *signingKey {
	for _, k := range keys {
		if k.KeyID == id && ks.Env.Now().Before(k.Expires) {
			return k
		}
	}
	return nil
}

// Public returns the public keys; none if access tokens take a secret.
func (ks *Keys) Public(ctx context.Context) ([]jose.JSONWebKey, error) {
	public := []jose.JSONWebKey{}
	if ks.Algorithm == HS256 {
		return public, nil
	}
	if _, err := ks.activeKey(ctx); err != nil {
		return nil, err
	}

	keys, err := ks.load(ctx, keysFresh)
	for _, k := range keys {
		public = append(public, jose.JSONWebKey{
			Key:       k.private.Public(),
			KeyID:     k.KeyID,
			Algorithm: k.algorithm,
			Use:       "sig",
		})
	}

	return public, err
}

// Rotates returns when the key is replaced on schedule.
func (k SigningKey) Rotates() time.Time { return k.Active.Add(keyLife) }
