package mcp_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"rialto/mcp"
)

// withOrigin lets pages of one origin call the server.
type withOrigin struct {
	byHeader
	origin string
}

func (withOrigin) AllowedHosts() []string { return []string{"rialto.example"} }

func (a withOrigin) AllowedOrigins() []string { return []string{a.origin} }

// A page cannot read a 401 that has no CORS headers, and its preflight request
// carries no token: with the guard outside, no browser client could log in.
func TestCORSGoesAroundTheGuard(t *testing.T) {
	s := &mcp.Server{Info: mcp.Implementation{Name: "test", Version: "1"}, Access: withOrigin{origin: "https://app.example"}}
	guard := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	})
	for name, c := range map[string]struct {
		method, origin string
		status         int
		allowed        string
	}{
		"a preflight is answered before the guard":   {http.MethodOptions, "https://app.example", 204, "https://app.example"},
		"a page can read the challenge":              {http.MethodPost, "https://app.example", 401, "https://app.example"},
		"a request of no page reaches the guard":     {http.MethodPost, "", 401, ""},
		"a page that is not allowed does not":        {http.MethodPost, "https://evil.example", 403, ""},
		"its preflight does not either":              {http.MethodOptions, "https://evil.example", 403, ""},
		"an origin that only begins like an allowed": {http.MethodPost, "https://app.example.evil", 403, ""},
		"an origin of another port":                  {http.MethodPost, "https://app.example:8443", 403, ""},
		"the server's own pages may":                 {http.MethodPost, "https://rialto.example", 401, "https://rialto.example"},
		"an origin that is no web page's":            {http.MethodPost, "file://rialto.example", 403, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, "https://rialto.example/mcp", nil)
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
			rec := httptest.NewRecorder()
			s.CORS(guard).ServeHTTP(rec, r)
			if rec.Code != c.status || rec.Header().Get("Access-Control-Allow-Origin") != c.allowed {
				t.Errorf("got %d for %q, want %d for %q", rec.Code, rec.Header().Get("Access-Control-Allow-Origin"), c.status, c.allowed)
			}
			if exposed := rec.Header().Get("Access-Control-Expose-Headers"); c.allowed != "" && exposed == "" {
				t.Error("the challenge is not exposed")
			}
		})
	}
}
