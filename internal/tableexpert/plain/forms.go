package plain

import (
	"slices"
	"strings"
)

// unknown reports whether the item is a word that nothing is called by.
func (it item) unknown() bool {
	return it.op == none && !it.time() && it.num == nil && it.unit == "" && it.table == nil && len(it.columns) == 0 && len(it.values) == 0
}

// derived reads words that are made of those of the schema: unpaid of a column paid_on,
// hired of hire_date, remotely of remote, and ordered of a table of orders.
func (l *lexicon) derived(it item) []item {
	for _, prefix := range []string{"un", "non-", "non", "in"} {
		if rest, ok := strings.CutPrefix(it.words, prefix); ok && len(rest) > 2 {
			if places := l.states(rest); len(places) > 0 {
				return []item{{words: it.words, op: not}, {words: it.words, columns: places}}
			}
		}
	}
	for _, ending := range []string{"ed", "d", "ing", "ly"} {
		stem, ok := strings.CutSuffix(it.words, ending)
		if !ok || len(stem) < 3 {
			continue
		}
		if t := l.tables[singular(stem)]; t != nil && ending == "ed" {
			return []item{{words: it.words, op: with}, {words: it.words + "s", table: t}}
		}
		for _, stem := range []string{stem, stem + "ion"} { // terminated, termination
			if places := l.states(stem); len(places) > 0 {
				return []item{{words: it.words, columns: places}}
			}
		}
	}
	return nil
}

// states returns the columns of that name that say when something came to be, or whether
// it is so.
func (l *lexicon) states(word string) []place {
	word = singular(word)
	return slices.DeleteFunc(slices.Concat(l.columns[word], l.partial[word]), func(p place) bool {
		_, _, flag := p.flag()
		return p.c.Kind != Date && !flag
	})
}

// gendered returns how people call those of whom a column of genders says word.
func gendered(p place, word string) []string {
	if !slices.ContainsFunc(parts(p.c.Name), func(w string) bool { return slices.Contains([]string{"gender", "sex", "sexo", "género"}, w) }) {
		return nil
	}
	spanish := slices.ContainsFunc(p.c.Values, func(v string) bool { return strings.EqualFold(v, "h") }) // of hombre; m is mujer
	switch {
	case slices.Contains([]string{"f", "female", "w", "woman", "mujer", "femenino"}, word), word == "m" && spanish:
		return []string{"woman", "women", "female", "girl", "mujere", "mujer", "femenino"}
	case slices.Contains([]string{"m", "male", "man", "hombre", "masculino"}, word), word == "h" && spanish:
		return []string{"man", "men", "male", "boy", "hombre", "masculino"}
	}
	return nil
}

// signed reads "negative amounts" and "importes negativos".
func (r *reading) signed(it *item) bool {
	symbol := map[string]string{"negative": "<", "negativo": "<", "negativa": "<", "positive": ">", "positivo": ">", "positiva": ">"}[singular(it.words)]
	if symbol == "" {
		return false
	}
	for _, beside := range []*item{r.peek(), r.previous()} {
		if beside == nil || beside.op != none {
			continue
		}
		p := r.choose(beside.columns, place.measure)
		if !p.valid() && beside.table != nil {
			p = beside.table.principal()
		}
		if p.valid() {
			r.narrow(filter{place: p, cond: "%[1]s " + symbol + " 0", words: p.name() + " " + symbol + " 0"})
			return true
		}
	}
	return false
}

// blank reads what may stand behind a column: "is empty", or with filled "is not empty".
func (r *reading) blank(filled bool) bool {
	i := r.at + 1
	for i < len(r.items) && r.items[i].op == filler {
		i++
	}
	if filled && (i >= len(r.items) || r.items[i].op != not) {
		return false
	} else if filled {
		i++
	}
	if i >= len(r.items) || !r.items[i].unknown() || !slices.Contains([]string{"empty", "missing", "null", "blank", "unknown", "vacío", "vacía"}, r.items[i].words) {
		return false
	}
	r.take(i)
	return true
}
