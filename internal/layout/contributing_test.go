package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestContributingNamesWhatExists fails when the table of CONTRIBUTING.md names a function or a
// type that the code does not declare: who renames one corrects its row.
func TestContributingNamesWhatExists(t *testing.T) {
	doc, err := os.ReadFile(root + "/CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	names := declaredNames(t)
	quoted := regexp.MustCompile("`([A-Za-z]+(?:\\.[A-Za-z]+)*)`")
	checked := 0
	for line := range strings.Lines(string(doc)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[3], -1) {
			for part := range strings.SplitSeq(m[1], ".") {
				checked++
				if !names[part] {
					t.Errorf("the row %q names %s, which does not exist", strings.TrimSpace(cells[1]), m[1])
				}
			}
		}
	}
	if checked < 80 {
		t.Errorf("found %d names, which is too few to be all", checked)
	}
}

// declaredNames returns the functions, methods, types, fields and packages of the product.
func declaredNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, p := range packages(t) {
		names[p.Name] = true
		for _, file := range p.GoFiles {
			tree, err := parser.ParseFile(
				token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution,
			)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					names[n.Name.Name] = true
				case *ast.TypeSpec:
					names[n.Name.Name] = true
				case *ast.Field:
					for _, id := range n.Names {
						names[id.Name] = true
					}
				case *ast.ValueSpec:
					for _, id := range n.Names {
						names[id.Name] = true
					}
				}
				return true
			})
		}
	}
	return names
}
