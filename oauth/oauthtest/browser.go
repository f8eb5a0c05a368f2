// Package oauthtest holds what tests of the authorization server need: a
// browser that signs in and decides, and the contract that every Store
// keeps. It decides nothing about what an answer should be.
package oauthtest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Browser does what a person with a browser does: it keeps cookies, fills in forms and follows
// links. It runs no scripts and follows no redirects, so that a test sees each.
type Browser struct {
	t      testing.TB
	client *http.Client
	// Header is added to every request.
	Header http.Header
}

// NewBrowser returns a browser without cookies. A nil transport is the default one.
func NewBrowser(t testing.TB, transport http.RoundTripper) *Browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Browser{t: t, Header: http.Header{}, client: &http.Client{
		Jar:           jar,
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Cookies returns the cookies that the browser would send to an address.
func (b *Browser) Cookies(address string) []*http.Cookie {
	u, err := url.Parse(address)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.client.Jar.Cookies(u)
}

// SetCookie plants a cookie, as a stranger might.
func (b *Browser) SetCookie(address string, c *http.Cookie) {
	u, err := url.Parse(address)
	if err != nil {
		b.t.Fatal(err)
	}
	b.client.Jar.SetCookies(u, []*http.Cookie{c})
}

// Get opens an address.
func (b *Browser) Get(address string) *Page {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.do(req)
}

// Post sends a form to an address.
func (b *Browser) Post(address string, form url.Values) *Page {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.do(req)
}

// Submit fills in the page's form and sends it. What is in values replaces what the form holds.
func (b *Browser) Submit(p *Page, values map[string]string) *Page {
	b.t.Helper()
	action, form := p.Form()
	for name, value := range values {
		form.Set(name, value)
	}
	return b.Post(action, form)
}

// Authorize opens an authorization address, signs in where the page asks for it, approves, and
// returns where the browser is sent. It fails the test if that is nowhere.
func (b *Browser) Authorize(address, username, password string) *url.URL {
	b.t.Helper()
	page := b.Get(address)
	answer := map[string]string{"decision": "approve"}
	if page.Find("input[name=username]") != nil {
		answer["username"], answer["password"] = username, password
	}
	return b.Submit(page, answer).Continue()
}

func (b *Browser) do(req *http.Request) *Page {
	b.t.Helper()
	for name, values := range b.Header {
		req.Header[name] = values
	}
	resp, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		b.t.Fatal(err)
	}
	doc, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		b.t.Fatal(err)
	}
	return &Page{t: b.t, Status: resp.StatusCode, Header: resp.Header, URL: req.URL, Body: string(body), doc: doc}
}

// Page is an answer that a browser got.
type Page struct {
	t      testing.TB
	Status int
	Header http.Header
	URL    *url.URL
	Body   string
	doc    *html.Node
}

// Form returns where the page's form goes and what it holds.
func (p *Page) Form() (action string, values url.Values) {
	p.t.Helper()
	form := p.Find("form")
	if form == nil {
		p.t.Fatalf("the page has no form (status %d):\n%s", p.Status, p.Text())
	}
	to, err := p.URL.Parse(attribute(form, "action"))
	if err != nil {
		p.t.Fatal(err)
	}
	values = url.Values{}
	for n := range p.doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "input" && belongs(n, form) && (attribute(n, "type") != "checkbox" || checked(n)) {
			values.Add(attribute(n, "name"), attribute(n, "value"))
		}
	}
	return to.String(), values
}

// belongs tells whether an input is part of a form: inside it, or by name.
func belongs(n, form *html.Node) bool {
	if id := attribute(n, "form"); id != "" {
		return id == attribute(form, "id")
	}
	for ; n != nil; n = n.Parent {
		if n == form {
			return true
		}
	}
	return false
}

func checked(n *html.Node) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "checked" })
}

// Continue returns where the page sends the browser: by a redirect, or by the link to go on with.
func (p *Page) Continue() *url.URL {
	p.t.Helper()
	to, err := p.next()
	if err != nil {
		p.t.Fatalf("%v (status %d):\n%s", err, p.Status, p.Text())
	}
	return to
}

func (p *Page) next() (*url.URL, error) {
	if location := p.Header.Get("Location"); location != "" {
		return p.URL.Parse(location)
	}
	link := p.Find("#continue")
	if link == nil {
		return nil, errors.New("the page leads nowhere")
	}
	to, err := p.URL.Parse(attribute(link, "href"))
	if err != nil {
		return nil, fmt.Errorf("the page leads to a broken address: %w", err)
	}
	return to, nil
}

// Text returns the words of the page.
func (p *Page) Text() string {
	var words []string
	for n := range p.doc.Descendants() {
		if n.Type == html.TextNode {
			words = append(words, strings.Fields(n.Data)...)
		}
	}
	return strings.Join(words, " ")
}

// Has tells whether the page has an element. The selector is a tag, an ID
// ("#error"), or a tag with one attribute ("input[name=handle]").
func (p *Page) Has(selector string) bool { return p.Find(selector) != nil }

// Find returns the first element that a selector names, under the rules of Has, or nil.
func (p *Page) Find(selector string) *html.Node {
	tag, rest, _ := strings.Cut(selector, "[")
	name, value, _ := strings.Cut(strings.TrimSuffix(rest, "]"), "=")
	if id, ok := strings.CutPrefix(tag, "#"); ok {
		tag, name, value = "", "id", id
	}
	for n := range p.doc.Descendants() {
		if n.Type == html.ElementNode && (tag == "" || n.Data == tag) && (name == "" || attribute(n, name) == value) {
			return n
		}
	}
	return nil
}

// Attribute returns an attribute of the element that a selector names.
func (p *Page) Attribute(selector, name string) string {
	p.t.Helper()
	n := p.Find(selector)
	if n == nil {
		p.t.Fatalf("the page has no %s (status %d):\n%s", selector, p.Status, p.Text())
	}
	return attribute(n, name)
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
