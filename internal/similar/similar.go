// Package similar finds typing mistakes: it measures how far two words are apart. It does not know
// which words are meant.
package similar

import "strings"

// maxLength bounds the word that is looked for, in bytes.
const maxLength = 64

// Nearest returns the known word that is nearest to a word, and how far apart they are: how many runes
// must be inserted, deleted or replaced to turn one into the other, whatever their case. A word that
// begins the other is next to it.
func Nearest(word string, known []string) (nearest string, apart int) {
	word = strings.ToLower(strings.ToValidUTF8(word[:min(len(word), maxLength)], ""))
	for i, k := range known {
		lower := strings.ToLower(k)
		d := distance(word, lower)
		if len(word) > 2 && strings.HasPrefix(lower, word) {
			d = min(d, 1)
		}
		if i == 0 || d < apart {
			nearest = k
			apart = d
		}
	}
	return nearest, apart
}

// distance returns how many runes must be inserted, deleted or replaced to turn a into b (Levenshtein).
func distance(a, b string) int {
	target := []rune(b)
	row := make([]int, len(target)+1)
	for j := range row {
		row[j] = j
	}

	for i, r := range []rune(a) {
		diagonal := row[0] // of the row before
		row[0] = i + 1
		for j, s := range target {
			replaced := diagonal
			if r != s {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}

	return row[len(target)]
}
