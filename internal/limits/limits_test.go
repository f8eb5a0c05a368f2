package limits

import (
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rialto/internal/bytesize"
)

var update = flag.Bool("update", false, "rewrite docs/limits.md")

const head = `# Limits

Limits of sizes, numbers and times that are not settings. ` + "`go test ./internal/limits -update`" + `
writes this page from the code. For settings see [Configuration](configuration.md#settings-of-the-server).

The size of a result is not a setting, because it follows from what chat apps accept: Claude 150,000
characters, others less. Ours stay below 100,000.
`

// TestTheDocumentationHasTheLimits reads the values where they are enforced.
func TestTheDocumentationHasTheLimits(t *testing.T) {
	var b strings.Builder
	b.WriteString(head)
	area := ""
	for _, l := range table {
		if l.Area != area {
			area = l.Area
			fmt.Fprintf(&b, "\n## %s\n\n| limit | for | in the code |\n|---|---|---|\n", area)
		}
		value, err := valueOf(filepath.Join("../..", l.Package), l.Name)
		if err != nil {
			t.Errorf("%s.%s: %v", l.Package, l.Name, err)
		}
		fmt.Fprintf(&b, "| %s | %s | `%s.%s` |\n", value, l.Meaning, l.Package, l.Name)
	}
	const page = "../../docs/limits.md"
	got, _ := os.ReadFile(page)
	if string(got) == b.String() {
		return
	}
	if !*update {
		t.Fatal("docs/limits.md differs from the code: run go test ./internal/limits -update")
	}
	if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// valueOf returns the value of a constant of a package, or the default of a field: the
// second argument of a call such as cmp.Or(x.Name, 5).
func valueOf(dir, name string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", err
	}
	var expr ast.Expr
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return "", err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if id.Name == name && i < len(n.Values) && expr == nil {
						expr = n.Values[i]
					}
				}
			case *ast.CallExpr:
				if len(n.Args) == 2 && fieldName(n.Args[0]) == name && expr == nil {
					if v, _ := eval(n.Args[1]); v != nil {
						expr = n.Args[1]
					}
				}
			}
			return true
		})
	}
	if expr == nil {
		return "", fmt.Errorf("there is no such constant or default")
	}
	v, kind := eval(expr)
	if v == nil {
		return "", fmt.Errorf("its value is not a constant expression")
	}
	n, _ := constant.Int64Val(constant.ToInt(v))
	return format(n, kind), nil
}

func fieldName(e ast.Expr) string {
	if u, ok := e.(*ast.UnaryExpr); ok {
		e = u.X
	}
	if s, ok := e.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

// A kind is what a number counts.
type kind int

const (
	number kind = iota
	bytes       // written with a shift
	duration
)

var units = map[string]time.Duration{"Hour": time.Hour, "Minute": time.Minute, "Second": time.Second, "Millisecond": time.Millisecond}

func eval(e ast.Expr) (constant.Value, kind) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0), number
	case *ast.ParenExpr:
		return eval(e.X)
	case *ast.SelectorExpr:
		if d, ok := units[e.Sel.Name]; ok {
			return constant.MakeInt64(int64(d)), duration
		}
	case *ast.Ident:
		if e.Name == "day" {
			return constant.MakeInt64(int64(24 * time.Hour)), duration
		}
	case *ast.BinaryExpr:
		x, kx := eval(e.X)
		y, ky := eval(e.Y)
		switch {
		case x == nil || y == nil:
		case e.Op == token.SHL:
			n, _ := constant.Uint64Val(y)
			return constant.Shift(x, token.SHL, uint(n)), bytes
		default:
			return constant.BinaryOp(x, e.Op, y), max(kx, ky)
		}
	}
	return nil, number
}

func format(n int64, k kind) string {
	switch {
	case k == duration && n%int64(24*time.Hour) == 0:
		return fmt.Sprintf("%d d", n/int64(24*time.Hour))
	case k == duration:
		text := time.Duration(n).String()
		if strings.HasSuffix(text, "m0s") {
			text = strings.TrimSuffix(text, "0s")
		}
		if strings.HasSuffix(text, "h0m") {
			text = strings.TrimSuffix(text, "0m")
		}
		return text
	case k == bytes:
		return bytesize.Format(n)
	}
	return fmt.Sprint(n)
}
