package templates

import (
	"html/template"
	"net/http"
	"strings"

	"rialto/internal/i18n"
)

// Message shows a message in the reader's language. It is data, because one of its values may be:
// clean makes the whole fit for a page.
func Message(m *i18n.Message, clean func(string) string) Text { return translated{m, clean} }

// Errorf is a sentence of ours whose {} stands for an error.
func Errorf(sentence string, err error, clean func(string) string) Text {
	return Textf(sentence, Message(i18n.Of(err), clean))
}

// Sentence is a message of ours whose values are data: each is escaped and isolated.
func Sentence(m *i18n.Message) Text {
	values := make([]any, len(m.Values))
	for i, v := range m.Values {
		values[i] = v.Text
	}
	return Textf(m.Key, values...)
}

// Words returns a message of ours in the language of a request, as plain text.
func Words(r *http.Request, m *i18n.Message) string { return m.In(languageOf(r).text) }

// Translated shows text that may be one of our sentences without a value, such as the reason in
// an event of the audit log, or else is data.
func Translated(text string) Text {
	return textFunc(func(l language) template.HTML { return Verbatim(l.known(text)).in(l) })
}

// TranslatedParts shows what Translated shows of each of several texts with "; " between them.
func TranslatedParts(text string) Text {
	return textFunc(func(l language) template.HTML {
		parts := strings.Split(text, "; ")
		for i, part := range parts {
			parts[i] = l.known(part)
		}
		return Verbatim(strings.Join(parts, "; ")).in(l)
	})
}

type translated struct {
	m     *i18n.Message
	clean func(string) string
}

func (t translated) words(l language) string { return t.clean(t.m.In(l.text)) }

func (t translated) in(l language) template.HTML { return Verbatim(t.words(l)).in(l) }

// known translates text that may be a sentence of ours without a value.
func (l language) known(s string) string {
	if strings.Contains(s, "{}") {
		return s
	}
	return l.text(s)
}
