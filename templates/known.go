package templates

import (
	"cmp"
	"html/template"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Known is a sentence that another part of the program has made, values and all:
// why an agent was refused, or what was written into a task that waits for its
// owner. It is shown in the reader's language if there is a translation of it, and
// else as it is, like what agents say.
func Known(sentence string) Text { return knownText(sentence) }

// Noted is what an event of the audit log says besides its kind, in the reader's
// language as far as it is the program's own words.
func Noted(detail string) Text { return noted(detail) }

// Because is a sentence of ours whose {} stands for one that Known would show.
func Because(sentence, why string) Text { return because{sentence, why} }

type (
	knownText string
	noted     string
	because   struct{ sentence, why string }
)

func (k knownText) in(l language) template.HTML { return data(l.known(string(k))).in(l) }

func (n noted) in(l language) template.HTML {
	s := string(n)
	if l == spanish {
		s, _ = SpanishOf(s, true)
	}
	return data(s).in(l)
}

func (b because) in(l language) template.HTML {
	why := b.why
	if l == spanish {
		why, _ = SpanishOf(why, true)
	}
	return l.say(b.sentence, why)
}

func (l language) known(s string) string {
	if l == spanish {
		s, _ = SpanishOf(s, false)
	}
	return s
}

// SpanishOf returns the Spanish of a sentence that has its values in it already,
// and whether there is one; without one it is the sentence. A value may be such a
// sentence itself. Sentences that begin with a value could be anybody's: they are
// recognized within others, or where why is set, because it says why another part
// of the program refused something.
func SpanishOf(s string, why bool) (string, bool) {
	if translated, ok := sentences["made"][s]; ok {
		return translated, true
	}
	for _, sentence := range made() {
		values, ok := valuesOf(sentence, s)
		if !ok || !why && strings.HasPrefix(sentence, "{}") {
			continue
		}
		var b strings.Builder
		for i, part := range strings.Split(sentences["made"][sentence], "{}") {
			if i > 0 {
				value, _ := SpanishOf(values[i-1], true)
				b.WriteString(value)
			}
			b.WriteString(part)
		}
		return b.String(), true
	}
	return s, false
}

// made lists the sentences with values, those first that say more.
var made = sync.OnceValue(func() []string {
	all := slices.DeleteFunc(slices.Collect(maps.Keys(sentences["made"])), func(s string) bool { return !strings.Contains(s, "{}") })
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return all
})

// valuesOf returns what stands in s where a sentence has {}.
func valuesOf(sentence, s string) (values []string, ok bool) {
	parts := strings.Split(sentence, "{}")
	rest, ok := strings.CutPrefix(s, parts[0])
	if !ok || !strings.HasSuffix(rest, parts[len(parts)-1]) {
		return nil, false
	}
	for i, part := range parts[1:] {
		end := strings.Index(rest, part)
		if i == len(parts)-2 {
			end = len(rest) - len(part)
		}
		if end <= 0 {
			return nil, false
		}
		values = append(values, rest[:end])
		rest = rest[end+len(part):]
	}
	return values, true
}
