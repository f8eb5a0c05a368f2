package console

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rialto/bridge/operator"
	"rialto/internal/i18n"
	"rialto/templates"
)

// notForPeople are the words of programs, of the log and of headers.
var notForPeople = regexp.MustCompile(`^(Content-Type|X-Content-Type-Options|HTTP\+JSON| |  |Cache-Control|Content-Disposition|Retry-After|Allow|GET|POST|HEAD|GET, HEAD|GET, HEAD, POST|` +
	`console: .*|too many pages .*|This address does not answer |watching|still watching|not a valid form|` +
	`[A-Z0-9_]+|.*/.*|.*[{"].*"|A2A|\?.*|, )$`)

// TestEverySentenceOfTheConsoleIsTranslated reads the sentences out of the code:
// whatever has a space in it or begins with a capital letter is for people,
// unless it is known not to be; and so is every word of a badge.
func TestEverySentenceOfTheConsoleIsTranslated(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	reports, err := filepath.Glob("*report/*.go")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("*pages/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(files, reports, pages) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, sentence := range sentences(file) {
			sentence = i18n.New(sentence).Key
			spanish, ok := templates.Spanish(sentence)
			if !ok {
				t.Errorf("%s: no Spanish for %q", name, sentence)
			}
			if strings.Count(sentence, "{}") != strings.Count(spanish, "{}") {
				t.Errorf("%q and %q do not take the same number of values", sentence, spanish)
			}
		}
	}
}

// sentences returns what a file says to people.
func sentences(file *ast.File) (all []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.BinaryExpr:
			return false // a sentence that is put together has no translation
		case *ast.CallExpr:
			if name(n.Fun) == "Badge" {
				all = append(all, text(n.Args[1])...)
			}
		case *ast.BasicLit:
			if s := text(n); len(s) == 1 && forPeople(s[0]) {
				all = append(all, s[0])
			}
		}
		return true
	})
	return all
}

func forPeople(s string) bool {
	return (strings.Contains(s, " ") || s != "" && s[0] >= 'A' && s[0] <= 'Z') && !notForPeople.MatchString(s)
}

func text(e ast.Expr) []string {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return nil
	}
	s, err := strconv.Unquote(l.Value)
	if err != nil {
		return nil
	}
	return []string{s}
}

func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func TestEverySentenceOfTheTablesIsTranslated(t *testing.T) {
	for _, resource := range []string{"grants", "clients", "accounts", "agents", "tasks", "events", "keys", "calls"} {
		query := operator.NewQuery(resource)
		x := query.Table().Remove
		said := []string{query.Table().Empty, x.Button, x.Title, x.About, x.Word}
		for _, c := range query.Table().Page {
			said = append(said, c.Title)
		}
		for _, f := range operator.Filters(query) {
			if f.Field == "" {
				continue
			}
			said = append(said, f.Label)
			for _, x := range f.Choices {
				said = append(said, x.Word)
			}
		}
		for _, s := range said {
			if _, ok := templates.Spanish(s); s != "" && !ok {
				t.Errorf("%s: no Spanish for %q", resource, s)
			}
		}
	}
}
