package templates

import (
	"html/template"
	"strings"

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

// preferred chooses the language that an Accept-Language header asks for.
func preferred(header string) language {
	// Nobody speaks so many languages: a longer header is not worth parsing.
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

// text translates a sentence. The English sentence is the key, so a sentence
// that nobody translated, such as an agent's, is shown as it is.
func (l language) text(s string) string {
	if l == spanish {
		if translated, ok := inSpanish[s]; ok {
			return translated
		}
	}
	return s
}

// say translates a sentence and puts the values where its {} are. A value is
// escaped and isolated: a name written from right to left, or one with markup
// in it, cannot rearrange the sentence around it.
func (l language) say(s string, values ...string) template.HTML {
	parts := strings.Split(l.text(s), "{}")
	var b strings.Builder
	for i, part := range parts {
		b.WriteString(template.HTMLEscapeString(part))
		if i < len(parts)-1 && i < len(values) {
			b.WriteString("<bdi>" + template.HTMLEscapeString(values[i]) + "</bdi>")
		}
	}
	return template.HTML(b.String())
}
