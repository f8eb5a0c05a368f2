// Package bytesize writes numbers of bytes for people.
package bytesize

import (
	"math"
	"strconv"
)

// Format returns n bytes, n not negative, in the largest unit that they fill, rounded down to a
// tenth: 400 B, 1.5 KiB, 16 MiB, 2 GiB.
func Format(n int64) string {
	units := []string{" B", " KiB", " MiB", " GiB"}
	size := float64(n)
	for size >= 1024 && len(units) > 1 {
		size /= 1024
		units = units[1:]
	}
	return strconv.FormatFloat(math.Floor(size*10)/10, 'f', -1, 64) + units[0]
}
