package templates

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEverySentenceIsTranslated reads the sentences out of the templates, so
// that a new one cannot be forgotten. The table also holds sentences that our
// other packages bring.
func TestEverySentenceIsTranslated(t *testing.T) {
	used := sentences(t)
	for s := range used {
		translated, ok := Spanish(s)
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

// TestWhatOtherPackagesSayIsTranslated reads the sentences that they put on
// pages out of their sources.
func TestWhatOtherPackagesSayIsTranslated(t *testing.T) {
	found := 0
	for _, folder := range []string{"oauth", "bridge/web", "bridge/operator", "internal/server", "internal/config"} {
		files, err := filepath.Glob("../" + folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, s := range problemsIn(t, file) {
				found++
				if _, ok := Spanish(s); !ok {
					t.Errorf("%s: no Spanish for %q", file, s)
				}
			}
		}
	}
	if found < 60 {
		t.Errorf("found %d sentences, which is too few to be all", found)
	}
}

// problemsIn returns the sentences of a source file that end on pages: the fields of a
// problem, and what a function that makes one is given.
func problemsIn(t *testing.T, file string) (sentences []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	add := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(s, " ") {
				sentences = append(sentences, s)
			}
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			name, _ := n.Type.(*ast.Ident)
			page, _ := n.Type.(*ast.SelectorExpr)
			problem := name != nil && slices.Contains([]string{"problem", "errSignIn", "errTurnedAway"}, name.Name) ||
				page != nil && page.Sel.Name == "Problem"
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					e = kv.Value
				}
				if problem {
					add(e)
				}
			}
		case *ast.CallExpr:
			if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "badLink" {
				add(n.Args[len(n.Args)-1])
			}
		}
		return true
	})
	return sentences
}

func TestAValueStaysInItsPlace(t *testing.T) {
	got := string(english.say("{} wants {}", "a{}b", "<i>"))
	if want := "<bdi>a{}b</bdi> wants <bdi>&lt;i&gt;</bdi>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
