package config

import (
	"strconv"
	"strings"
)

// Size is a number of bytes, written as 512KiB, 16MiB or 2GiB.
type Size int64

var sizeUnits = []struct {
	suffix string
	bytes  Size
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}}

func parseSize(s string) (Size, error) {
	for _, unit := range sizeUnits {
		if number, ok := strings.CutSuffix(s, unit.suffix); ok {
			n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 31)
			return Size(n) * unit.bytes, err
		}
	}
	return 0, strconv.ErrSyntax
}

func (s Size) String() string {
	for _, unit := range sizeUnits {
		if s%unit.bytes == 0 {
			return strconv.FormatInt(int64(s/unit.bytes), 10) + unit.suffix
		}
	}
	return ""
}
