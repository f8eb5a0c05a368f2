package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"rialto/a2a/a2asign"
)

// hybrid is a card for readers of 1.0 and of 0.3.
const hybrid = `{"name":"Tables é","description":"","version":"1.0","url":"https://agent.example/v0","protocolVersion":"0.3.0","preferredTransport":"JSONRPC",
 "supportedInterfaces":[{"url":"https://agent.example/v1","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
 "capabilities":{"streaming":true,"pushNotifications":false,"extensions":[]},"defaultInputModes":["text/plain"],"defaultOutputModes":[],
 "securitySchemes":{"login":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"https://as.example/token","scopes":{"a":""}}}},"type":"oauth2"}},
 "securityRequirements":[{"schemes":{"login":{"list":[]}}}],"security":[{"login":[]}],
 "skills":[{"id":"s","name":"S","description":"","tags":[],"examples":["1.50"]}]}`

// TestSignaturesOfCards has another implementation check our signature, and
// checks its.
func TestSignaturesOfCards(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private := jose.JSONWebKey{Key: key, KeyID: "ours"}
	card, err := a2asign.Sign([]byte(hybrid), jose.SigningKey{Algorithm: jose.ES256, Key: private}, "")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{private.Public()}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "card.json"), filepath.Join(dir, "keys.json"), filepath.Join(dir, "theirs.json")}
	for i, b := range [][]byte{card, keys} {
		if err := os.WriteFile(files[i], b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script{"card.mjs", files, nil}.run(t, &program{log: new(logBuffer)})

	var theirs struct {
		Card json.RawMessage
		Keys []jose.JSONWebKey
	}
	b, err := os.ReadFile(files[2])
	if err == nil {
		err = json.Unmarshal(b, &theirs)
	}
	if err != nil {
		t.Fatal(err)
	}
	if signed, id, err := a2asign.Verify(theirs.Card, theirs.Keys); err != nil || id != "theirs" {
		t.Errorf("got %s by %q, %v", signed, id, err)
	}
}
