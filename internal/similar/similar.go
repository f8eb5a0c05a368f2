// Package similar finds typing mistakes: it measures how far two words are apart. It does not know
// which words are meant.
package similar

// Distance returns how many runes must be inserted, deleted or replaced to turn a into b (Levenshtein).
func Distance(a, b string) int {
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
