package layout

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// density lists the places of a folder that are hard to read, each as "FILE:LINE".
type density struct {
	wideLines       []string
	funcFields      []string
	hiddenEffects   []string
	mixedConditions []string
}

// TestTheCodeIsNotDense holds what a reader of the product carries, whatever its size.
func TestTheCodeIsNotDense(t *testing.T) {
	var all density
	lines, tokens := 0, 0
	for folder, m := range measure(t) {
		if support.MatchString(folder) {
			continue
		}
		lines += m.lines
		tokens += m.tokens
		all.wideLines = append(all.wideLines, m.wideLines...)
		all.funcFields = append(all.funcFields, m.funcFields...)
		all.hiddenEffects = append(all.hiddenEffects, m.hiddenEffects...)
		all.mixedConditions = append(all.mixedConditions, m.mixedConditions...)
	}
	for _, c := range []struct {
		what   string
		places []string
		most   int
	}{
		{"lines wider than the cap", all.wideLines, maxWideLines},
		{"struct fields that hold a function", all.funcFields, maxFuncFields},
		{"effects in the init of an if or switch", all.hiddenEffects, maxHiddenEffects},
		{"conditions that mix && and ||", all.mixedConditions, maxMixedConditions},
	} {
		if n := len(c.places); n > c.most {
			slices.Sort(c.places)
			t.Errorf("the tree has %d %s, the cap is %d:\n%s", n, c.what, c.most, strings.Join(c.places, "\n"))
		}
	}
	if got := float64(tokens) / float64(lines); got > maxTokensPerLine {
		t.Errorf("the tree has %.2f tokens on a line, the cap is %.2f", got, maxTokensPerLine)
	}
}

func TestFunctionsFitOnAScreen(t *testing.T) {
	var lengths []int
	for folder, m := range measure(t) {
		if !support.MatchString(folder) {
			lengths = append(lengths, m.lengths...)
		}
	}
	slices.Sort(lengths)
	if median := lengths[len(lengths)/2]; median > maxMedianLines {
		t.Errorf("half of the functions have %d lines or more, the cap is %d", median, maxMedianLines)
	}
	if long := lengths[len(lengths)*9/10]; long > maxNinetiethLines {
		t.Errorf("a tenth of the functions has %d lines or more, the cap is %d", long, maxNinetiethLines)
	}
}

// add records the places of one file. name is its path.
func (d *density) add(name string, src []byte, set *token.FileSet, file *ast.File) {
	at := func(line int) string { return fmt.Sprintf("%s:%d", name, line) }
	lines := bufio.NewScanner(bytes.NewReader(src))
	for n := 1; lines.Scan(); n++ {
		if len(strings.ReplaceAll(lines.Text(), "\t", "    ")) > wideLine {
			d.wideLines = append(d.wideLines, at(n))
		}
	}

	line := func(n ast.Node) string { return at(set.Position(n.Pos()).Line) }
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			for _, f := range n.Fields.List {
				if _, ok := f.Type.(*ast.FuncType); ok {
					d.funcFields = append(d.funcFields, slices.Repeat([]string{line(f)}, max(len(f.Names), 1))...)
				}
			}
		case *ast.IfStmt:
			if hasEffect(n.Init, n.Cond) {
				d.hiddenEffects = append(d.hiddenEffects, line(n))
			}
			if mixes(n.Cond) {
				d.mixedConditions = append(d.mixedConditions, line(n))
			}
		case *ast.SwitchStmt:
			if hasEffect(n.Init, n.Tag) {
				d.hiddenEffects = append(d.hiddenEffects, line(n))
			}
		case *ast.ForStmt:
			if mixes(n.Cond) {
				d.mixedConditions = append(d.mixedConditions, line(n))
			}
		}
		return true
	})
}

// hasEffect reports whether an init statement does more than bind names: it assigns to
// something that lives on, or calls for an effect. "if err = f(); err != nil" is common.
func hasEffect(init ast.Stmt, cond ast.Expr) bool {
	if init == nil {
		return false
	}
	assign, ok := init.(*ast.AssignStmt)
	if !ok {
		return true
	}
	if assign.Tok == token.DEFINE {
		return false
	}
	to, _ := assign.Lhs[0].(*ast.Ident)
	onlyErr := len(assign.Lhs) == 1 && to != nil && to.Name == "err"
	return !onlyErr || !reads(cond, "err")
}

// reads reports whether a name occurs in an expression.
func reads(x ast.Expr, name string) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// mixes reports whether a condition has both && and || outside parentheses.
func mixes(cond ast.Expr) bool {
	operators := map[token.Token]bool{}
	var walk func(x ast.Expr)
	walk = func(x ast.Expr) {
		b, ok := x.(*ast.BinaryExpr)
		if !ok || b.Op != token.LAND && b.Op != token.LOR {
			return
		}
		operators[b.Op] = true
		walk(b.X)
		walk(b.Y)
	}
	walk(cond)
	return operators[token.LAND] && operators[token.LOR]
}
