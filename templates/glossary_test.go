package templates

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// glossary is what glossary.yaml says.
type glossary struct {
	States  map[string]map[string]string // words by kind and name
	Marks   []string
	Actions map[string][]string // by what they are done to
}

func readGlossary(t *testing.T) (g glossary) {
	t.Helper()
	text, err := os.ReadFile("glossary.yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (g glossary) words() (badges, actions []string) {
	badges = slices.Clone(g.Marks)
	for _, states := range g.States {
		badges = slices.AppendSeq(badges, maps.Values(states))
	}
	for _, list := range g.Actions {
		actions = append(actions, list...)
	}
	return badges, actions
}

// TestAStateAndAnActionHaveOneWord holds the words of the glossary apart, in both languages.
func TestAStateAndAnActionHaveOneWord(t *testing.T) {
	g := readGlossary(t)
	names := map[string]string{} // the name of a state, by its word
	for kind, states := range g.States {
		spoken := map[string]string{}
		for name, word := range states {
			translated, ok := Spanish(word)
			if !ok || spoken[translated] != "" {
				t.Errorf("%s: %q has the Spanish %q, as %q has", kind, word, translated, spoken[translated])
			}
			spoken[translated] = word
			if kind == "task" {
				names[name] = word
			}
			if other := names[name]; other != "" && other != word {
				t.Errorf("%s of a %s is %q, of a task %q", name, kind, word, other)
			}
		}
	}
	_, actions := g.words()
	spoken := map[string]string{}
	for _, word := range actions {
		translated, ok := Spanish(word)
		if !ok {
			translated, ok = cardWords(t)[word]
		}
		if other := spoken[translated]; !ok || other != "" {
			t.Errorf("the action %q has the Spanish %q, as %q has", word, translated, other)
		}
		spoken[translated] = word
	}
}

// TestDoorsSayTheWordsOfTheGlossary collects the words for states and actions where they are made.
func TestDoorsSayTheWordsOfTheGlossary(t *testing.T) {
	g := readGlossary(t)
	badges, actions := g.words()
	said := map[string]bool{}
	check := func(where, word string, known []string) {
		said[word] = true
		if !slices.Contains(known, word) {
			t.Errorf("%s says %q, which is not in glossary.yaml", where, word)
		}
	}
	inGo(t, "../bridge", func(file string, n ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if ok && f.Sel.Name == "Badge" {
				if word, ok := literal(n.Args[1]); ok {
					check(file, word, badges)
				}
			}
		case *ast.CompositeLit:
			if name := fmt.Sprint(n.Type); !strings.HasSuffix(name, "Button}") && !strings.HasSuffix(name, "Form}") && name != "question" && name != "Removal" {
				return
			}
			for _, e := range n.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok || !slices.Contains([]string{"Word", "word", "Button"}, fmt.Sprint(kv.Key)) {
					continue
				}
				if word, ok := literal(kv.Value); ok {
					check(file, word, actions)
				}
			}
		}
	})
	button := regexp.MustCompile(`(?:<button[^>]*>|class="button[^>]*>)(?:<span[^>]*></span>)?{{t "([^"]+)"`)
	for file, text := range inFolder(t, "html", ".html") {
		for _, m := range button.FindAllStringSubmatch(text, -1) {
			check(file, m[1], actions)
		}
	}
	for _, m := range regexp.MustCompile("button\\((?:`\\$\\{)?t\\((?:'([^']+)'|\"([^\"]+)\")").FindAllStringSubmatch(card(t), -1) {
		check("the task card", m[1]+m[2], actions)
	}
	for _, word := range append(badges, actions...) {
		if !said[word] && !strings.Contains(card(t), "'"+word+"'") && !inSources(t, word) {
			t.Errorf("nothing says %q of glossary.yaml", word)
		}
	}
}

