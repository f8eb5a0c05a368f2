package documents

import (
	"encoding/json"
	"unicode/utf8"
)

// MaxResult is how many characters the content of a result and its structured content have
// together, at most; what is around them fits into the rest of 100,000.
const MaxResult = 98_000

// Length returns how many characters v has as JSON.
func Length(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return MaxResult // it fits nowhere
	}
	return utf8.RuneCount(b)
}
