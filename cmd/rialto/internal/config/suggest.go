package config

import "rialto/internal/similar"

// Nearest returns the candidate with the smallest edit distance to s.
func Nearest(s string, candidates []string) string {
	best := ""
	least := 1 << 30
	for _, c := range candidates {
		if d := similar.Distance(s, c); d < least {
			best = c
			least = d
		}
	}
	return best
}

// Similar tells whether one word may be a typing mistake of the other.
func Similar(a, b string) bool { return similar.Distance(a, b) <= max(2, len(a)/3) }
