package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"rialto/internal/jsonrpc"
	"rialto/internal/sse"
)

// maxBody bounds what is read of an answer.
const maxBody = 2 << 20

// visit is one examination. Steps ask it for what they need; it fetches each
// thing once.
type visit struct {
	ctx      context.Context
	d        *Doctor
	address  string // as it was typed
	url      *url.URL
	client   *http.Client
	timeout  time.Duration
	budget   int
	requests int
	unfit    bool   // the URL is not one to call
	reached  bool   // the first request has been sent
	cutShort string // why no more requests can be sent
	kept     map[string]*answer
	secrets  []string

	app     *app     // the throw-away client
	hosted  *answer  // the registration in the way of hosted clients
	granted *granted // what the login gave
	session *session
	listed  *listing
}

// answer is what a request got.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    error
}

func (a *answer) contentType() string {
	t, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	return t
}

// redirect tells whether the answer sends the client elsewhere.
func (a *answer) redirect() bool {
	return a.status >= 300 && a.status < 400 && a.status != http.StatusNotModified
}

// document returns the JSON object of an answer with status 200.
func (a *answer) document() (document, error) {
	switch {
	case a.err != nil:
		return nil, a.err
	case a.status != http.StatusOK:
		return nil, fmt.Errorf("status %d", a.status)
	}
	return a.object()
}

// object returns the JSON object of an answer.
func (a *answer) object() (document, error) {
	if t := a.contentType(); t != "application/json" {
		return nil, fmt.Errorf("status %d with content type %q", a.status, t)
	}
	var d document
	if err := json.Unmarshal(a.body, &d); err != nil || d == nil {
		return nil, fmt.Errorf("status %d with a body that is not a JSON object", a.status)
	}
	return d, nil
}

// String says in short what came.
func (a *answer) String() string {
	if a.err != nil {
		return "no answer: " + a.err.Error()
	}
	s := fmt.Sprintf("status %d", a.status)
	if a.redirect() {
		to, _, _ := strings.Cut(a.header.Get("Location"), "?")
		return s + " to " + to
	}
	if d, err := a.object(); err == nil && d.text("error") != "" {
		return s + ", error " + d.text("error")
	}
	return s
}

// document is a JSON object from outside: a member of another type than
// expected counts as absent.
type document map[string]any

func (d document) text(name string) string {
	s, _ := d[name].(string)
	return s
}

func (d document) flag(name string) bool {
	b, _ := d[name].(bool)
	return b
}

func (d document) list(name string) []string {
	var list []string
	all, _ := d[name].([]any)
	for _, v := range all {
		if s, ok := v.(string); ok {
			list = append(list, s)
		}
	}
	return list
}

func (d document) has(name, value string) bool { return slices.Contains(d.list(name), value) }

func (d document) object(name string) document {
	m, _ := d[name].(map[string]any)
	return m
}

// request describes what is sent.
type request struct {
	method, url string
	header      http.Header
	body        []byte
	bare        bool // only the head of the answer is wanted
}

// mayGoOn tells whether one more request can be sent.
func (v *visit) mayGoOn() bool {
	switch {
	case v.ctx.Err() != nil:
		v.cutShort = "the time was over"
	case v.requests >= v.budget:
		v.cutShort = "the doctor has sent as many requests as it may"
	}
	return v.cutShort == ""
}

// send sends one request, follows no redirect and reads a bounded answer.
func (v *visit) send(r request) *answer {
	if !v.mayGoOn() {
		return &answer{err: errors.New(v.cutShort)}
	}
	v.requests++
	ctx, cancel := context.WithTimeout(v.ctx, v.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return &answer{err: err}
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", "rialto-doctor")
	resp, err := v.client.Do(req)
	if err != nil {
		v.mayGoOn() // the time may have ended just now
		return &answer{err: plain(err)}
	}
	defer resp.Body.Close()
	a := &answer{status: resp.StatusCode, header: resp.Header}
	if !r.bare {
		a.body, a.err = read(a, resp.Body)
	}
	return a
}

// read reads a body; of an event stream, up to the first response.
func read(a *answer, body io.Reader) ([]byte, error) {
	body = io.LimitReader(body, maxBody)
	if a.contentType() != sse.ContentType {
		return io.ReadAll(body)
	}
	events := sse.NewReader(body)
	for {
		e, err := events.Next()
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if _, resp, err := jsonrpc.Decode(e.Data); err == nil && resp != nil {
			return e.Data, nil
		}
	}
}

// plain takes the address out of an error: its query is nobody's business.
func plain(err error) error {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// get fetches an address, once.
func (v *visit) get(address string) *answer {
	return v.once("GET "+address, func() *answer {
		return v.send(request{method: http.MethodGet, url: address, header: http.Header{"Accept": {"application/json"}}})
	})
}

// form posts a form.
func (v *visit) form(address string, values url.Values) *answer {
	h := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"}}
	return v.send(request{method: http.MethodPost, url: address, header: h, body: []byte(values.Encode())})
}

func (v *visit) once(key string, f func() *answer) *answer {
	a, ok := v.kept[key]
	if !ok {
		a = f()
		v.kept[key] = a
	}
	return a
}

// hide keeps a secret out of the report.
func (v *visit) hide(secret string) {
	if len(secret) >= 4 {
		v.secrets = append(v.secrets, secret)
	}
}

// redacted returns the URL without a password.
func (v *visit) redacted() string {
	if v.url.User != nil {
		return v.url.Redacted()
	}
	return v.address
}

// clean makes text of strangers fit for a terminal: without secrets, control
// characters and length.
func (v *visit) clean(s string) string {
	for _, secret := range v.secrets {
		s = strings.ReplaceAll(s, secret, "[secret]")
	}
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
	if runes := []rune(s); len(runes) > 400 {
		return string(runes[:400]) + "…"
	}
	return s
}

func pass(format string, args ...any) finding {
	return finding{status: Passed, got: fmt.Sprintf(format, args...)}
}

func fail(format string, args ...any) finding {
	return finding{status: Failed, got: fmt.Sprintf(format, args...)}
}

func skip(format string, args ...any) finding {
	return finding{status: Skipped, got: fmt.Sprintf(format, args...)}
}

// check is pass or fail with the same words.
func check(ok bool, format string, args ...any) finding {
	if ok {
		return pass(format, args...)
	}
	return fail(format, args...)
}
