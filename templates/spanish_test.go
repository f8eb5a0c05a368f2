package templates

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestEverySentenceIsTranslated reads the sentences out of the templates, so
// that a new one cannot be forgotten.
func TestEverySentenceIsTranslated(t *testing.T) {
	for s := range inTemplates(t) {
		if _, ok := Spanish(s); !ok {
			t.Errorf("no Spanish for %q", s)
		}
	}
}

func TestTranslationsTakeTheSameValues(t *testing.T) {
	for s, translated := range sentences {
		if translated == "" || strings.Count(s, "{}") != strings.Count(translated, "{}") {
			t.Errorf("%q and %q do not take the same number of values", s, translated)
		}
	}
}

// TestNoTranslationIsUnused looks for each sentence in the templates and in the strings of
// all packages.
func TestNoTranslationIsUnused(t *testing.T) {
	used := inTemplates(t)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return cmp.Or(err, fs.SkipDir)
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			stringsIn(t, path, used)
		}
		if slices.Contains([]string{"checks.yaml", "causes.yaml", "tables.yaml", "agent_form.yaml"}, d.Name()) {
			valuesIn(t, path, used)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range inAPI(t) {
		used[s] = true
	}
	for _, month := range strings.Fields("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec") {
		used[month] = true // time.Month has them
	}
	for s := range sentences {
		if !used[s] && !partOf(s, used) {
			t.Errorf("nothing says %q", s)
		}
	}
}

// partOf reports whether a sentence begins or ends with a long string that is used: the
// rest is a constant.
func partOf(s string, used map[string]bool) bool {
	for u := range used {
		if len(u) >= 20 && (strings.HasPrefix(s, u) || strings.HasSuffix(s, u)) {
			return true
		}
	}
	return false
}

// valuesIn adds the values in a YAML file.
func valuesIn(t *testing.T, path string, used map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(path)
	var whole yaml.Node
	if err = cmp.Or(err, yaml.Unmarshal(text, &whole)); err != nil {
		t.Fatal(err)
	}
	var add func(n *yaml.Node)
	add = func(n *yaml.Node) {
		used[n.Value] = true
		for _, c := range n.Content {
			add(c)
		}
	}
	add(&whole)
}

// stringsIn adds the strings of a source file, with those that are put together of
// several.
func stringsIn(t *testing.T, path string, used map[string]bool) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var value func(e ast.Expr) (string, bool)
	value = func(e ast.Expr) (string, bool) {
		switch e := e.(type) {
		case *ast.BasicLit:
			s, err := strconv.Unquote(e.Value)
			return s, err == nil && e.Kind == token.STRING
		case *ast.BinaryExpr:
			left, ok1 := value(e.X)
			right, ok2 := value(e.Y)
			return left + right, ok1 && ok2 && e.Op == token.ADD
		}
		return "", false
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			if s, ok := value(e); ok {
				for line := range strings.SplitSeq(s, "\n") {
					used[line] = true
					used[strings.TrimSuffix(strings.TrimPrefix(line, "; "), "; ")] = true // a part of the details of an event
					used[verb.ReplaceAllString(line, "{}")] = true                        // the format of a message
				}
			}
		}
		return true
	})
}

var verb = regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]`)

// TestTheAPIPageIsTranslated reads what /docs shows before an operation is unfolded.
func TestTheAPIPageIsTranslated(t *testing.T) {
	all := inAPI(t)
	for _, s := range all {
		if _, ok := Spanish(s); !ok {
			t.Errorf("no Spanish for %q", s)
		}
	}
	if len(all) < 100 {
		t.Errorf("found %d sentences", len(all))
	}
}

// inAPI returns the summaries of the OpenAPI document, and what it says of itself and of its tags.
func inAPI(t *testing.T) (all []string) {
	t.Helper()
	var document struct {
		Info  struct{ Description string }
		Tags  []struct{ Description string }
		Paths map[string]map[string]yaml.Node
	}
	text, err := os.ReadFile("../cmd/rialto/internal/server/openapi.yaml")
	if err = cmp.Or(err, yaml.Unmarshal(text, &document)); err != nil {
		t.Fatal(err)
	}
	all = append(all, document.Info.Description)
	for _, tag := range document.Tags {
		all = append(all, tag.Description)
	}
	for _, item := range document.Paths {
		for _, node := range item {
			var operation struct{ Summary string }
			if node.Decode(&operation) == nil && operation.Summary != "" {
				all = append(all, operation.Summary)
			}
		}
	}
	return all
}

func inTemplates(t *testing.T) map[string]bool {
	t.Helper()
	call := regexp.MustCompile(`(?:{{|\()(?:t|say) "([^"]+)"`)
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
	for _, folder := range []string{"oauth", "oauth/*", "oauth/*/*", "bridge/web", "bridge/operator", "cmd/rialto/internal/server", "cmd/rialto/internal/config"} {
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
			if selected, ok := n.Type.(*ast.SelectorExpr); ok {
				name = selected.Sel
			}
			problem := name != nil && slices.Contains([]string{"Problem", "Refusal", "ErrSignInDenied"}, name.Name) ||
				name != nil && name.Name == "Error" && strings.Contains(file, "bridge/operator/")
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					e = kv.Value
				}
				if problem {
					add(e)
				}
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "BadLink" {
				add(n.Args[len(n.Args)-1])
			}
			refusals := []string{"invalid", "conflict", "notFound"}
			if f, ok := n.Fun.(*ast.Ident); ok && strings.Contains(file, "bridge/operator/") && slices.Contains(refusals, f.Name) {
				add(n.Args[1])
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
