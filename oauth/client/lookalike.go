package client

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"rialto/oauth"
)

// vendor is a company whose products attackers imitate.
type vendor struct {
	name  string
	words []string // in names of its products, folded
	hosts []string // where its answers go
}

// vendors lists those whose connectors log in here.
func vendors() []vendor {
	return []vendor{
		{"ChatGPT (OpenAI)", []string{"chatgpt", "openai", "codex"}, []string{"chatgpt.com", "openai.com"}},
		{"Claude (Anthropic)", []string{"claude", "anthropic"}, []string{"claude.ai", "claude.com", "anthropic.com"}},
		{"Microsoft", []string{"microsoft", "copilot", "visualstudio", "vscode"}, []string{"microsoft.com", "vscode.dev", "github.com", "visualstudio.com"}},
		{"Google", []string{"google", "gemini"}, []string{"google.com", "googleapis.com", "gemini.google"}},
		{"Cursor (Anysphere)", []string{"cursor", "anysphere"}, []string{"cursor.com", "cursor.sh"}},
		{"Grok (xAI)", []string{"grok"}, []string{"grok.com", "x.ai"}},
		{"Mistral", []string{"mistral"}, []string{"mistral.ai"}},
	}
}

// LookAlike returns the vendor whose name a client uses although its redirect URI leads elsewhere,
// or "". It returns "" for an app on the user's computer, such as Claude Code and Codex, because
// the page has a warning of its own for these apps, and for a client of the operator. Where a
// document describes the client, the vendor must own the document as well.
func LookAlike(c *oauth.Client, to RedirectURI) string {
	if to.Loopback() && !c.Documented || c.Configured {
		return ""
	}
	folded := fold(c.Name)
	for _, v := range vendors() {
		bears := slices.ContainsFunc(v.words, func(w string) bool { return strings.Contains(folded, w) })
		if bears && !(v.owns(to.URL) || to.Loopback()) {
			return v.name
		}
		if bears && c.Documented && !v.ownsURL(c.ID) {
			return v.name
		}
	}
	return ""
}

func (v vendor) ownsURL(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && v.owns(u)
}

func (v vendor) owns(u *url.URL) bool {
	if u.Scheme != "https" {
		return u.Scheme == "cursor" && slices.Contains(v.words, "cursor")
	}
	host := strings.ToLower(u.Hostname())
	return slices.ContainsFunc(v.hosts, func(h string) bool {
		return host == h || strings.HasSuffix(host, "."+h)
	})
}

// fold reduces a name to the letters that it looks like: without case, accents,
// separators and look-alike letters.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if i := strings.IndexRune(impostors, r); i >= 0 {
			return []rune(originals)[len([]rune(impostors[:i]))]
		}
		if r = unicode.ToLower(r); unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, norm.NFKD.String(strings.ToLower(name)))
}

// impostors are digits and Cyrillic, Greek and other letters that look like the
// originals at the same index.
const (
	impostors = "013457|аеорсхуіјԁһӏкмтԛѕοανερτικԍɡıł"
	originals = "oleastlaeopcxyijdhlkmtqsoaveptikggil"
)
