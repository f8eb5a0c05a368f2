package bridge

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"rialto/a2a"
)

// place says where in a task a part is, in words that hold when more is added to
// the task: a part of an artifact by the numbers of both; of a version that was
// replaced, as Past.part counts; or of a message, which is the latest if it has no ID.
type place struct {
	Version  int    `json:"v,omitempty"` // of what was replaced; 0 is what there is now
	Artifact int    `json:"a,omitempty"`
	Number   int    `json:"p"`
	Said     bool   `json:"s,omitempty"` // in a message
	Message  string `json:"m,omitempty"` // the ID of that message
}

// piece is what of a task is shown at once: a part of an artifact, or the parts that
// are one text. An artifact without parts is one piece without content.
type piece struct {
	artifact *a2a.Artifact // nil for a part of a message
	place                  // of the first part
	a2a.Part
}

// maxData is how long a JSON value may be to be shown as one. A longer one
// fits no page, and is shown as the text that it is.
const maxData = maxText / 2

// shape makes a piece of a part.
func shape(a *a2a.Artifact, at place, p a2a.Part) piece {
	if d, ok := p.Content.(a2a.Data); ok && cost(string(d)) > maxData {
		p.Content, p.MediaType = a2a.Text(d), jsonType
	}
	return piece{a, at, p}
}

// pieces lists what a task has produced, in its order.
func pieces(t *a2a.Task) []piece {
	var out []piece
	for i := range t.Artifacts {
		out = append(out, piecesOf(&t.Artifacts[i], i)...)
	}
	return out
}

// piecesOf lists those of one artifact, the nth.
func piecesOf(a *a2a.Artifact, n int) (out []piece) {
	if len(a.Parts) == 0 {
		return []piece{{artifact: a, place: place{Artifact: n}}}
	}
	for from, p := range texts(a.Parts) {
		out = append(out, shape(a, place{Artifact: n, Number: from}, p))
	}
	return out
}

// texts yields parts with the chunks of each text joined, and where each begins. Many
// agents stream a text in chunks, which A2A keeps as parts of their own: nobody wants
// to read words and syllables one by one, or to find them so.
func texts(parts []a2a.Part) iter.Seq2[int, a2a.Part] { return textsBy(run, parts) }

// textsBy does so by a function like run.
func textsBy(run func(parts []a2a.Part, from int) (to int, one bool), parts []a2a.Part) iter.Seq2[int, a2a.Part] {
	return func(yield func(int, a2a.Part) bool) {
		for from := 0; from < len(parts); {
			to, one := run(parts, from)
			if one {
				if !yield(from, join(parts[from:to])) {
					return
				}
				from = to
			}
			for ; from < to; from++ { // looked at once, or many would take for ever
				if !yield(from, parts[from]) {
					return
				}
			}
		}
	}
}

// Joined returns parts with the chunks of each text joined, as people read them.
func Joined(parts []a2a.Part) (out []a2a.Part) {
	for _, p := range texts(parts) {
		out = append(out, p)
	}
	return out
}

// run returns where the texts end that begin at from, and whether they are one. Texts
// without a name or type are taken for chunks of one if the spaces between them are
// theirs; texts that are each complete neither begin nor end with any. Languages without
// spaces have other signs (see continues and opens).
func run(parts []a2a.Part, from int) (to int, one bool) {
	for to = from; to < len(parts) && chunk(parts[to]); to++ {
	}
	if to-from < 2 {
		return from + 1, false
	}
	return to, slices.ContainsFunc(parts[from+1:to], begins) || slices.ContainsFunc(parts[from:to-1], ends)
}

func join(chunks []a2a.Part) a2a.Part {
	var all strings.Builder
	for _, p := range chunks {
		all.WriteString(string(p.Content.(a2a.Text)))
	}
	p := chunks[0]
	p.Content = a2a.Text(all.String())
	return p
}

func chunk(p a2a.Part) bool {
	_, text := p.Content.(a2a.Text)
	return text && p.Filename == "" && (p.MediaType == "" || p.MediaType == "text/plain")
}

// begins tells whether a text begins as none does that is complete, and ends whether it
// ends so.
func begins(p a2a.Part) bool {
	c, _ := utf8.DecodeRuneInString(string(p.Content.(a2a.Text)))
	return unicode.IsSpace(c) || continues(c)
}

func ends(p a2a.Part) bool {
	c, _ := utf8.DecodeLastRuneInString(string(p.Content.(a2a.Text)))
	return unicode.IsSpace(c) || opens(c)
}

// continues tells whether a character belongs to what stands before it: a vowel or tone
// of Thai, an accent, the punctuation and the closing brackets of Chinese and Japanese.
// A stream has them at the beginning of some chunk, but no item of a list begins with
// one. Those that stand before something in another language (’90s, .NET, ”) do not count.
func continues(c rune) bool {
	return unicode.Is(unicode.M, c) || strings.ContainsRune("ะาำๅะາຳ་、。，；：！？）」』】》〉〕］｝､｡｣ー", c)
}

// opens tells whether a character belongs to what stands behind it: the opening brackets
// of Chinese and Japanese, and vowels that Thai and Lao write before their consonant.
func opens(c rune) bool {
	return strings.ContainsRune("เแโใไເແໂໃໄ（「『【《〈〔［｛｢", c)
}

// besides lists what a message has besides text; nil has nothing.
func besides(m *a2a.Message) (out []piece) {
	if m == nil {
		return nil
	}
	for i, p := range m.Parts {
		if _, text := p.Content.(a2a.Text); !text {
			out = append(out, shape(nil, placeIn(m, i), p))
		}
	}
	return out
}

// placeIn returns the place of a part of a message.
func placeIn(m *a2a.Message, number int) place {
	at := place{Said: true, Number: number}
	if len(m.ID) <= maxName {
		at.Message = m.ID
	}
	return at
}

// part returns the one at a place; nil if it is not there or not kept.
func (e *Entry) part(at place) *a2a.Part {
	if at.Version > 0 {
		return e.Past.part(at.Version, at.Number)
	}
	if e.Task == nil {
		return nil
	}
	var parts []a2a.Part
	switch {
	case at.Said:
		parts = e.said(at.Message)
	case at.Artifact >= 0 && at.Artifact < len(e.Task.Artifacts):
		parts = e.Task.Artifacts[at.Artifact].Parts
	}
	if at.Number < 0 || at.Number >= len(parts) {
		return nil
	}
	p := parts[at.Number]
	if to, one := run(parts, at.Number); one {
		p = join(parts[at.Number:to])
	}
	return &p
}

// said returns the parts of a message.
func (e *Entry) said(id string) []a2a.Part {
	if m := e.Task.Status.Message; m != nil && (m.ID == id || id == "") {
		return m.Parts
	}
	for i := range e.Task.History {
		if m := &e.Task.History[i]; m.ID == id {
			return m.Parts
		}
	}
	return nil
}
