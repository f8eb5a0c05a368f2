package a2asign_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"rialto/a2a/a2asign"
)

func setOf(t *testing.T, keys ...jose.JSONWebKey) string {
	t.Helper()
	b, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestKeysOfAnAddressAreReadAgainWhenTheyAreReplaced(t *testing.T) {
	oldPrivate, old := newKey(t, "old")
	nextPrivate, next := newKey(t, "next")
	stranger, _ := newKey(t, "stranger")
	served, reads := setOf(t, old), 0
	web := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reads++
		_, _ = w.Write([]byte(served))
	}))
	t.Cleanup(web.Close)
	keys, err := a2asign.NewKeySet(web.URL+"/jwks.json", web.Client())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	keys.SetNow(func() time.Time { return now })
	verify := func(by jose.JSONWebKey, want error, wantReads int) {
		t.Helper()
		if _, err := keys.Verify(t.Context(), signed(t, hybrid, by)); !errors.Is(err, want) || reads != wantReads {
			t.Errorf("got %v after %d reads, want %v after %d", err, reads, want, wantReads)
		}
	}
	verify(oldPrivate, nil, 1)
	verify(oldPrivate, nil, 1)
	served = setOf(t, next)
	verify(nextPrivate, a2asign.ErrUntrusted, 1) // it was read just now
	now = now.Add(time.Minute)
	verify(nextPrivate, nil, 2)
	verify(stranger, a2asign.ErrUntrusted, 2)
	now = now.Add(time.Hour)
	verify(oldPrivate, a2asign.ErrUntrusted, 3) // and no longer believed
}

func TestWhatIsNoKeySetIsRefused(t *testing.T) {
	private, _ := newKey(t, "k1")
	wrong := map[string]string{
		"no key":        `{"keys":[]}`,
		"no JSON":       `keys`,
		"private key":   setOf(t, private),
		"shared secret": `{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"k1"}]}`,
		"too large":     `{"keys":[],"x":"` + strings.Repeat("x", 1<<20) + `"}`,
	}
	for name, text := range wrong {
		file := filepath.Join(t.TempDir(), "keys.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := a2asign.NewKeySet(file, nil); err == nil {
			t.Errorf("%s: was taken for a key set", name)
		}
		web := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }))
		t.Cleanup(web.Close)
		keys, err := a2asign.NewKeySet(web.URL, web.Client())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := keys.Verify(t.Context(), signed(t, hybrid, private)); err == nil {
			t.Errorf("%s: was believed", name)
		}
	}
	gone := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(gone.Close)
	for at, client := range map[string]*http.Client{gone.URL: gone.Client(), "https://127.0.0.1:1/": {Transport: &http.Transport{}}} {
		keys, err := a2asign.NewKeySet(at, client)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := keys.Verify(t.Context(), signed(t, hybrid, private)); err == nil || errors.Is(err, a2asign.ErrUntrusted) {
			t.Errorf("%s: got %v, want that the keys cannot be read", at, err)
		}
	}
	for _, at := range []string{"", "http://keys.example", "file:///keys", filepath.Join(t.TempDir(), "none")} {
		if _, err := a2asign.NewKeySet(at, nil); err == nil {
			t.Errorf("%q was taken for a place of keys", at)
		}
	}
}
