// Package transcript runs tests that are written as txtar files: what goes in, and what
// has to come out. It does not know what the sections of a file mean.
package transcript

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the transcripts")

// Run plays each file that matches pattern, in a subtest of its name. play returns the sections
// that the file must have. With the flag -update the file is rewritten with them.
func Run(t *testing.T, pattern string, play func(*testing.T, *txtar.Archive) []txtar.File) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := txtar.Format(archive)
			got := txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: play(t, archive)})
			if bytes.Equal(got, want) {
				return
			}
			if !*update {
				t.Fatalf("got:\n%s\nwant:\n%s", got, want)
			}
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}
