package bridge

import (
	"context"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"rialto/a2a"
)

// Index finds tasks by what they hold. It runs behind the ledger: a task can
// be found a moment after it has settled.
type Index interface {
	// IndexTasks makes at most so many settled tasks findable, fewer where they are
	// large, and reports whether there may be more of them.
	IndexTasks(ctx context.Context, most int) (more bool, err error)

	// FindTasks returns owner's tasks that hold all of the words, the latest
	// first. The words are as Words makes them; the last may be the beginning
	// of one.
	FindTasks(ctx context.Context, owner string, words []string, limit int) ([]TaskSummary, error)
}

const (
	indexEvery = 100 * time.Millisecond
	indexFor   = time.Minute
	indexBatch = 100 // one by one they cost twice as much, but the ledger waits meanwhile

	maxWords     = 5_000   // of a task
	maxWordBytes = 60      // a longer one is no word
	maxSearched  = 256_000 // bytes of a task that are read for words
	queryWords   = 12
)

// keepIndex indexes what settles, until the bridge closes.
func (b *Bridge) keepIndex() {
	tick := time.NewTicker(indexEvery)
	defer tick.Stop()
	for {
		begun := time.Now()
		ctx, cancel := context.WithTimeout(b.running, indexFor)
		more, err := b.Index.IndexTasks(ctx, indexBatch)
		cancel()
		next := tick.C
		if err != nil {
			b.complain("indexing tasks", err)
		} else if more {
			next = time.After(time.Since(begun)) // others want to write, too
		}
		select {
		case <-b.running.Done():
			return
		case <-next:
		}
	}
}

// Words returns the words of a task for the index, each once: of what was
// said, and of what the agent produced.
func (e *Entry) Words() []string {
	w := &wordList{words: make([]string, 0, 16), seen: map[string]bool{}, left: maxSearched}
	w.add(e.Agent)
	if t := e.Task; t != nil {
		w.add(t.Status.Message.Text())
		for i := range t.Artifacts {
			a := &t.Artifacts[i]
			w.add(a.Name)
			w.add(a.Description)
			for _, p := range texts(a.Parts) {
				if w.part(p); w.left == 0 {
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

// searchWords returns the words of a query.
func searchWords(query string) []string {
	w := &wordList{seen: map[string]bool{}, left: 1000, asked: true}
	w.add(query)
	return w.words[:min(len(w.words), queryWords)]
}

type wordList struct {
	words []string
	seen  map[string]bool
	left  int  // bytes that are still read
	asked bool // they are those of somebody who looks for something
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
	for word := range strings.FieldsSeq(folded(s)) {
		for word != "" {
			n := unspaced(word)
			if n > 0 {
				w.pairs([]rune(word[:n]))
			} else {
				n = spaced(word)
				w.take(word[:n])
			}
			word = word[n:]
		}
	}
}

// pairs takes a text that has no spaces between its words, so that nobody but its
// readers knows where these are, as each two characters that stand side by side, and
// each one: whatever is looked for in it is made of those.
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

// folded returns the letters and digits of a text, in lower case and without
// accents, and a space for anything else.
func folded(s string) string {
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

// unspaced returns how many bytes at the beginning of s are of scripts that put no
// spaces between words.
func unspaced(s string) int {
	for i, r := range s {
		if !isUnspaced(r) {
			return i
		}
	}
	return len(s)
}

// spaced returns how many are of others.
func spaced(s string) int {
	if n := strings.IndexFunc(s, isUnspaced); n >= 0 {
		return n
	}
	return len(s)
}

func isUnspaced(r rune) bool {
	return r >= '\u0e00' && (r == 'ー' ||
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// findTasks returns the caller's tasks that a query is about.
func (b *Bridge) findTasks(ctx context.Context, query string) []Hit {
	words := searchWords(query)
	if b.Index == nil || len(words) == 0 {
		return nil
	}
	found, err := b.Index.FindTasks(ctx, b.Caller(ctx).User, words, maxHits)
	if err != nil {
		b.complain("searching tasks", err)
		return nil
	}
	var hits []Hit
	for _, t := range found {
		if b.hides(ctx, t.Agent) {
			continue
		}
		id := taskID(t.TaskID)
		title := "Task of " + t.Agent + ", " + string(t.State)
		for _, words := range []string{t.Asked, t.Message} {
			if words != "" {
				title += ": " + clip(words, 200)
			}
		}
		hits = append(hits, Hit{ID: id, Title: title, URL: b.documentURL(id)})
	}
	return hits
}
