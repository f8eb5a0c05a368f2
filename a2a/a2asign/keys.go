package a2asign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
)

const (
	maxKeys    = 256 << 10        // bytes of a key set
	keysFresh  = 10 * time.Minute // how long the keys of an address are believed to be all
	keysReload = 30 * time.Second // how often an unknown key may make us look
)

// KeySet is a JWKS (RFC 7517 section 5) that the operator trusts: a file, or an https URL
// that is fetched when keys are needed. It may be used concurrently.
type KeySet struct {
	at   string
	http *http.Client // nil for a file
	now  func() time.Time

	mu   sync.Mutex
	keys []jose.JSONWebKey
	read time.Time
}

// NewKeySet returns the key set at a place, which client reads if it is an
// address. A file is read now, and its faults are returned.
func NewKeySet(at string, client *http.Client) (*KeySet, error) {
	s := &KeySet{at: at, now: time.Now}
	if strings.HasPrefix(at, "https://") {
		s.http = client
		return s, nil
	}
	if strings.Contains(at, "://") {
		return nil, fmt.Errorf("%q is neither a file nor an https address", at)
	}

	f, err := os.Open(at)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s.keys, err = readKeys(f)
	return s, err
}

// Verify is the function Verify with the keys of the set. If no key fits, the set is read
// again, because keys rotate.
func (s *KeySet) Verify(ctx context.Context, card []byte) ([]byte, error) {
	for _, fresh := range []time.Duration{keysFresh, keysReload} {
		keys, err := s.load(ctx, fresh)
		if err != nil {
			return nil, fmt.Errorf("reading the keys that may sign the card: %w", err)
		}
		signed, _, err := Verify(card, keys)
		if !errors.Is(err, ErrUntrusted) || s.http == nil || fresh == keysReload {
			return signed, err
		}
	}
	return nil, ErrUntrusted
}

// load returns the keys, and reads them again if they are older than fresh.
func (s *KeySet) load(ctx context.Context, fresh time.Duration) ([]jose.JSONWebKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	recent := s.keys != nil && s.now().Sub(s.read) < fresh
	if s.http == nil || recent {
		return s.keys, nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.at, nil)
	if err != nil {
		return nil, err
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered HTTP %d", s.at, resp.StatusCode)
	}
	keys, err := readKeys(resp.Body)
	if err != nil {
		return nil, err
	}
	s.keys, s.read = keys, s.now()
	return keys, nil
}

// readKeys reads a key set. It refuses a private key, which belongs to the signer only.
func readKeys(r io.Reader) ([]jose.JSONWebKey, error) {
	var set jose.JSONWebKeySet
	if err := json.UnmarshalRead(io.LimitReader(r, maxKeys), &set); err != nil {
		return nil, fmt.Errorf("not a key set (RFC 7517): %w", err)
	}
	if len(set.Keys) == 0 {
		return nil, errors.New("there is no key in the key set")
	}

	for _, key := range set.Keys {
		if !key.Valid() || !key.IsPublic() {
			return nil, fmt.Errorf("the key %.64q is no valid public key", key.KeyID)
		}
	}

	return set.Keys, nil
}
