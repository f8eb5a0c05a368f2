// Package i18n makes sentences that keep their values apart, so that a page can show
// them in another language. It knows no language: package templates has the translations.
package i18n

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Message is a sentence with its values. As an error and as text it is in English.
type Message struct {
	Key    string  // the sentence, with {} where a value stands
	Values []Value // one for each {}
}

// Value is a value of a sentence: text, or a sentence itself.
type Value struct {
	Text    string
	Message *Message // nil: the text is data
}

// Sentenced is an error that keeps its sentence; nil if it has none.
type Sentenced interface{ Sentence() *Message }

var verb = regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]`)

// New is Errorf without an error to wrap.
func New(format string, args ...any) *Message {
	m := &Message{Key: verb.ReplaceAllString(format, "{}")}
	for i, v := range verb.FindAllString(format, len(args)) {
		value := Value{Text: fmt.Sprintf(strings.Replace(v, "w", "v", 1), args[i])}
		if err, ok := args[i].(error); ok {
			value.Message = Of(err)
		}
		m.Values = append(m.Values, value)
	}
	return m
}

// Errorf returns an error like fmt.Errorf that keeps its sentence. The format has no %%,
// and each verb takes one argument.
func Errorf(format string, args ...any) error {
	return &wrapped{New(format, args...), errors.Unwrap(fmt.Errorf(format, args...))}
}

type wrapped struct {
	*Message
	cause error
}

// Unwrap returns the error of %w.
func (w *wrapped) Unwrap() error { return w.cause }

// Sentence returns m.
func (m *Message) Sentence() *Message { return m }

// Error returns the sentence in English.
func (m *Message) Error() string { return m.In(func(key string) string { return key }) }

// In returns the sentence with its key, and those of the sentences in it, translated.
func (m *Message) In(translate func(key string) string) string {
	var b strings.Builder
	for i, part := range strings.Split(translate(m.Key), "{}") {
		if i > 0 && i <= len(m.Values) {
			if v := m.Values[i-1]; v.Message != nil {
				b.WriteString(v.Message.In(translate))
			} else {
				b.WriteString(v.Text)
			}
		}
		b.WriteString(part)
	}

	return b.String()
}

// Of returns the sentence of an error. Words before that of a wrapped error become a
// sentence of their own; without any sentence, the text is the key.
func Of(err error) *Message {
	if s, ok := err.(Sentenced); ok {
		if m := s.Sentence(); m != nil {
			return m
		}
	}
	if cause := errors.Unwrap(err); cause != nil {
		if before, ok := strings.CutSuffix(err.Error(), cause.Error()); ok {
			return &Message{"{}{}", []Value{{Text: before}, {Message: Of(cause)}}}
		}
	}

	return &Message{Key: strings.ReplaceAll(err.Error(), "{}", "{ }")}
}

// MarshalText returns the sentence in English.
func (m Message) MarshalText() ([]byte, error) { return []byte(m.Error()), nil }

// Stored is a message in a form that outlives the process.
type Stored struct {
	Key    string   `json:"key"`
	Values []string `json:"values,omitempty"`
}

// Stored returns m with its values in English.
func (m *Message) Stored() *Stored {
	s := &Stored{Key: m.Key}
	for _, v := range m.Values {
		if v.Message != nil {
			v.Text = v.Message.Error()
		}
		s.Values = append(s.Values, v.Text)
	}
	return s
}

// Message returns the message.
func (s *Stored) Message() *Message {
	m := &Message{Key: s.Key}
	for _, v := range s.Values {
		m.Values = append(m.Values, Value{Text: v})
	}
	return m
}

// Sentence begins text with a capital letter and ends it with a full stop, unless it is a question.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
		text += "."
	}
	return text
}
