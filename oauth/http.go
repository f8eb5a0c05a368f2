package oauth

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// exposedHeaders are those of our answers that a page may read.
const exposedHeaders = "WWW-Authenticate, Retry-After, DPoP-Nonce"

// maxBody bounds every body that the server reads.
const maxBody = 16 << 10

// patience is how long a request waits for the store, a provider or its turn
// before it is told to come again: a database that hangs, instead of failing,
// must not keep every request that ever came.
const patience = 30 * time.Second

// patient returns the request as one that waits no longer than that.
func patient(r *http.Request) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	return r.WithContext(ctx), cancel
}

// methods serves one path by method and answers the others with 405.
type methods map[string]http.HandlerFunc

// ServeHTTP calls the handler of the request's method, which has patience.
func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h, ok := m[r.Method]; ok {
		r, cancel := patient(r)
		defer cancel()
		h(w, r)
		return
	}
	w.Header().Set("Allow", m.allow())
	http.Error(w, "This address does not answer "+r.Method+".", http.StatusMethodNotAllowed)
}

func (m methods) allow() string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// cors lets clients in browsers call an endpoint that knows its callers by
// what they send in the request and never by a cookie. The pages are not
// behind it.
func cors(m methods) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", exposedHeaders)
		if r.Method != http.MethodOptions {
			m.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", m.allow())
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, DPoP, MCP-Protocol-Version")
		h.Set("Access-Control-Max-Age", "7200")
		w.WriteHeader(http.StatusNoContent)
	})
}

// form is a set of parameters of which each was given once.
type form url.Values

// parseForm reads parameters strictly (RFC 6749 section 3.1 and 3.2): each of
// them at most once, except those named in several; well-formed UTF-8; no
// control characters. A parameter without a value counts as omitted.
func parseForm(raw string, several ...string) (form, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, refuse("invalid_request", "The parameters are not well formed.")
	}
	f := form{}
	for name, all := range values {
		all = slices.DeleteFunc(all, func(v string) bool { return v == "" })
		if len(all) > 1 && !slices.Contains(several, name) {
			return nil, refuse("invalid_request", "A parameter is given more than once.")
		}
		for _, v := range append(all, name) {
			if !isText(v) {
				return nil, refuse("invalid_request", "A parameter holds characters that are not allowed.")
			}
		}
		f[name] = all
	}
	return f, nil
}

// isText tells whether s is UTF-8 without control characters. PostgreSQL
// refuses NUL and broken UTF-8, and headers must not see line breaks.
func isText(s string) bool {
	for _, r := range s {
		if r < ' ' || r == 0x7f {
			return false
		}
	}
	return utf8.ValidString(s)
}

func (f form) get(name string) string {
	if len(f[name]) == 0 {
		return ""
	}
	return f[name][0]
}

// readForm reads the body of a POST. Credentials in the query are refused: they
// would stay in logs (RFC 6749 section 2.3.1).
func readForm(w http.ResponseWriter, r *http.Request, several ...string) (form, error) {
	for name := range r.URL.Query() {
		if slices.Contains([]string{"client_id", "client_secret", "code", "code_verifier", "grant_type", "refresh_token", "subject_token", "token", "password"}, name) {
			return nil, refuse("invalid_request", "Parameters belong into the body, not into the query.")
		}
	}
	if mediaType(r.Header) != "application/x-www-form-urlencoded" {
		return nil, refuse("invalid_request", "The body must be application/x-www-form-urlencoded.")
	}
	body, err := readBody(w, r)
	if err != nil {
		return nil, err
	}
	return parseForm(string(body), append(several, "resource", "audience")...)
}

// readBody reads at most maxBody bytes.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		return body, nil
	}
	if _, ok := err.(*http.MaxBytesError); ok {
		return nil, &Error{Code: "invalid_request", Description: "The body is too large.", status: http.StatusRequestEntityTooLarge}
	}
	return nil, refuse("invalid_request", "The body could not be read.")
}

func mediaType(h http.Header) string {
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}
