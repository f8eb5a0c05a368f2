// Package a2asign signs agent cards and checks their signatures: JWS (RFC 7515)
// over JCS (RFC 8785), as A2A 1.0 section 8.4 and A2A 0.3 section 5.5 have it.
//
// It works on the JSON of a card, not on a2a.Card, because that is what was signed. It never
// follows the "jku" header of a signature, though A2A 1.0 section 8.4.3 has it: an attacker who
// forges a card can name a key set of their own there. The operator configures the keys.
package a2asign

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrUnsigned is returned for a card without a signature.
var ErrUnsigned = errors.New("the card is not signed")

// ErrUntrusted is returned for a card without a valid signature of a trusted key.
var ErrUntrusted = errors.New("the card is not signed by a key that is trusted")

const (
	maxSignatures = 8
	maxHeader     = 4 << 10
)

// algorithms lists the accepted signature algorithms. None is symmetric: a public key must
// never be used as a shared secret.
var algorithms = []jose.SignatureAlgorithm{
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
}

// signature is an entry of "signatures" (A2A 1.0 section 4.4.7). Its
// unprotected header is not signed, so it is not read.
type signature struct {
	Protected string         `json:"protected"`
	Signature string         `json:"signature"`
	Header    jsontext.Value `json:"header,omitempty"`
}

// Sign returns card, the JSON of a card, with signatures by key added to those
// it has. key holds the private key, or a jose.OpaqueSigner, and should have a
// key ID; jku is where others find the public key, or "".
//
// Verifiers disagree about what exactly is signed (see Payloads), so there is
// a signature for each of the forms that differ. Any one is enough for them.
func Sign(card []byte, key jose.SigningKey, jku string) ([]byte, error) {
	c, err := parse(card)
	if err != nil {
		return nil, err
	}

	options := (&jose.SignerOptions{}).WithType("JOSE")
	if jku != "" {
		options.WithHeader("jku", jku)
	}

	signer, err := jose.NewSigner(key, options)
	if err != nil {
		return nil, err
	}

	payloads, err := c.payloads()
	if err != nil {
		return nil, err
	}

	for _, payload := range payloads {
		s, err := sign(signer, payload)
		if err != nil {
			return nil, err
		}
		c.signatures = append(c.signatures, s)
	}

	c.members["signatures"] = c.signatures
	return json.Marshal(c.members, json.Deterministic(true))
}

func sign(signer jose.Signer, payload []byte) (signature, error) {
	signed, err := signer.Sign(payload)
	if err != nil {
		return signature{}, err
	}

	compact, err := signed.DetachedCompactSerialize()
	if err != nil {
		return signature{}, err
	}

	parts := strings.Split(compact, ".")
	return signature{Protected: parts[0], Signature: parts[2]}, nil
}

// Verify returns the members of card, the JSON of a card, that one of keys has signed,
// and the ID of that key. Use only what it returns: members that a signature does not
// cover are left out. It fails with ErrUnsigned or ErrUntrusted.
func Verify(card []byte, keys []jose.JSONWebKey) (signed []byte, keyID string, err error) {
	c, err := parse(card)
	if err != nil {
		return nil, "", err
	}
	if len(c.signatures) == 0 {
		return nil, "", ErrUnsigned
	}

	payloads, err := c.payloads()
	if err != nil {
		return nil, "", err
	}

	for _, s := range c.signatures[:min(len(c.signatures), maxSignatures)] {
		for _, payload := range payloads {
			if key, ok := s.verifies(payload, keys); ok {
				return payload, key.KeyID, nil
			}
		}
	}

	return nil, "", fmt.Errorf("%w: %s", ErrUntrusted, c.claims())
}

// verifies returns the key that made s over payload.
func (s signature) verifies(payload []byte, keys []jose.JSONWebKey) (jose.JSONWebKey, bool) {
	if len(s.Protected) > maxHeader || strings.Contains(s.Protected+s.Signature, ".") {
		return jose.JSONWebKey{}, false
	}

	jws, err := jose.ParseDetached(s.Protected+".."+s.Signature, payload, algorithms)
	if err != nil {
		return jose.JSONWebKey{}, false
	}

	header := jws.Signatures[0].Protected
	for _, key := range keys {
		otherKey := header.KeyID != "" && key.KeyID != "" && header.KeyID != key.KeyID
		otherAlgorithm := key.Algorithm != "" && key.Algorithm != header.Algorithm
		if otherKey || otherAlgorithm || key.Use == "enc" {
			continue
		}
		if jws.DetachedVerify(payload, key.Public()) == nil {
			return key, true
		}
	}

	return jose.JSONWebKey{}, false
}

// document is a decoded card.
type document struct {
	members    map[string]any
	signatures []signature
}

func parse(card []byte) (*document, error) {
	var c document
	if err := json.Unmarshal(card, &c.members); err != nil || c.members == nil {
		return nil, fmt.Errorf("not the JSON of a card: %w", err)
	}

	var in struct {
		Signatures []signature `json:"signatures"`
	}
	if err := json.Unmarshal(card, &in); err != nil {
		return nil, fmt.Errorf("its signatures are not those of A2A: %w", err)
	}

	c.signatures = in.Signatures
	delete(c.members, "signatures")
	return &c, nil
}

// claims returns the IDs of the keys that a card names in its signatures.
func (c *document) claims() string {
	var ids []string
	for _, s := range c.signatures[:min(len(c.signatures), maxSignatures)] {
		var header struct {
			KeyID string `json:"kid"`
		}
		raw, err := base64.RawURLEncoding.DecodeString(s.Protected)
		if err == nil && json.Unmarshal(raw, &header) == nil && header.KeyID != "" {
			ids = append(ids, fmt.Sprintf("%.64q", header.KeyID))
		}
	}

	if len(ids) == 0 {
		return "its signatures name no key"
	}

	return "it names the keys " + strings.Join(ids, ", ")
}
