package directory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"rialto/bridge/ledger"
)

const (
	mostProposed = 3 // agents, and words of each
	leastLetters = 4 // of a word that shows what a text is about
)

// Propose adds to the error of a call that names no agent which agents share most words with the
// message. None is chosen: which agent gets a message is for its sender to say.
func (d *Directory) Propose(ctx context.Context, a Access, message string, missing error) error {
	wrong, is := errors.AsType[ledger.InputError](missing)
	if !is {
		return missing
	}

	asked := subjects(message)
	shared := map[string][]string{} // words by agent
	count := map[string]int{}       // agents by word
	var fits []string
	for _, p := range d.Reachable(ctx, a) {
		known := subjects(DescribeCard(a.Card(p, p.Card())))
		for _, word := range asked {
			if slices.Contains(known, word) {
				shared[p.Name] = append(shared[p.Name], word)
				count[word]++
			}
		}
		fits = append(fits, p.Name)
	}

	common := func(word string) bool { return count[word] == len(fits) } // tells nothing
	for name, words := range shared {
		shared[name] = slices.DeleteFunc(words, common)
	}
	fits = slices.DeleteFunc(fits, func(name string) bool { return len(shared[name]) == 0 })
	slices.SortStableFunc(fits, func(x, y string) int { return len(shared[y]) - len(shared[x]) })
	for i, name := range fits[:min(len(fits), mostProposed)] {
		if i == 0 {
			wrong.Text += " By their skills these fit best:"
		}
		words := shared[name][:min(len(shared[name]), mostProposed)]
		wrong.Text += fmt.Sprintf(" \"agent\": %q (%s).", name, strings.Join(words, ", "))
	}

	return wrong
}

// subjects returns the different words of a text that may show what it is about.
func subjects(text string) (words []string) {
	split := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), split) {
		if len(word) >= leastLetters && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}
