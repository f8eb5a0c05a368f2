package login

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// proofAlgorithm is that of the keys that logins have.
const proofAlgorithm = "ES256"

// key is the key of a login whose tokens are bound to it (DPoP, RFC 9449).
type key struct{ *ecdsa.PrivateKey }

func newKey() (*key, error) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return &key{k}, err
}

// MarshalJSON implements json.Marshaler.
func (k *key) MarshalJSON() ([]byte, error) {
	text, err := x509.MarshalPKCS8PrivateKey(k.PrivateKey)
	if err != nil {
		return nil, err
	}
	return json.Marshal(text)
}

// UnmarshalJSON implements json.Unmarshaler.
func (k *key) UnmarshalJSON(b []byte) error {
	var text []byte
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}

	parsed, err := x509.ParsePKCS8PrivateKey(text)
	if err != nil {
		return err
	}

	ec, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return errors.New("dpop_key is no ECDSA key")
	}

	k.PrivateKey = ec
	return nil
}

// proof returns a proof for one request (RFC 9449 section 4.2). With an access token it is for it.
func (k *key) proof(r *http.Request, accessToken, nonce string, now time.Time) (string, error) {
	u := *r.URL
	u.RawQuery = ""
	u.Fragment = ""
	claims := jwt.MapClaims{
		"jti": rand.Text(),
		"htm": r.Method,
		"htu": u.String(),
		"iat": now.Unix(),
	}
	if accessToken != "" {
		sum := sha256.Sum256([]byte(accessToken))
		claims["ath"] = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	if nonce != "" {
		claims["nonce"] = nonce
	}

	public, err := k.PublicKey.Bytes() // 4, x, y
	if err != nil {
		return "", err
	}

	t := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	t.Header["typ"] = "dpop+jwt"
	t.Header["jwk"] = map[string]string{
		"kty": "EC",
		"crv": "P-256",
		"x":   base64.RawURLEncoding.EncodeToString(public[1:33]),
		"y":   base64.RawURLEncoding.EncodeToString(public[33:]),
	}
	return t.SignedString(k.PrivateKey)
}

// send sends a request with the access token of a login, if there is one. It sends it once more if
// the server wants a nonce in the proof (RFC 9449 sections 8 and 9).
func (l *Login) send(r *http.Request, s *stored) (*http.Response, error) {
	return l.prove(r, s, s.accessToken())
}

// prove sends a request with an access token, which may be "", and with a proof if s has a key.
func (l *Login) prove(r *http.Request, s *stored, accessToken string) (*http.Response, error) {
	for first := true; ; first = false {
		out := r.Clone(r.Context())
		if r.GetBody != nil {
			body, err := r.GetBody()
			if err != nil {
				return nil, err
			}
			out.Body = body
		}
		nonce, err := l.sign(out, s, accessToken)
		if err != nil {
			return nil, err
		}
		resp, err := l.base().RoundTrip(out)
		if err != nil {
			return nil, err
		}
		wanted := resp.Header.Get("DPoP-Nonce")
		if wanted != "" {
			l.nonces.Store(origin(r.URL), wanted)
		}
		refused := resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusUnauthorized
		signed := out.Header.Get("DPoP") != ""
		again := first && signed && refused && wanted != "" && wanted != nonce
		if !again {
			return resp, nil
		}
		discard(resp)
	}
}

// sign adds the token and the proof to a request, and returns the nonce that the proof holds.
func (l *Login) sign(r *http.Request, s *stored, accessToken string) (nonce string, err error) {
	scheme := "Bearer"
	if s != nil && s.Key != nil {
		known, _ := l.nonces.Load(origin(r.URL))
		nonce, _ = known.(string)
		proof, err := s.Key.proof(r, accessToken, nonce, l.now())
		if err != nil {
			return "", err
		}
		r.Header.Set("DPoP", proof)
		scheme = "DPoP"
	}
	if accessToken != "" {
		r.Header.Set("Authorization", scheme+" "+accessToken)
	}

	return nonce, nil
}
