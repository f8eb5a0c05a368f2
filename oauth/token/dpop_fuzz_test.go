package token

import (
	"testing"
	"time"
)

// The proof of RFC 9449 section 4.1, and the thumbprint of its key (section
// 6.1).
const (
	proofOfRFC = "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"
	keyOfRFC   = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
)

func TestN1TheVectorsOfRFC9449Hold(t *testing.T) {
	p, err := readProof(proofOfRFC)
	if err != nil {
		t.Fatal(err)
	}
	if p.jkt != keyOfRFC {
		t.Errorf("got the thumbprint %s, want %s", p.jkt, keyOfRFC)
	}
	at := time.Unix(1562262616, 0)
	if why := p.wrong(proofFor{"POST", "https://server.example.com/token", "", at}); why != "" {
		t.Errorf("got %q, want a good proof", why)
	}
	// Section 7.1.
	const token, ath = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU", "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"
	p.TokenHash = ath
	if why := p.wrong(proofFor{"POST", "https://SERVER.example.com:443/token?x=1", token, at}); why != "" {
		t.Errorf("got %q, want a proof for the token", why)
	}
}

func FuzzProof(f *testing.F) {
	f.Add(proofOfRFC)
	f.Add("eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6Im5vbmUifQ.e30.AA")
	f.Add("eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjpudWxsfQ.e30.AA")
	f.Fuzz(func(t *testing.T, raw string) {
		p, err := readProof(raw)
		if err == nil && p.jkt != keyOfRFC {
			t.Errorf("%q proves the key %s, which does not exist", raw, p.jkt)
		}
	})
}

func FuzzEndpoint(f *testing.F) {
	for _, seed := range []string{"https://a.example/mcp", "HTTPS://A.example:443/mcp?x#y", "http://a@b/", "https://a.example", "//a/b", "https://a%2fb/", `https://a\b/`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		plain, ok := normalURL(raw)
		if !ok {
			return
		}
		if again, ok := normalURL(plain); !ok || again != plain {
			t.Errorf("%q becomes %q and then %q", raw, plain, again)
		}
	})
}
