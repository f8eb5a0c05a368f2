package a2asign_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/rogpeppe/go-internal/txtar"

	"rialto/a2a/a2asign"
)

const hybrid = `{"name":"Ann\u00e9","description":"","version":"1","url":"https://a.example/v0","protocolVersion":"0.3.0",
 "supportedInterfaces":[{"url":"https://a.example/v1","protocolBinding":"JSONRPC","tenant":"","protocolVersion":"1.0"}],
 "capabilities":{"streaming":false,"extensions":[]},"defaultInputModes":["text/plain"],"defaultOutputModes":[],
 "skills":[{"id":"s","name":"S","description":"","tags":[],"examples":[]}],
 "securitySchemes":{"key":{"apiKeySecurityScheme":{"location":"header","name":"X-Key","description":""},"type":"apiKey","in":"header","name":"X-Key"}}}`

func newKey(t *testing.T, id string) (private, public jose.JSONWebKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private = jose.JSONWebKey{Key: key, KeyID: id}
	return private, private.Public()
}

func signed(t *testing.T, card string, key jose.JSONWebKey) []byte {
	t.Helper()
	out, err := a2asign.Sign([]byte(card), jose.SigningKey{Algorithm: jose.ES256, Key: key}, "https://a.example/jwks.json")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// replaced returns b with old replaced by new, which must be there.
func replaced(t *testing.T, b []byte, old, new string) []byte {
	t.Helper()
	if !bytes.Contains(b, []byte(old)) {
		t.Fatalf("%s is not in %s", old, b)
	}
	return bytes.ReplaceAll(b, []byte(old), []byte(new))
}

func TestACardIsWhatItsSignerSaid(t *testing.T) {
	private, public := newKey(t, "k1")
	_, other := newKey(t, "k1")
	card := signed(t, hybrid, private)
	for name, c := range map[string]struct {
		card []byte
		keys []jose.JSONWebKey
		want error
	}{
		"as it was signed":              {card, []jose.JSONWebKey{public}, nil},
		"among other keys":              {card, []jose.JSONWebKey{other, public}, nil},
		"written in another order":      {[]byte(`{"version":"1",` + string(replaced(t, card, `"version":"1"`, `"x":0`))[1:]), []jose.JSONWebKey{public}, nil},
		"without keys":                  {card, nil, a2asign.ErrUntrusted},
		"by another key with the name":  {card, []jose.JSONWebKey{other}, a2asign.ErrUntrusted},
		"by a key of another name":      {card, []jose.JSONWebKey{{Key: public.Key, KeyID: "k2"}}, a2asign.ErrUntrusted},
		"by a key for encryption":       {card, []jose.JSONWebKey{{Key: public.Key, KeyID: "k1", Use: "enc"}}, a2asign.ErrUntrusted},
		"by a key of another algorithm": {card, []jose.JSONWebKey{{Key: public.Key, KeyID: "k1", Algorithm: "RS256"}}, a2asign.ErrUntrusted},
		"with another name":             {replaced(t, card, `"version":"1"`, `"version":"2"`), []jose.JSONWebKey{public}, a2asign.ErrUntrusted},
		"with another interface":        {replaced(t, card, "a.example/v1", "b.example/v1"), []jose.JSONWebKey{public}, a2asign.ErrUntrusted},
		"without a signature":           {[]byte(hybrid), []jose.JSONWebKey{public}, a2asign.ErrUnsigned},
		"with none in the list":         {[]byte(`{"name":"x","signatures":[]}`), []jose.JSONWebKey{public}, a2asign.ErrUnsigned},
		"with a signature that is none": {[]byte(`{"name":"x","signatures":[{"protected":"e30","signature":""}]}`), []jose.JSONWebKey{public}, a2asign.ErrUntrusted},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := a2asign.Verify(c.card, c.keys); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// Members that a signature does not cover must be dropped: a member of 0.3 that is added
// to a card of 1.0 could change the URL for its readers.
func TestWhatIsNotSignedIsNotReturned(t *testing.T) {
	private, public := newKey(t, "k1")
	pure := strings.Replace(hybrid, `"url":"https://a.example/v0","protocolVersion":"0.3.0",`, "", 1)
	card := replaced(t, signed(t, pure, private), `"version":"1"`, `"version":"1","url":"https://evil.example"`)
	got, _, err := a2asign.Verify(card, []jose.JSONWebKey{public})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(got, []byte("evil")) || !bytes.Contains(got, []byte("https://a.example/v1")) {
		t.Errorf("got %s", got)
	}
}

func TestTheHeaderNamesKeyAndPlace(t *testing.T) {
	private, _ := newKey(t, "k1")
	card := signed(t, hybrid, private)
	var got struct{ Signatures []struct{ Protected string } }
	if err := json.Unmarshal(card, &got); err != nil || len(got.Signatures) == 0 {
		t.Fatal(err, string(card))
	}
	header, err := base64.RawURLEncoding.DecodeString(got.Signatures[0].Protected)
	if want := `{"alg":"ES256","jku":"https://a.example/jwks.json","kid":"k1","typ":"JOSE"}`; err != nil || string(header) != want {
		t.Errorf("got %s, %v, want %s", header, err, want)
	}
	if _, _, err := a2asign.Verify(card, nil); err == nil || !strings.Contains(err.Error(), `"k1"`) {
		t.Errorf("got %v, want the name of the key", err)
	}
}

// TestPayload holds the canonical form against the example of A2A 1.0 section
// 8.4.1 and RFC 8785 section 3.2.3.
func TestPayload(t *testing.T) {
	for in, want := range map[string]string{
		`{"name":"Example Agent","description":"","capabilities":{"streaming":false,"pushNotifications":false},"skills":[],"signatures":[]}`: `{"capabilities":{"pushNotifications":false,"streaming":false},"description":"","name":"Example Agent","skills":[]}`,
		`{"\ufb33":1,"\ud83d\ude00":2,"\u20ac":3,"1":4.50,"\r":1E30}`:                                                                        "{\"\\r\":1e+30,\"1\":4.5,\"\u20ac\":3,\"\U0001f600\":2,\"\ufb33\":1}",
	} {
		got, err := a2asign.Payload([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v\nwant %s", got, err, want)
		}
	}
	for _, in := range []string{``, `null`, `[]`, `"x"`, `{"name":1,"name":2}`, `{"signatures":1}`} {
		if got, err := a2asign.Payload([]byte(in)); err == nil {
			t.Errorf("%s became %s, want an error", in, got)
		}
	}
}

// TestForeignCards checks cards that other implementations have signed: the
// sections of a transcript are the card, the keys, and what of it is signed.
func TestForeignCards(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var keys jose.JSONWebKeySet
		if err := json.Unmarshal(archive.Files[1].Data, &keys); err != nil {
			t.Fatal(err)
		}
		got, _, err := a2asign.Verify(archive.Files[0].Data, keys.Keys)
		if want := strings.TrimSpace(string(archive.Files[2].Data)); err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v\nwant %s", file, got, err, want)
		}
	}
}

func FuzzVerify(f *testing.F) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	public := []jose.JSONWebKey{{Key: key.Public(), KeyID: "k1"}}
	f.Add([]byte(hybrid))
	f.Add([]byte(`{"signatures":[{"protected":"eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIn0","signature":"AAAA","header":{"kid":"k2"}}]}`))
	f.Fuzz(func(t *testing.T, card []byte) {
		if got, _, err := a2asign.Verify(card, public); err == nil {
			t.Errorf("%s was signed, and became %s", card, got)
		}
		first, err := a2asign.Payload(card)
		if err != nil {
			return
		}
		if again, err := a2asign.Payload(first); err != nil || !bytes.Equal(first, again) {
			t.Errorf("got %s, %v, want %s again", again, err, first)
		}
	})
}
