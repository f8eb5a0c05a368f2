package view

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
	minDuplicate = 500     // bytes of a text; leaving out less saves little
	maxDuplicate = 1 << 20 // bytes of data
)

// Duplicate reports whether a piece is a text that only repeats data of the same artifact, such as a
// table beside its rows. Results leave it out: a model would pay for both, and has all of it in the
// data. Every word of the text must be in the data, in the same order, and be at least half of it.
func (p *Piece) Duplicate() bool {
	text, ok := p.content.(a2a.Text)
	if !ok || p.Artifact == nil || len(text) < minDuplicate {
		return false
	}

	most := min(maxDuplicate, 8*len(text))
	for i := range p.Artifact.Parts {
		data, ok := p.Artifact.Parts[i].Content.(a2a.Data)
		if ok && len(data) <= most && repeats(string(text), data) {
			return true
		}
	}

	return false
}

// repeats reports whether the words of text are words of data, in the same order, and at least half of
// them.
func repeats(text string, data a2a.Data) bool {
	word, stop := iter.Pull(words(text))
	defer stop()
	want, more := word()
	found := 0
	all := 0
	for said := range dataWords(data) {
		all++
		if more && said == want {
			found++
			want, more = word()
		}
	}

	return !more && 2*found >= all
}

func words(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
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
