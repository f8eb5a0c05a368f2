package view

import "rialto/a2a"

// longestData limits a JSON value that is shown as one, in characters of JSON. A longer value fits no
// page of a result and is shown as text.
const longestData = 31_500

func tooLong(data a2a.Data) bool {
	return len(data) > longestData/len(`\u003c`) && Cost(string(data)) > longestData
}

// Cost returns how many characters a text has as JSON.
func Cost(s string) (n int) {
	for _, c := range s {
		n += RuneCost(c)
	}
	return n
}

// RuneCost returns how many characters a character has as JSON.
func RuneCost(c rune) int {
	switch c {
	case '<', '>', '&', '\u2028', '\u2029':
		return len(`\u003c`)
	case '"', '\\', '\n', '\t':
		return 2
	}
	return 1
}
