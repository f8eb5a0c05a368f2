package documents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"unicode"

	"rialto/a2a"
)

const (
	minRestated = 500     // bytes of a text; leaving out less saves little
	maxRestated = 1 << 20 // bytes of data
)

// restated reports whether a piece is a text that only repeats data of the same artifact, such as a
// table beside its rows. Results leave it out: a model would pay for both, and has all of it in the
// data. Every word of the text must be in the data, in the same order, and be at least half of it.
func (p piece) restated() bool {
	if p.artifact == nil || p.Number >= len(p.artifact.Parts) {
		return false
	}
	text, ok := p.Content.(a2a.Text)
	if _, shaped := p.artifact.Parts[p.Number].Content.(a2a.Data); shaped || !ok || len(text) < minRestated {
		return false
	}
	for i := range p.artifact.Parts {
		if data, ok := p.artifact.Parts[i].Content.(a2a.Data); ok && len(data) <= min(maxRestated, 8*len(text)) && repeats(string(text), data) {
			return true
		}
	}
	return false
}

// repeats reports whether the words of text are words of data, in the same order, and at least half of them.
func repeats(text string, data a2a.Data) bool {
	word, stop := iter.Pull(words(text))
	defer stop()
	want, more := word()
	found, all := 0, 0
	for said := range dataWords(data) {
		if all++; more && said == want {
			found++
			want, more = word()
		}
	}
	return !more && 2*found >= all
}

func words(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// dataWords returns the words of the names and values of a JSON value, in their order.
func dataWords(data a2a.Data) iter.Seq[string] {
	return func(yield func(string) bool) {
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		for {
			token, err := d.Token()
			if err != nil {
				return
			}
			if _, ok := token.(json.Delim); ok || token == nil {
				continue
			}
			for word := range words(fmt.Sprint(token)) {
				if !yield(word) {
					return
				}
			}
		}
	}
}
