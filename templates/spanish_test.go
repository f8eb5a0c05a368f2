package templates

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

// TestEverySentenceIsTranslated reads the sentences out of the templates, so
// that a new one cannot be forgotten. The table also holds sentences that our
// other packages bring.
func TestEverySentenceIsTranslated(t *testing.T) {
	used := sentences(t)
	for s := range used {
		translated, ok := inSpanish[s]
		if !ok {
			t.Errorf("no Spanish for %q", s)
		}
		if strings.Count(s, "{}") != strings.Count(translated, "{}") {
			t.Errorf("%q and %q do not take the same number of values", s, translated)
		}
	}
}

func sentences(t *testing.T) map[string]bool {
	t.Helper()
	call := regexp.MustCompile(`{{(?:t|say) "([^"]+)"`)
	used := map[string]bool{}
	err := fs.WalkDir(sources, "html", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(sources, path)
		for _, m := range call.FindAllStringSubmatch(string(content), -1) {
			used[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return used
}

func TestAValueStaysInItsPlace(t *testing.T) {
	got := string(english.say("{} wants {}", "a{}b", "<i>"))
	if want := "<bdi>a{}b</bdi> wants <bdi>&lt;i&gt;</bdi>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
