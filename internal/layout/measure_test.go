package layout

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// measured is what one folder of Go files weighs, its tests left out.
type measured struct {
	job          string // from the package comment
	lines, files int
	tokens       int
	methods      map[string]int // by type
	fields       map[string]int // by struct
	interfaces   map[string]*ast.InterfaceType
	longFiles    []string
	longFuncs    []string
	lengths      []int // lines of each function
	density
}

// measure parses all hand-written Go files of the repository, the modules of
// the tests and benchmarks included, and returns the folders by their path.
func measure(t *testing.T) map[string]*measured {
	t.Helper()
	found := map[string]*measured{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "node_modules" || name == "testdata" || name != ".." && strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(rel)
		if found[folder] == nil {
			found[folder] = &measured{methods: map[string]int{}, fields: map[string]int{}, interfaces: map[string]*ast.InterfaceType{}}
		}
		return found[folder].add(folder, filepath.Base(file), src)
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (m *measured) add(folder, name string, src []byte) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return err
	}
	if file.Doc != nil {
		m.job = job(file.Doc.Text())
	}
	m.density.add(path.Join(folder, name), src, fset, file)
	m.tokens += tokensIn(src)
	lines := bytes.Count(src, []byte("\n"))
	m.lines += lines
	m.files++
	if lines > maxFileLines {
		m.longFiles = append(m.longFiles, fmt.Sprintf("%s (%d)", name, lines))
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv != nil {
				m.methods[receiver(decl.Recv.List[0].Type)]++
			}
			from := fset.Position(decl.Pos()).Offset
			to := fset.Position(decl.End()).Offset
			m.lengths = append(m.lengths, bytes.Count(src[from:to], []byte("\n"))+1)
			if n := tokensIn(src[from:to]); n > maxFunctionTokens {
				m.longFuncs = append(m.longFuncs, fmt.Sprintf("%s in %s has %d tokens", decl.Name.Name, name, n))
			}
		case *ast.GenDecl:
			m.addTypes(decl)
		}
	}
	return nil
}

// support matches the folders of test support.
var support = regexp.MustCompile(`(^|/)(internal/(bench|e2e|layout|transcript|raced)|` +
	`a2a/a2atest|mcp/mcptest|oauth/oauthtest|storetest|sqlboxtest)(/|$)`)

// tokensIn counts the tokens of a file, without comments and the semicolons that the scanner adds.
func tokensIn(src []byte) (n int) {
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile("", set.Base(), len(src)), src, nil, 0)
	for {
		switch _, tok, text := s.Scan(); {
		case tok == token.EOF:
			return n
		case tok == token.SEMICOLON && text == "\n":
		default:
			n++
		}
	}
}

// job returns what a package comment says first, without "Package x".
func job(doc string) string {
	first, _, _ := strings.Cut(strings.Join(strings.Fields(doc), " "), ". ")
	if words := strings.SplitN(first, " ", 3); len(words) == 3 {
		first = words[2]
	}
	return strings.TrimSuffix(first, ".")
}

func (m *measured) addTypes(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		spec, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		switch typ := spec.Type.(type) {
		case *ast.StructType:
			for _, f := range typ.Fields.List {
				m.fields[spec.Name.Name] += max(len(f.Names), 1)
			}
		case *ast.InterfaceType:
			m.interfaces[spec.Name.Name] = typ
		}
	}
}

func receiver(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return receiver(expr.X)
	case *ast.IndexExpr:
		return receiver(expr.X)
	case *ast.IndexListExpr:
		return receiver(expr.X)
	case *ast.Ident:
		return expr.Name
	}
	return "?"
}

// interfaceMethods counts the methods of an interface. Embedded interfaces of
// the same package, and of our other packages by their last path element, count
// with theirs.
func interfaceMethods(all map[string]*measured, folder string, typ *ast.InterfaceType) (n int) {
	for _, f := range typ.Methods.List {
		if len(f.Names) > 0 {
			n += len(f.Names)
			continue
		}
		switch embedded := f.Type.(type) {
		case *ast.Ident:
			if t := all[folder].interfaces[embedded.Name]; t != nil {
				n += interfaceMethods(all, folder, t)
			}
		case *ast.SelectorExpr:
			pkg, _ := embedded.X.(*ast.Ident)
			for other, m := range all {
				if t := m.interfaces[embedded.Sel.Name]; t != nil && pkg != nil && path.Base(other) == pkg.Name {
					n += interfaceMethods(all, other, t)
					break
				}
			}
		}
	}
	return n
}

func most(of map[string]int) (name string, n int) {
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if of[key] > n {
			name, n = key, of[key]
		}
	}
	return name, n
}
