package endpoint

import (
	"context"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"rialto/internal/quota"
	"rialto/oauth"
)

const (
	MaxQuery   = 32 << 10
	RequestTTL = 10 * time.Minute
)

func IsJSON(h http.Header) bool {
	t := MediaType(h)
	return t == "application/json" ||
		strings.HasPrefix(t, "application/") && strings.HasSuffix(t, "+json")
}

// WriteJSON sends an answer that no cache may keep (RFC 6749 section 5.1).
func WriteJSON(w http.ResponseWriter, status int, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		panic(err) // only our own types come here
	}

	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(b) // an error here means that the client has gone
}

// ExposedHeaders are those of our answers that a page may read.
const ExposedHeaders = "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy"

// MaxBody bounds every body that the server reads.
const MaxBody = 16 << 10

// WaitTimeout is how long a request waits for the store, a provider or its turn: a
// database that hangs, instead of failing, must not hold all requests.
const WaitTimeout = 30 * time.Second

// WithWaitTimeout returns the request as one that waits no longer than that.
func WithWaitTimeout(r *http.Request) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(r.Context(), WaitTimeout)
	return r.WithContext(ctx), cancel
}

// Methods serves one path by method and answers the others with 405.
type Methods map[string]http.HandlerFunc

// ServeHTTP calls the handler of the request's method, which has patience.
func (m Methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h, ok := m[r.Method]; ok {
		r, cancel := WithWaitTimeout(r)
		defer cancel()
		h(w, r)
		return
	}
	w.Header().Set("Allow", m.allow())
	http.Error(w, "This address does not answer "+r.Method+".", http.StatusMethodNotAllowed)
}

func (m Methods) allow() string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}

// CORS lets clients in browsers call an endpoint that knows its callers by what they send in the
// request and never by a cookie. The pages are not behind it.
func CORS(m Methods) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", ExposedHeaders)
		if r.Method != http.MethodOptions {
			m.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", m.allow())
		h.Set("Access-Control-Allow-Headers", strings.Join(allowedHeaders(r), ", "))
		h.Set("Access-Control-Max-Age", "7200")
		w.WriteHeader(http.StatusNoContent)
	})
}

// allowedHeaders returns the headers that a page may send. ChatGPT's pages add "oai-…".
func allowedHeaders(r *http.Request) []string {
	allowed := []string{"Authorization", "Content-Type", "DPoP", "MCP-Protocol-Version"}
	for name := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if strings.HasPrefix(name, "oai-") {
			allowed = append(allowed, name)
		}
	}
	return allowed
}

// Form is a set of parameters of which each was given once.
type Form url.Values

// ParseForm reads parameters strictly (RFC 6749 section 3.1 and 3.2): each of
// them at most once, except those named in several; well-formed UTF-8; no
// control characters. A parameter without a value counts as omitted.
func ParseForm(raw string, several ...string) (Form, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, oauth.BadRequest("The parameters are not well formed.")
	}

	f := Form{}
	for name, all := range values {
		all = slices.DeleteFunc(all, func(v string) bool { return v == "" })
		if len(all) > 1 && !slices.Contains(several, name) {
			return nil, oauth.BadRequest("A parameter is given more than once.")
		}
		for _, v := range append(all, name) {
			if !IsText(v) {
				return nil, oauth.BadRequest("A parameter holds characters that are not allowed.")
			}
		}
		f[name] = all
	}

	return f, nil
}

// IsText tells whether s is UTF-8 without control characters. PostgreSQL
// refuses NUL and broken UTF-8, and headers must not see line breaks.
func IsText(s string) bool {
	for _, r := range s {
		if r < ' ' || r == 0x7f {
			return false
		}
	}
	return utf8.ValidString(s)
}

func (f Form) Get(name string) string {
	return url.Values(f).Get(name)
}

// credentials are the parameters that no query may have.
var credentials = strings.Fields(
	"client_id client_secret code code_verifier grant_type refresh_token subject_token token password",
)

// ReadForm reads the body of a POST. Credentials in the query are refused: they
// would stay in logs (RFC 6749 section 2.3.1).
func ReadForm(w http.ResponseWriter, r *http.Request, several ...string) (Form, error) {
	for name := range r.URL.Query() {
		if slices.Contains(credentials, name) {
			return nil, oauth.BadRequest("Parameters belong into the body, not into the query.")
		}
	}

	if MediaType(r.Header) != "application/x-www-form-urlencoded" {
		return nil, oauth.BadRequest("The body must be application/x-www-form-urlencoded.")
	}

	body, err := ReadBody(w, r)
	if err != nil {
		return nil, err
	}

	return ParseForm(string(body), append(several, "resource", "audience")...)
}

// ReadBody reads at most maxBody bytes.
func ReadBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err == nil {
		return body, nil
	}
	if _, ok := err.(*http.MaxBytesError); ok {
		return nil, &oauth.Error{
			Code:        "invalid_request",
			Description: "The body is too large.",
			HTTPStatus:  http.StatusRequestEntityTooLarge,
		}
	}

	return nil, oauth.BadRequest("The body could not be read.")
}

func MediaType(h http.Header) string {
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}

// SetRetryAfter tells a client when to try again, if it should, and which quota is used up, if one is.
func SetRetryAfter(w http.ResponseWriter, after time.Duration, used quota.Policy) {
	if used.Name == "" {
		quota.SetHeaders(w.Header(), after)
		return
	}
	used.Reset = after
	quota.SetHeaders(w.Header(), after, used)
}
