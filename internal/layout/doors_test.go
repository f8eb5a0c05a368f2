package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// doors are the packages that decode a call, make one use case do it, and encode the answer.
var doors = []string{"bridge/tools", "bridge/proxy", "bridge/api", "bridge/web", "bridge/startpage", "bridge/console"}

// behindTheWaist lists, by the name of a field, a package or a variable, what doors may not use of
// it: what decides without an Access, or what a use case asks before it acts.
var behindTheWaist = map[string][]string{
	"Runner":    {"Ledger", "Lists", "Leases", "Signals", "Limits", "PollPaused"},
	"ledger":    {"Cancelable"},
	"a2a":       {"Transition"},
	"access":    {"Allows"},
	"Audit":     {"Record"},
	"Directory": {"AllowsTasks", "Lookup", "All", "Connect", "ConnectFor", "Reconnect", "Caller", "Policy", "Policies", "InForce"},
}

// TestDoorsDecideNothing fails when a door reaches around the use cases: to the ledger, to an
// agent that was not resolved, or to the limits.
func TestDoorsDecideNothing(t *testing.T) {
	for _, p := range packages(t) {
		if !slices.Contains(doors, local(p.ImportPath)) {
			continue
		}
		for _, name := range p.GoFiles {
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				used, ok := n.(*ast.SelectorExpr)
				if ok && slices.Contains(behindTheWaist[lastName(used.X)], used.Sel.Name) {
					t.Errorf("%s: a door uses %s.%s: call a use case with an Access instead",
						set.Position(used.Pos()), lastName(used.X), used.Sel.Name)
				}
				return true
			})
		}
	}
}

// lastName returns the last name of an expression such as a.b.Runner.
func lastName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}
