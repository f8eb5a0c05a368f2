package audit

import (
	"os"
	"path/filepath"
	"testing"
)

// A crash leaves half a line of the file. The next line once joined it, and no line could be read then.
func TestAnchorsAreReadAfterACrash(t *testing.T) {
	file := filepath.Join(t.TempDir(), "anchors")
	whole := `{"time":"2026-01-02T03:04:05Z","seq":7,"hash":"hmac:aa"}`
	if err := os.WriteFile(file, []byte(whole+"\n"+whole[:30]), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func(want int) {
		t.Helper()
		ends, err := ReadAnchors(file)
		if err != nil || len(ends) != want {
			t.Errorf("got %v, %v, want %d ends", ends, err, want)
		}
	}
	check(1)
	if err := appendLine(file, []byte(whole+"\n")); err != nil {
		t.Fatal(err)
	}
	check(2)
	if err := appendLine(file, []byte("something else\n")); err != nil {
		t.Fatal(err)
	}
	if ends, err := ReadAnchors(file); err == nil {
		t.Errorf("got %v of a file with a line that nobody wrote", ends)
	}
}
