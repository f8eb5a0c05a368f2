package ledger

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"rialto/a2a"
)

// JoinedTexts yields parts with the chunks of each text joined, and the number of the
// first chunk. Many agents stream a text in chunks, which A2A keeps as separate parts.
func JoinedTexts(parts []a2a.Part) iter.Seq2[int, a2a.Part] { return textsBy(Run, parts) }

// textsBy does the work of JoinedTexts with a function like Run.
func textsBy(
	run func(parts []a2a.Part, from int) (to int, one bool), parts []a2a.Part,
) iter.Seq2[int, a2a.Part] {
	return func(yield func(int, a2a.Part) bool) {
		for from := 0; from < len(parts); {
			to, one := run(parts, from)
			if one {
				if !yield(from, Join(parts[from:to])) {
					return
				}
				from = to
			}
			for ; from < to; from++ { // each part is examined once, so the time is linear
				if !yield(from, parts[from]) {
					return
				}
			}
		}
	}
}

// JoinTexts returns parts with the chunks of each text joined, as people read them.
func JoinTexts(parts []a2a.Part) (out []a2a.Part) {
	for _, p := range JoinedTexts(parts) {
		out = append(out, p)
	}
	return out
}

// Run returns the end of the texts that begin at from, and whether they are chunks of
// one text. Texts without a name or a type are chunks if a space stands at one of their
// seams. Languages without spaces have other signs: see continues and opens.
func Run(parts []a2a.Part, from int) (to int, one bool) {
	for to = from; to < len(parts) && IsChunk(parts[to]); to++ {
	}
	if to-from < 2 {
		return from + 1, false
	}
	return to, slices.ContainsFunc(parts[from+1:to], begins) ||
		slices.ContainsFunc(parts[from:to-1], ends)
}

func Join(chunks []a2a.Part) a2a.Part {
	var all strings.Builder
	for _, p := range chunks {
		all.WriteString(string(p.Content.(a2a.Text)))
	}
	p := chunks[0]
	p.Content = a2a.Text(all.String())
	return p
}

func IsChunk(p a2a.Part) bool {
	_, text := p.Content.(a2a.Text)
	return text && p.Filename == "" && (p.MediaType == "" || p.MediaType == "text/plain")
}

// begins tells whether a text begins as none does that is complete, and ends whether it ends so.
func begins(p a2a.Part) bool {
	c, _ := utf8.DecodeRuneInString(string(p.Content.(a2a.Text)))
	return unicode.IsSpace(c) || continues(c)
}

func ends(p a2a.Part) bool {
	c, _ := utf8.DecodeLastRuneInString(string(p.Content.(a2a.Text)))
	return unicode.IsSpace(c) || opens(c)
}

// continues reports whether a character belongs to the text before it: a vowel or tone
// of Thai, an accent, or closing punctuation of Chinese and Japanese. A stream has such
// characters at the beginning of a chunk; no item of a list begins with one.
func continues(c rune) bool {
	return unicode.Is(unicode.M, c) || strings.ContainsRune("ะาำๅะາຳ་、。，；：！？）」』】》〉〕］｝､｡｣ー", c)
}

// opens reports whether a character belongs to the text behind it: opening brackets of
// Chinese and Japanese, and vowels that Thai and Lao write before their consonant.
func opens(c rune) bool {
	return strings.ContainsRune("เแโใไເແໂໃໄ（「『【《〈〔［｛｢", c)
}
