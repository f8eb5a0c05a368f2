package token

import (
	"context"
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"hash"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json/jsontext"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/jwt"
	"rialto/oauth/internal/secret"
)

// Proofs checks DPoP proofs (RFC 9449). A proof is good once, within proofWindow; the server asks for no
// nonces (sections 8 and 9).
type Proofs struct {
	Store OnceStore
	Env   *endpoint.Env
}

// proofType keeps other JWTs from being taken for proofs (RFC 9449 section 4.2).
const proofType = "dpop+jwt"

// proofWindow is how far the clock of a client may be from ours. The DPoP profile of MCP (SEP-1932)
// asks for five minutes.
const proofWindow = 5 * time.Minute

// proofHeader is all that the header of a proof may hold. Whatever would point
// us to another key is unknown, and refused.
type proofHeader struct {
	Type      string         `json:"typ"`
	Algorithm string         `json:"alg"`
	Key       jsontext.Value `json:"jwk"`
	KeyID     jsontext.Value `json:"kid"` // some libraries name the key that they enclose
}

// proof is a DPoP proof whose signature holds: its sender has the key.
type proof struct {
	jkt       string // thumbprint of the key (RFC 7638)
	ID        string `json:"jti"`
	Method    string `json:"htm"`
	URI       string `json:"htu"`
	IssuedAt  int64  `json:"iat"`
	TokenHash string `json:"ath"`
	Digest    string `json:"content_digest"` // of the body; a draft of SEP-1932 had it
}

// proofFor is the request that a proof should be for.
type proofFor struct {
	method, uri string
	token       string // the access token that comes with it; "" at the token endpoint
	now         time.Time
}

// readProof checks form and signature of a proof (RFC 9449 section 4.3).
func readProof(raw string) (*proof, error) {
	t, ok := jwt.Parse(raw)
	var h proofHeader
	if !ok || t.Header(&h) != nil {
		return nil, BadProof("It isn't a signed JWT of the plain form.")
	}
	if h.Type != proofType {
		return nil, BadProof("Its typ is not %s.", proofType)
	}
	if !slices.Contains(jwt.Algorithms(), h.Algorithm) {
		return nil, BadProof("Its algorithm is not supported.")
	}

	key, err := enclosedKey(h)
	if err != nil {
		return nil, err
	}
	if !t.SignedBy(h.Algorithm, *key) {
		return nil, BadProof("The enclosed key has not signed it.")
	}

	p := &proof{}
	if t.Claims(p) != nil {
		return nil, BadProof("Its claims aren't well formed.")
	}

	sum, err := key.Thumbprint(crypto.SHA256)
	p.jkt = base64.RawURLEncoding.EncodeToString(sum)
	return p, err
}

// enclosedKey returns the key of a proof: one, public, and strong enough.
func enclosedKey(h proofHeader) (*jose.JSONWebKey, error) {
	keys, err := jwt.ParseKeys(slices.Concat([]byte(`{"keys":[`), h.Key, []byte(`]}`)), 1)
	if err != nil {
		return nil, BadProof("Its jwk is no public key.")
	}
	keys = jwt.Usable(keys, "", h.Algorithm)
	if len(keys) != 1 {
		return nil, BadProof("Its jwk is no key for its algorithm.")
	}
	return &keys[0], nil
}

// wrong says why a proof is not one for a request, or "". The caller checks that it is used once.
func (p *proof) wrong(want proofFor) string {
	age := want.now.Sub(time.Unix(p.IssuedAt, 0))
	switch {
	case p.ID == "" || len(p.ID) > jwt.MaxID:
		return "It has no jti, or one that is too long."
	case p.Method != want.method:
		return "Its htm is another method."
	case !sameEndpoint(p.URI, want.uri):
		return "Its htu is another address."
	case p.IssuedAt <= 0 || age.Abs() > proofWindow:
		return "Its iat is more than five minutes away."
	case want.token != "" && !secret.Same(p.TokenHash, secret.Hash(want.token)):
		return "Its ath is not the hash of the access token."
	}

	return ""
}

// sameEndpoint compares addresses without their query and fragment, after the
// normalization of RFC 3986 sections 6.2.2 and 6.2.3 (RFC 9449 section 4.3).
func sameEndpoint(claimed, ours string) bool {
	a, okA := normalURL(claimed)
	b, okB := normalURL(ours)
	return okA && okB && a == b
}

func normalURL(raw string) (string, bool) {
	u, err := url.Parse(raw)
	if err != nil || len(raw) > oauth.MaxURL {
		return "", false
	}

	u.RawQuery = ""
	u.ForceQuery = false
	u.Fragment = ""
	u.RawFragment = ""
	canonical, ok := oauth.CanonicalResource(u.String())
	if path := u.EscapedPath(); len(path) > 1 && strings.HasSuffix(path, "/") {
		canonical += "/" // it means something here
	}

	return canonical, ok
}

// Verify returns the thumbprint of the key that a request to an origin proves to have, and
// "" if it carries no proof. With an access token the proof must be for it; if it holds a digest of
// the body, reading the body of r fails unless the digest is right.
func (pf *Proofs) Verify(r *http.Request, origin, token string) (jkt string, err error) {
	headers := r.Header.Values("DPoP")
	switch len(headers) {
	case 0:
		return "", nil
	case 1:
	default:
		return "", BadProof("There is more than one DPoP header.")
	}
	p, err := readProof(headers[0])
	if err != nil {
		return "", err
	}
	want := proofFor{r.Method, origin + r.URL.EscapedPath(), token, pf.Env.Now()}
	if why := p.wrong(want); why != "" {
		return "", BadProof("%s", why)
	}
	if token != "" && p.Digest != "" { // the token endpoint has read its body
		r.Body = newDigestedBody(r, p.Digest)
	}

	return p.jkt, pf.useProof(r.Context(), p)
}

// useProof lets a proof work once (RFC 9449 section 11.1).
func (pf *Proofs) useProof(ctx context.Context, p *proof) error {
	err := pf.Store.UseOnce(
		ctx, secret.Hash("dpop|"+p.jkt+"|"+p.ID), time.Unix(p.IssuedAt, 0).Add(2*proofWindow),
	)
	if errors.Is(err, oauth.ErrReused) {
		return BadProof("It was used before.")
	}
	return err
}

// BadProof returns the error for a proof that is not valid.
func BadProof(format string, args ...any) *oauth.Error {
	e := oauth.Refuse("invalid_dpop_proof", format, args...)
	e.Description = "The DPoP proof is not valid. " + e.Description
	return e
}

// digestedBody is a body whose end cannot be read unless it has a digest.
type digestedBody struct {
	io.ReadCloser
	sum  hash.Hash
	want string
	left int64 // bytes to come; less than zero if unknown
}

func newDigestedBody(r *http.Request, digest string) *digestedBody {
	return &digestedBody{r.Body, sha256.New(), digest, r.ContentLength}
}

// Read implements io.Reader.
func (b *digestedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.sum.Write(p[:n])
	b.left -= int64(n)
	if err != io.EOF && b.left != 0 {
		return n, err
	}

	got := "sha-256=:" + base64.StdEncoding.EncodeToString(b.sum.Sum(nil)) + ":"
	if got != b.want {
		return 0, BadProof("Its content_digest is not that of the body.")
	}

	return n, err
}
