package layout

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxRecipe is how many files a person may have to edit for one addition, with its test.
const maxRecipe = 6

var (
	recipeStep = regexp.MustCompile(`(?m)^\d+\. (?:.([\w./<>-]+).:)?`)
	generated  = regexp.MustCompile(`(?s)<!-- \w+: .*?<!-- end of \w+ -->`)
)

// TestRecipesNameTheFilesOfAnAddition fails when a file that a recipe of CONTRIBUTING.md does not name
// lists all tools, or all settings of an agent: an addition would have to edit it.
func TestRecipesNameTheFilesOfAnAddition(t *testing.T) {
	contributing := readFile(t, root+"/CONTRIBUTING.md")
	for _, test := range []struct{ recipe, document, table, row string }{
		{"Add an MCP tool", "docs/reference.md", "tools", "(?m)^. `(\\w+)`"},
		{"Add a setting of an agent", "docs/configuration.md", "settings: agents", "`agents\\[\\]\\.(\\w+)`"},
	} {
		_, recipe, _ := strings.Cut(contributing, "### "+test.recipe+"\n")
		recipe, _, _ = strings.Cut(recipe, "\n### ")
		steps := recipeStep.FindAllStringSubmatch(recipe, -1)
		if len(steps) == 0 || len(steps) > maxRecipe {
			t.Errorf("%s: got %d steps, want at most %d", test.recipe, len(steps), maxRecipe)
		}

		_, table, _ := strings.Cut(readFile(t, root+"/"+test.document), "<!-- "+test.table)
		table, _, _ = strings.Cut(table, "<!-- end of ")
		var names []string
		for _, m := range regexp.MustCompile(test.row).FindAllStringSubmatch(table, -1) {
			names = append(names, plain(m[1]))
		}
		if len(names) < 8 {
			t.Fatalf("%s: %s lists only %v", test.recipe, test.document, names)
		}

		var named []string
		for _, step := range steps {
			path := step[1]
			if path == "" || strings.Contains(path, "<") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("%s: %v", test.recipe, err)
			}
			named = append(named, path)
		}
		for _, path := range filesThatName(t, names) {
			if !slices.Contains(named, path) {
				t.Errorf("%s: %s has all of %v, and the recipe does not name it", test.recipe, path, names)
			}
		}
	}
}

// filesThatName returns the files written by hand that have all names, however they are spelled.
func filesThatName(t *testing.T, names []string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		skipped := []string{".git", "node_modules", "testdata"}
		if d.IsDir() && slices.Contains(skipped, d.Name()) {
			return fs.SkipDir
		}
		if d.IsDir() || !regexp.MustCompile(`\.(go|md|ya?ml|json|html|mjs|js)$`).MatchString(path) {
			return nil
		}
		text := plain(generated.ReplaceAllString(readFile(t, path), ""))
		missing := func(name string) bool {
			return !regexp.MustCompile(`\b` + name + `\b`).MatchString(text)
		}
		if !slices.ContainsFunc(names, missing) {
			local, err := filepath.Rel(root, path)
			found = append(found, local)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// plain spells a name alike in Go, JSON and flags.
func plain(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
