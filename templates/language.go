package templates

import (
	_ "embed" // for es.json
	"encoding/json"
	"html/template"
	"net/http"
	"strings"
	"time"

	xlanguage "golang.org/x/text/language"
)

// language is one of the languages that the pages speak, as its BCP 47 tag.
type language string

const (
	english language = "en"
	spanish language = "es"
)

// languages lists them in the order of matcher; the first is the fallback.
var languages = []language{english, spanish}

var matcher = xlanguage.NewMatcher([]xlanguage.Tag{xlanguage.English, xlanguage.Spanish})

// names is what each language calls itself.
var names = map[language]string{english: "English", spanish: "Español"}

// languageParameter and languageCookie say which language a person chose: now,
// and before.
const (
	languageParameter = "lang"
	languageCookie    = "rialto-language"
)

// languageOf returns the language of the answer to r: what the person
// chose, or what the browser prefers.
func languageOf(r *http.Request) language {
	if c, err := r.Cookie(languageCookie); err == nil {
		if l, ok := knownLanguage(c.Value); ok {
			return l
		}
	}
	return preferred(r.Header.Get("Accept-Language"))
}

func knownLanguage(tag string) (language, bool) {
	_, ok := names[language(tag)]
	return language(tag), ok
}

// rememberLanguage keeps a choice of language that the address brings, and leads to the address without it.
func rememberLanguage(w http.ResponseWriter, r *http.Request) (redirected bool) {
	q := r.URL.Query()
	l, ok := knownLanguage(q.Get(languageParameter))
	if !ok || r.Method != http.MethodGet {
		return false
	}

	http.SetCookie(w, &http.Cookie{
		Name:     languageCookie,
		Value:    string(l),
		Path:     "/",
		MaxAge:   int(365 * 24 * time.Hour / time.Second),
		Secure:   overTLS(r),
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	})
	q.Del(languageParameter)
	to := "/" + strings.TrimLeft(r.URL.EscapedPath(), "/")
	if len(q) > 0 {
		to += "?" + q.Encode()
	}

	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to, http.StatusSeeOther)
	return true
}

// languageLink is a language that the page can be shown in.
type languageLink struct {
	Tag, Name string
	Href      string // leads to the page in that language; "" for the one it is in
}

// languageLinks returns the languages of a page. A page that came of a form has none:
// its address alone would not bring it back.
func languageLinks(r *http.Request, l language, page Page) []languageLink {
	switch page.(type) {
	case Return, Leave, Problem:
		return nil
	}

	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil
	}

	all := make([]languageLink, len(languages))
	for i, other := range languages {
		all[i] = languageLink{Tag: string(other), Name: names[other]}
		if other != l {
			q := r.URL.Query()
			q.Set(languageParameter, string(other))
			all[i].Href = "/" + strings.TrimLeft(r.URL.EscapedPath(), "/") + "?" + q.Encode()
		}
	}

	return all
}

// preferred chooses the language that an Accept-Language header asks for.
func preferred(header string) language {
	// A longer header is not worth parsing.
	if len(header) > 512 {
		return english
	}

	tags, _, err := xlanguage.ParseAcceptLanguage(header)
	if err != nil {
		return english
	}

	_, i, _ := matcher.Match(tags...)
	return languages[i]
}

//go:embed es.json
var spanishFile []byte

// sentences holds the Spanish of every sentence, by the English one. A sentence that
// changes takes one line in es.json, and the tests name it.
var sentences = readSentences()

func readSentences() map[string]string {
	all := map[string]string{}
	if err := json.Unmarshal(spanishFile, &all); err != nil {
		panic("templates: es.json: " + err.Error())
	}
	return all
}

// text translates a sentence. One that has no translation is shown as it is.
func (l language) text(s string) string {
	translated, ok := Spanish(s)
	if l != spanish || !ok {
		return s
	}
	return translated
}

// Spanish returns the Spanish of a sentence of the pages, if there is one. Other packages
// check their own sentences with it.
func Spanish(s string) (string, bool) {
	translated, ok := sentences[s]
	return translated, ok
}

// say translates a sentence and puts the values where its {} are. A value is
// escaped and isolated: a name written from right to left, or one with markup
// in it, cannot rearrange the sentence around it.
func (l language) say(s string, values ...any) template.HTML { return Textf(s, values...).in(l) }

// fill translates a sentence and puts the values where its {} are, each isolated.
func (l language) fill(s string, values []template.HTML) (all template.HTML) {
	for i, part := range strings.Split(l.text(s), "{}") {
		if i > 0 && i <= len(values) {
			all += "<bdi>" + values[i-1] + "</bdi>"
		}
		all += escape(part)
	}
	return all
}
