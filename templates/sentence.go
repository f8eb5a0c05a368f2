package templates

import (
	"html/template"
	"strings"

	"rialto/internal/message"
)

// Sentence shows a sentence with its values in the reader's language. It is data, because
// a value may be: clean makes the whole fit for a page.
func Sentence(m *message.Message, clean func(string) string) Text { return sentence{m, clean} }

// Because is a sentence of ours whose {} stands for why something failed.
func Because(why string, err error, clean func(string) string) Text {
	return because{why, sentence{message.Of(err), clean}}
}

// Known shows text that may be one of our sentences without a value, such as the reason in
// an event of the audit log, or else is data.
func Known(text string) Text { return fixed(text) }

// Details shows what Known shows of each of several texts with "; " between them.
func Details(text string) Text { return details(text) }

type (
	sentence struct {
		m     *message.Message
		clean func(string) string
	}
	fixed   string
	details string
	because struct {
		sentence string
		why      sentence
	}
)

func (s sentence) words(l language) string { return s.clean(s.m.In(l.text)) }

func (s sentence) in(l language) template.HTML { return data(s.words(l)).in(l) }

func (f fixed) in(l language) template.HTML { return data(l.known(string(f))).in(l) }

func (d details) in(l language) template.HTML {
	parts := strings.Split(string(d), "; ")
	for i, part := range parts {
		parts[i] = l.known(part)
	}
	return data(strings.Join(parts, "; ")).in(l)
}

func (l language) known(s string) string {
	if strings.Contains(s, "{}") {
		return s
	}
	return l.text(s)
}

func (b because) in(l language) template.HTML { return l.say(b.sentence, b.why.words(l)) }
