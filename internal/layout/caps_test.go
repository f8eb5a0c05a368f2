package layout

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of packages into docs/design.md")

func TestNoPackageExceedsTheCaps(t *testing.T) {
	all, total := measure(t), 0
	for _, folder := range slices.Sorted(maps.Keys(all)) {
		m := all[folder]
		if !support.MatchString(folder) {
			total += m.tokens
		}
		if m.tokens > maxPackageTokens {
			t.Errorf("%s has %d tokens, the cap is %d", folder, m.tokens, maxPackageTokens)
		}
		if m.files > maxPackageFiles {
			t.Errorf("%s has %d files, the cap is %d", folder, m.files, maxPackageFiles)
		}
		for _, name := range m.longFiles {
			t.Errorf("%s/%s lines: the cap is %d", folder, name, maxFileLines)
		}
		for _, name := range m.longFuncs {
			if !support.MatchString(folder) {
				t.Errorf("%s: %s, the cap is %d", folder, name, maxFunctionTokens)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(m.methods)) {
			if n := m.methods[name]; n > maxMethods {
				t.Errorf("%s.%s has %d methods, the cap is %d", folder, name, n, maxMethods)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(m.fields)) {
			if n := m.fields[name]; n > maxFields {
				t.Errorf("%s.%s has %d fields, the cap is %d", folder, name, n, maxFields)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(m.interfaces)) {
			if n := interfaceMethods(all, folder, m.interfaces[name]); n > maxInterfaceMethods {
				t.Errorf("%s.%s has %d methods with its embedded ones, the cap is %d", folder, name, n, maxInterfaceMethods)
			}
		}
	}
	if total > maxTokens {
		t.Errorf("the tree has %d tokens of Go, the cap is %d", total, maxTokens)
	}
}

const (
	tableBegins = "<!-- packages: go test ./internal/layout -update -->\n"
	tableEnds   = "<!-- end of packages -->\n"
)

// TestDesignListsThePackages fails when docs/design.md lists other packages than
// the tree has. Sizes may be older: -update writes them anew.
func TestDesignListsThePackages(t *testing.T) {
	const file = root + "/docs/design.md"
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), tableBegins)
	table, after, ok2 := strings.Cut(rest, tableEnds)
	if !ok || !ok2 {
		t.Fatalf("%s does not hold %q and %q", file, tableBegins, tableEnds)
	}
	want := packageTable(measure(t))
	if *update {
		if err := os.WriteFile(file, []byte(before+tableBegins+want+tableEnds+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	listed := names(table)
	if now := names(want); !slices.Equal(listed, now) {
		t.Errorf("%s lists %v, the tree has %v: run with -update", file, listed, now)
	}
}

// smallPackage is the number of lines below which the table leaves a package out.
const smallPackage = 60

func packageTable(all map[string]*measured) string {
	var b bytes.Buffer
	fmt.Fprintln(&b, "| package | job | lines | files | most methods | most fields |\n|---|---|---:|---:|---|---|")
	total, files := 0, 0
	for _, folder := range slices.Sorted(maps.Keys(all)) {
		m := all[folder]
		total, files = total+m.lines, files+m.files
		if m.lines < smallPackage {
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %d | %s | %s |\n", folder, strings.ReplaceAll(m.job, "|", "\\|"), m.lines, m.files, named(most(m.methods)), named(most(m.fields)))
	}
	fmt.Fprintf(&b, "| all | | %d | %d | | |\n", total, files)
	return b.String()
}

func named(name string, n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s %d", name, n)
}

// names returns the first column of a table.
func names(table string) (out []string) {
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			out = append(out, strings.TrimSpace(cells[1]))
		}
	}
	return out
}
