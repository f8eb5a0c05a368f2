package sqlbox_test

import (
	"testing"
	"time"

	"rialto/cmd/rialto/internal/tableexpert/sqlbox/sqlboxtest"
)

// FuzzQuery holds the box to its promise: whatever the text, the answer is a
// result or an error with a code, in time, and the data stays as it is.
func FuzzQuery(f *testing.F) {
	for _, a := range sqlboxtest.Attacks() {
		f.Add(a.SQL)
	}
	f.Add("WITH a(x) AS NOT MATERIALIZED (SELECT 1) SELECT [x]]], \"y\"\"z\" FROM a -- c")
	b := box(f)
	b.Timeout = 200 * time.Millisecond
	b.Parallel = 100
	before := dump(f, b)
	f.Fuzz(func(t *testing.T, sql string) {
		if _, err := b.Query(t.Context(), sql, 5); err != nil && code(err) == "" {
			t.Errorf("%q: got %v, which has no code", sql, err)
		}
		if after := dump(t, b); after != before {
			t.Fatalf("%q has changed the image to %q", sql, after)
		}
	})
}
