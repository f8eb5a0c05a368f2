package bytesize_test

import (
	"testing"

	"rialto/internal/bytesize"
)

func TestFormat(t *testing.T) {
	for n, want := range map[int64]string{
		0:           "0 B",
		1023:        "1023 B",
		1 << 10:     "1 KiB",
		1536:        "1.5 KiB",
		1<<20 - 1:   "1023.9 KiB",
		16 << 20:    "16 MiB",
		1100 << 20:  "1 GiB",
		1536 << 20:  "1.5 GiB",
		4096 << 30:  "4096 GiB",
		2<<30 + 100: "2 GiB",
	} {
		if got := bytesize.Format(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
