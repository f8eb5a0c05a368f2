package ledger

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"rialto/a2a"
)

const (
	maxWords     = 5_000   // of a task
	maxWordBytes = 60      // a longer one is no word
	maxSearched  = 256_000 // bytes of a task that are read for words
	queryWords   = 12
)

// Words returns the distinct words of a task for the index.
func (e *Record) Words() []string {
	w := &wordList{words: make([]string, 0, 16), seen: map[string]bool{}, left: maxSearched}
	w.add(e.Agent)
	if t := e.Task; t != nil {
		w.add(t.Status.Message.Text())
		for i := range t.Artifacts {
			a := &t.Artifacts[i]
			w.add(a.Name)
			w.add(a.Description)
			for _, p := range JoinedTexts(a.Parts) {
				w.part(p)
				if w.left == 0 {
					break
				}
			}
		}
		for i := range t.History {
			w.add(t.History[i].Text())
		}
	}

	return w.words
}

// QueryWords returns the words of a query.
func QueryWords(query string) []string {
	w := &wordList{seen: map[string]bool{}, left: 1000, asked: true}
	w.add(query)
	return w.words[:min(len(w.words), queryWords)]
}

type wordList struct {
	words []string
	seen  map[string]bool
	left  int  // bytes that are still read
	asked bool // the words are of a query
}

func (w *wordList) part(p a2a.Part) {
	w.add(p.Filename)
	switch c := p.Content.(type) {
	case a2a.Text:
		w.add(string(c))
	case a2a.Data:
		w.add(string(c))
	}
}

// add takes the words of a text.
func (w *wordList) add(s string) {
	s = s[:min(len(s), w.left)]
	w.left -= len(s)
	for word := range strings.FieldsSeq(Fold(s)) {
		for word != "" {
			first, _ := utf8.DecodeRuneInString(word)
			paired := isUnspaced(first)
			n := strings.IndexFunc(word, func(r rune) bool { return isUnspaced(r) != paired })
			if n < 0 {
				n = len(word)
			}
			if paired {
				w.pairs([]rune(word[:n]))
			} else {
				w.take(word[:n])
			}
			word = word[n:]
		}
	}
}

// pairs adds text of a script without spaces between words: each character, and each
// pair of neighbors.
func (w *wordList) pairs(text []rune) {
	for i := 0; i < len(text) && len(w.words) < maxWords; i++ {
		if !w.asked || len(text) == 1 {
			w.take(string(text[i]))
		}
		if i > 0 {
			w.take(string(text[i-1 : i+1]))
		}
	}
}

func (w *wordList) take(word string) {
	if len(w.words) < maxWords && len(word) <= maxWordBytes && !w.seen[word] {
		w.seen[word] = true
		w.words = append(w.words, word)
	}
}

// Fold returns the letters and digits of a text, in lower case and without
// accents, and a space for anything else.
func Fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9': // as most are, and quickly found
			return r
		case unicode.Is(unicode.Mn, r):
			return -1
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return ' '
	}, norm.NFKD.String(s))
}

// isUnspaced reports whether a character is of a script that puts no spaces between words.
func isUnspaced(r rune) bool {
	return r >= '\u0e00' && (r == 'ー' ||
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}
