package config

import "github.com/agext/levenshtein"

// Nearest returns the candidate with the smallest edit distance to s.
func Nearest(s string, candidates []string) string {
	best, least := "", 1<<30
	for _, c := range candidates {
		if d := levenshtein.Distance(s, c, nil); d < least {
			best, least = c, d
		}
	}
	return best
}

// Similar tells whether one word may be a typing mistake of the other.
func Similar(a, b string) bool { return levenshtein.Distance(a, b, nil) <= max(2, len(a)/3) }
