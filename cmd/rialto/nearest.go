package main

import "github.com/agext/levenshtein"

// nearest returns the candidate that takes the fewest edits to reach from s.
func nearest(s string, candidates []string) string {
	best, least := "", 1<<30
	for _, c := range candidates {
		if d := levenshtein.Distance(s, c, nil); d < least {
			best, least = c, d
		}
	}
	return best
}

// similar tells whether one word may be a slip of the other.
func similar(a, b string) bool { return levenshtein.Distance(a, b, nil) <= max(2, len(a)/3) }
