package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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

// requestTimeout is what Claude allows for discovery, registration and tokens.
const requestTimeout = 10 * time.Second

// prober sends requests within a budget, and keeps answers and secrets. It does not
// know what is examined.
type prober struct {
	ctx      context.Context
	client   *http.Client
	budget   int
	requests int
	cutShort string // why no more requests can be sent
	cache    map[string]*answer
	secrets  []string
}

// exhausted tells whether no more requests can be sent.
func (p *prober) exhausted() bool {
	switch {
	case p.ctx.Err() != nil:
		p.cutShort = "the time was over"
	case p.requests >= p.budget:
		p.cutShort = "the doctor has sent as many requests as it may"
	}
	return p.cutShort != ""
}

// send sends one request, follows no redirect and reads a bounded answer.
func (p *prober) send(method, address string, h http.Header, body string) *answer {
	return p.do(method, address, h, body, false)
}

// do is send; the body of the answer is not read if only its head is wanted.
func (p *prober) do(
	method, address string,
	h http.Header,
	body string,
	headOnly bool,
) *answer {
	if p.exhausted() {
		return &answer{err: errors.New(p.cutShort)}
	}

	p.requests++
	ctx, cancel := context.WithTimeout(p.ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return &answer{err: err}
	}

	maps.Copy(req.Header, h)
	req.Header.Set("User-Agent", "rialto-doctor")
	resp, err := p.client.Do(req)
	if err != nil {
		p.exhausted() // the time may have ended just now
		if e := (*url.Error)(nil); errors.As(err, &e) {
			err = e.Err // without the URL, whose query may hold secrets
		}
		return &answer{err: err}
	}
	defer resp.Body.Close()
	a := &answer{status: resp.StatusCode, header: resp.Header}
	if !headOnly {
		a.body, a.err = read(a, resp.Body)
	}

	return a
}

// read reads a body; of an event stream, up to the first response, or to the event with which a
// stream of 2024-11-05 begins.
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
		a.event = e.Type
		_, resp, err := jsonrpc.Decode(e.Data)
		ends := err == nil && resp != nil
		if ends || a.event == "endpoint" {
			return e.Data, nil
		}
	}
}

// once returns the kept answer, or keeps the one that f returns.
func (p *prober) once(key string, f func() *answer) *answer {
	a, ok := p.cache[key]
	if !ok {
		a = f()
		p.cache[key] = a
	}
	return a
}

// get fetches an address, once.
func (p *prober) get(address string) *answer {
	return p.once("GET "+address, func() *answer {
		return p.fetch(address, "application/json")
	})
}

// fetch sends a GET for one kind of content.
func (p *prober) fetch(address, accept string) *answer {
	return p.send(http.MethodGet, address, http.Header{"Accept": {accept}}, "")
}

func (p *prober) form(address string, values url.Values) *answer {
	h := http.Header{
		"Content-Type": {"application/x-www-form-urlencoded"},
		"Accept":       {"application/json"},
	}
	return p.send(http.MethodPost, address, h, values.Encode())
}

// addSecret keeps a secret out of the report.
func (p *prober) addSecret(secret string) {
	if len(secret) >= 4 {
		p.secrets = append(p.secrets, secret)
	}
}

func (p *prober) addSecrets(a *answer, names ...string) {
	d, _ := a.object()
	for _, name := range names {
		p.addSecret(d.text(name))
	}
}

// clean makes text of the server fit for a terminal: without secrets and control
// characters, and not too long.
func (p *prober) clean(s string) string {
	for _, secret := range p.secrets {
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

// answer is what a request got.
type answer struct {
	status int
	header http.Header
	body   []byte
	event  string // the type of the last event that was read
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

func (a *answer) object() (document, error) {
	if t := a.contentType(); t != "application/json" {
		return nil, fmt.Errorf("status %d with content type %q", a.status, t)
	}
	if d := object(a.body); d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("status %d with a body that is not a JSON object", a.status)
}

// String describes the answer in short.
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

// document is a JSON object of the server: a member of another type than expected counts as absent.
type document map[string]any

// object reads a JSON object. It returns nil for anything else.
func object(raw []byte) document {
	var d document
	if json.Unmarshal(raw, &d) != nil {
		return nil
	}
	return d
}

func objects(v any) []document {
	var list []document
	all, _ := v.([]any)
	for _, o := range all {
		m, _ := o.(map[string]any)
		list = append(list, m)
	}
	return list
}

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