// TestTaskStatesHaveOneWord compares the page and the card with the glossary.
func TestTaskStatesHaveOneWord(t *testing.T) {
	g := readGlossary(t)
	constants := map[string]string{}
	inGo(t, "../a2a", func(file string, n ast.Node) {
		if spec, ok := n.(*ast.ValueSpec); ok && file == "../a2a/task.go" && fmt.Sprint(spec.Type) == "State" {
			constants[spec.Names[0].Name], _ = literal(spec.Values[0])
		}
	})
	page := map[string]string{}
	row := regexp.MustCompile(`a2a\.(\w+): +\{templates\.\w+, "([^"]+)"\}`)
	text := inFolder(t, "../bridge/web", "task_page.go")["../bridge/web/task_page.go"]
	for _, m := range row.FindAllStringSubmatch(text, -1) {
		page[constants[m[1]]] = m[2]
	}
	if !maps.Equal(page, g.States["task"]) {
		t.Errorf("the page says %q, the glossary %q", page, g.States["task"])
	}
	shown := map[string]string{"unknown": "Unknown"}
	for _, m := range regexp.MustCompile(`'?([a-z-]+)'?: \[t\((?:filing\(\) \? '[^']+' : )?'([^']+)'\)`).FindAllStringSubmatch(card(t), -1) {
		shown[m[1]] = m[2]
	}
	if !maps.Equal(shown, g.States["task"]) {
		t.Errorf("the card says %q, the glossary %q", shown, g.States["task"])
	}
	for word, translated := range cardWords(t) {
		if of, ok := Spanish(word); ok && of != translated {
			t.Errorf("%q is %q on the card and %q on pages", word, translated, of)
		}
	}
}

// TestCommandsSayTheNamesOfStates reads which words the terminal colors.
func TestCommandsSayTheNamesOfStates(t *testing.T) {
	g := readGlossary(t)
	names := []string{"skipped"} // a check of the doctor
	for _, states := range g.States {
		names = slices.AppendSeq(names, maps.Keys(states))
	}
	const file = "../cmd/rialto/internal/term/term.go"
	_, colors, _ := strings.Cut(inFolder(t, filepath.Dir(file), "term.go")[file], "var colors = ")
	colors, _, _ = strings.Cut(colors, "\n}")
	found := regexp.MustCompile(`"([a-z-]+)":`).FindAllStringSubmatch(colors, -1)
	for _, m := range found {
		if !slices.Contains(names, m[1]) {
			t.Errorf("the terminal knows the state %q, which is not in glossary.yaml", m[1])
		}
	}
	if len(found) < 10 {
		t.Errorf("found %d states", len(found))
	}
}

// inGo calls visit with every node of the sources in a folder.
func inGo(t *testing.T, folder string, visit func(file string, n ast.Node)) {
	t.Helper()
	for file, text := range inFolder(t, folder, ".go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool { visit(file, n); return true })
	}
}

// inFolder returns the files of a folder whose names end so, by their paths.
func inFolder(t *testing.T, folder, ending string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ending) {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

func card(t *testing.T) string {
	t.Helper()
	const file = "../bridge/tools/task_card.html"
	return inFolder(t, filepath.Dir(file), "task_card.html")[file]
}

// cardWords returns the Spanish of the task card.
func cardWords(t *testing.T) map[string]string {
	t.Helper()
	_, table, _ := strings.Cut(card(t), "const spanish = {")
	table, _, _ = strings.Cut(table, "\n};")
	words := map[string]string{}
	for _, m := range regexp.MustCompile(`(?:'([^']+)'|"([^"]+)"): '([^']+)'`).FindAllStringSubmatch(table, -1) {
		words[m[1]+m[2]] = m[3]
	}
	if len(words) < 50 {
		t.Fatalf("found %d words of the card", len(words))
	}
	return words
}

// inSources reports whether a package says a word in a place that no rule above reads.
func inSources(t *testing.T, word string) bool {
	t.Helper()
	for _, text := range inFolder(t, "../bridge", ".go") {
		if strings.Contains(text, strconv.Quote(word)) {
			return true
		}
	}
	const tables = "../bridge/operator/tables.yaml"
	return strings.Contains(inFolder(t, filepath.Dir(tables), "tables.yaml")[tables], "word: "+word+"}")
}
