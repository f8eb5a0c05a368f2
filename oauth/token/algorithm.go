package token

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"

	"rialto/oauth"
	"rialto/oauth/internal/jwt"
)

// Algorithms that access tokens can be signed with (RFC 7518 section 3.1, RFC
// 8037 section 3.1). HS256 is no signature: a server that can check a token can
// make one. It is for resource servers that support nothing else.
const (
	ES256 = "ES256"
	RS256 = "RS256"
	EdDSA = "EdDSA"
	HS256 = "HS256"
)

// minTokenSecret is the size of the hash (RFC 7518 section 3.2).
const minTokenSecret = 32

// Check says what is wrong with the operator's choice.
func (ks *Keys) Check() error {
	switch {
	case !slices.Contains([]string{ES256, RS256, EdDSA, HS256}, ks.Algorithm):
		return fmt.Errorf(
			"they cannot be signed with %q; known are ES256, RS256, EdDSA and HS256", ks.Algorithm,
		)
	case ks.Algorithm == HS256 && len(ks.TokenSecret) < minTokenSecret:
		return fmt.Errorf("HS256 takes a secret of %d bytes or more", minTokenSecret)
	case ks.Algorithm != HS256 && len(ks.TokenSecret) > 0:
		return errors.New(
			"a secret for tokens is there, which only HS256 uses: choose HS256, or remove the secret",
		)
	}
	return nil
}

func generate(algorithm string) (crypto.Signer, error) {
	switch algorithm {
	case ES256:
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case RS256:
		return rsa.GenerateKey(rand.Reader, 2048)
	case EdDSA:
		_, private, err := ed25519.GenerateKey(rand.Reader)
		return private, err
	}
	return nil, fmt.Errorf("there are no keys for %q", algorithm)
}

// algorithmOf returns the one algorithm that a key of ours signs with, or "".
// A key that would do with two could be made to check what it did not sign.
func algorithmOf(private any) string {
	switch key := private.(type) {
	case *ecdsa.PrivateKey:
		if key.Curve == elliptic.P256() {
			return ES256
		}
	case *rsa.PrivateKey:
		if key.N.BitLen() >= 2048 {
			return RS256
		}
	case ed25519.PrivateKey:
		return EdDSA
	}
	return ""
}

// readKey makes a signing key of its PKCS #8 form.
func readKey(k oauth.SealedKey, der []byte) (*signingKey, error) {
	private, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("parsing signing key %s: %w", k.KeyID, err)
	}
	alg := algorithmOf(private)
	if alg == "" {
		return nil, fmt.Errorf("signing key %s is of a kind that we do not use", k.KeyID)
	}
	return &signingKey{SealedKey: k, private: private.(crypto.Signer), algorithm: alg}, nil
}

// checkMAC checks a token. Which algorithm is expected is the
// operator's choice and never the token's: a public key cannot be taken for a
// secret, because a server that has the one does not look for the other. It returns the
// secret that made the token.
func (ks *Keys) checkMAC(t *jwt.Token, h header) (string, error) {
	if h.Algorithm != HS256 || h.KeyID != "" {
		return "", BadToken("It is not an access token of this server.")
	}
	for _, key := range ks.tokenSecrets() {
		if t.SignedWith([]byte(key)) {
			return key, nil
		}
	}
	return "", BadToken("It was not made by this server.")
}

// tokenSecrets returns the secrets of HS256: the one that signs, and those that it has replaced.
func (ks *Keys) tokenSecrets() []string {
	return ks.Env.Secrets("tokens.secret", string(ks.TokenSecret))
}
