package jwt

import (
	"encoding/base64"
	"testing"
)

// FuzzToken checks that a token has one spelling only.
func FuzzToken(f *testing.F) {
	for _, seed := range []string{"AA.AA.AA", "..", "AA.AA", "AA==.AA.AA", "AB.AA.AA", "A\nA.AA.AA"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		parsed, ok := Parse(token)
		if !ok {
			return
		}
		b64 := base64.RawURLEncoding.EncodeToString
		if got := b64(parsed.header) + "." + b64(parsed.Payload) + "." + b64(parsed.signature); got != token {
			t.Errorf("%q reads like %q", token, got)
		}
	})
}

func FuzzKeys(f *testing.F) {
	for _, seed := range []string{
		`{"keys":[]}`, `{"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}`,
		`{"keys":[{"kty":"oct","k":"x"}]}`, `{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}`, `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`, `{"keys":[1]}`, `{}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		keys, err := ParseKeys(body, 20)
		if err != nil {
			return
		}
		for _, key := range keys {
			if !key.IsPublic() || len(algsOf(key)) == 0 {
				t.Errorf("got a key that is private or weak of %q", body)
			}
		}
	})
}
