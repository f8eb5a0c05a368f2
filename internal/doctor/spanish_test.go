package doctor

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"rialto/templates"
)

// The page of the console shows checks, and what failed, in the reader's language.
func TestChecksAreTranslated(t *testing.T) {
	for _, s := range checks() {
		for _, words := range []string{s.Title, s.Expect, s.Fix} {
			if _, ok := templates.Spanish(words); !ok || strings.Contains(words, "{}") {
				t.Errorf("%s: no Spanish for %q", s.ID, words)
			}
		}
	}
	for _, c := range causes() {
		if _, ok := templates.Spanish(c.Do); !ok && c.Do != "" {
			t.Errorf("%s: no Spanish for %q", c.ID, c.Do)
		}
	}
	keys := failureKeys(t)
	if len(keys) < 60 {
		t.Errorf("got %d sentences, which is too few to be all", len(keys))
	}
	for _, key := range keys {
		if _, ok := templates.Spanish(key); !ok && strings.ContainsFunc(key, unicode.IsLetter) {
			t.Errorf("no Spanish for %q", key)
		}
	}
}

// failureKeys reads the sentences of failures out of the source.
func failureKeys(t *testing.T) (keys []string) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, _ := n.(*ast.CallExpr)
			if call == nil {
				return true
			}
			f, _ := call.Fun.(*ast.Ident)
			if f == nil || !slices.Contains([]string{"fail", "expect", "skip", "say", "because"}, f.Name) {
				return true
			}
			for _, arg := range call.Args {
				if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					key, _ := strconv.Unquote(lit.Value)
					keys = append(keys, key)
					break
				}
			}
			return true
		})
	}
	return keys
}
