package ledger

import (
	"iter"
	"rialto/a2a"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// JoinedTexts yields parts with the chunks of each text joined, and where each begins. Many
// agents stream a text in chunks, which A2A keeps as parts of their own: nobody wants
// to read words and syllables one by one, or to find them so.
func JoinedTexts(parts []a2a.Part) iter.Seq2[int, a2a.Part] { return textsBy(Run, parts) }

// textsBy does so by a function like run.
func textsBy(run func(parts []a2a.Part, from int) (to int, one bool), parts []a2a.Part) iter.Seq2[int, a2a.Part] {
	return func(yield func(int, a2a.Part) bool) {
		for from := 0; from < len(parts); {
			to, one := run(parts, from)
			if one {
				if !yield(from, Join(parts[from:to])) {
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

// JoinTexts returns parts with the chunks of each text joined, as people read them.
func JoinTexts(parts []a2a.Part) (out []a2a.Part) {
	for _, p := range JoinedTexts(parts) {
		out = append(out, p)
	}
	return out
}

// Run returns where the texts end that begin at from, and whether they are one. Texts
// without a name or type are taken for chunks of one if the spaces between them are
// theirs; texts that are each complete neither begin nor end with any. Languages without
// spaces have other signs (see continues and opens).
func Run(parts []a2a.Part, from int) (to int, one bool) {
	for to = from; to < len(parts) && IsChunk(parts[to]); to++ {
	}
	if to-from < 2 {
		return from + 1, false
	}
	return to, slices.ContainsFunc(parts[from+1:to], begins) || slices.ContainsFunc(parts[from:to-1], ends)
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
