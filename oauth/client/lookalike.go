package client

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.mau.fi/util/confusable"
	"golang.org/x/text/unicode/norm"

	"rialto/oauth"
)

// Product is this server, as its pages show it. A client that bears its name is imitating it.
type Product struct{ Name, Issuer string }

// LookAlike returns the vendor whose name a client uses although its redirect URI leads elsewhere,
// or "". It returns "" for an app on the user's computer, such as Claude Code and Codex, because
// the page has a warning of its own for these apps, and for a client of the operator. Where a
// document describes the client, the vendor must own the document as well. genuine tells whether
// the client uses the name of a vendor to whose host its redirect URI leads, where the vendor alone
// chooses names.
func LookAlike(c *oauth.Client, to RedirectURI, own Product) (vendor string, genuine bool) {
	appOnComputer := to.Loopback() && !c.Documented
	if appOnComputer || c.Configured {
		return "", false
	}

	words := foldedWords(c.Name)
	for _, v := range slices.Concat(own.vendors(), vendors()) {
		if !slices.ContainsFunc(v.Words, func(w string) bool { return containsName(words, w) }) {
			continue
		}
		if !v.owns(c, to) {
			return v.Name, false
		}
		is := func(word string) bool { return fold(word) == strings.Join(words, "") }
		genuine = !to.Local() && !v.Relay && slices.ContainsFunc(v.Words, is)
	}

	return "", genuine
}

// LookAlike returns the vendor whose name a client uses without being at the vendor's addresses with
// each of its redirect URIs, or "".
func (rg *Registration) LookAlike(c *oauth.Client) string {
	for _, uri := range c.RedirectURIs {
		if to, err := ParseRedirect(uri); err == nil {
			if name, _ := LookAlike(c, to, Product{rg.Env.Name, rg.Env.Issuer}); name != "" {
				return name
			}
		}
	}
	return ""
}

// vendors returns the product under both of its names, and those who run it.
func (p Product) vendors() []vendor {
	at := []string{p.Issuer + "/*"}
	return []vendor{
		{Name: p.Name, Words: []string{p.Name, "administrator", "securityteam"}, Callbacks: at, Documents: at},
		{Name: "Rialto", Words: []string{"rialto"}, Callbacks: at, Documents: at},
	}
}

// containsName tells whether folded words hold the name of a vendor. One of two or three letters must be all of
// them. Others begin and end with words: Open AI, but not Open Air, and Slack, but not Slackline. Names of
// more than five letters may also be within a word.
func containsName(words []string, vendor string) bool {
	vendor = fold(vendor)
	length := utf8.RuneCountInString(vendor)
	if length < 4 {
		return vendor != "" && strings.Join(words, "") == vendor
	}

	for i, word := range words {
		if length > 5 && strings.Contains(word, vendor) {
			return true
		}
		for j := range words[i:] {
			if strings.Join(words[i:i+j+1], "") == vendor {
				return true
			}
		}
	}

	return false
}

var (
	separators   = regexp.MustCompile(`[\s\-_.:/,()·–—+&]+`)
	innerCapital = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)
)

// foldedWords returns the words of a name, folded. A capital after a small letter begins one.
func foldedWords(name string) (words []string) {
	for _, word := range separators.Split(innerCapital.ReplaceAllString(name, "$1 $2"), -1) {
		folded := fold(word)
		if folded != "" {
			words = append(words, folded)
		}
	}
	return words
}

// owns tells whether a client is the vendor's own, as far as its addresses tell.
func (v vendor) owns(c *oauth.Client, to RedirectURI) bool {
	if !to.Loopback() && !isOneOf(to.URL, v.Callbacks) {
		return false
	}
	id, err := url.Parse(c.ID)
	return !c.Documented || err == nil && isOneOf(id, v.Documents)
}

// fold reduces a name to what it looks like: names that a reader takes for the same are equal. It
// goes beyond the skeleton of UTS 39 section 4, which tells letter cases apart, and "I" from "i".
func fold(name string) string {
	name = strings.ToLower(norm.NFKD.String(confusable.Skeleton(name)))
	name = strings.Map(func(r rune) rune {
		if i := strings.IndexRune(confusables, r); i >= 0 {
			return []rune(lookedLike)[utf8.RuneCountInString(confusables[:i])]
		}
		r = unboxed(r)
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)
	return strings.NewReplacer("rn", "m", "vv", "w", "i", "l").Replace(name)
}

// confusables are what UTS 39 leaves as it is: small capitals, digits and symbols that are read as the
// letters at the same index.
const (
	confusables = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢĸʍꞓɛʃ346579@$!©₵λʌɐ∀∆ɘꞁ⏐│"
	lookedLike  = "abcdefghijklmnoprstuvwyzkmeeeeagstgaslccaaaaaelll"
)

// unboxed returns the letter in a circle, in a square or of a flag.
func unboxed(r rune) rune {
	for _, first := range []rune{'🅐', '🅰', '🇦'} {
		if r >= first && r < first+26 {
			return 'a' + r - first
		}
	}
	return r
}
