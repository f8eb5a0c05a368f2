package layout

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pkg is what "go list -json" tells of a package.
type pkg struct {
	ImportPath  string
	Name        string
	Doc         string
	GoFiles     []string
	Imports     []string
	TestImports []string
	Dir         string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Name,Doc,GoFiles,Imports,TestImports,Dir", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	return pkgs
}

func TestPackagesImportOnlyWhatStandsAboveThem(t *testing.T) {
	for _, p := range packages(t) {
		name := local(p.ImportPath)
		allowed, ok := floors[name]
		if !ok {
			t.Errorf("%s is not in the table of floors: add it there and to docs/design.md", name)
			continue
		}
		if slices.Contains(allowed, "*") {
			continue
		}
		for _, imp := range p.Imports {
			if strings.HasPrefix(imp, module+"/") && !slices.Contains(allowed, local(imp)) {
				t.Errorf("%s imports %s, which is not on a floor above it", name, local(imp))
			}
		}
		for _, one := range allowed {
			if !slices.Contains(p.Imports, module+"/"+one) {
				t.Errorf("the table of floors lets %s import %s, which it does not: delete the permission", name, one)
			}
		}
	}
}

// TestNoTopLevelFolderImportsBack fails when a folder imports one that stands on it.
func TestNoTopLevelFolderImportsBack(t *testing.T) {
	for _, p := range packages(t) {
		from, _, _ := strings.Cut(local(p.ImportPath), "/")
		level := slices.Index(folders, from)
		if level < 0 {
			t.Errorf("the list of folders lacks %s", from)
		}
		for _, imp := range p.Imports {
			to, _, _ := strings.Cut(local(imp), "/")
			if strings.HasPrefix(imp, module+"/") && slices.Index(folders, to) > level {
				t.Errorf("%s imports %s: %s stands on %s", local(p.ImportPath), local(imp), to, from)
			}
		}
	}
}

func TestTableOfFloorsNamesOnlyPackagesThatExist(t *testing.T) {
	exist := map[string]bool{}
	for _, p := range packages(t) {
		exist[local(p.ImportPath)] = true
	}
	for name := range floors {
		if !exist[name] {
			t.Errorf("the table of floors names %s, which does not exist", name)
		}
	}
}

func TestOnlyTheirOwnersImportTheseModules(t *testing.T) {
	for _, p := range packages(t) {
		for _, imp := range p.Imports {
			for prefix, owners := range owned {
				if strings.HasPrefix(imp, prefix) && !slices.Contains(owners, local(p.ImportPath)) {
					t.Errorf("%s imports %s, which only %v may", local(p.ImportPath), imp, owners)
				}
			}
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	for _, p := range packages(t) {
		want := "Package " + p.Name + " "
		if p.Name == "main" {
			want = "Command " + filepath.Base(p.ImportPath) + " "
		}
		if len(p.GoFiles) > 0 && !strings.HasPrefix(p.Doc, want) {
			t.Errorf("the package comment of %s starts with %q, want %q", local(p.ImportPath), first(p.Doc), want)
		}
	}
}

func TestNoPackageHasANameThatSaysNothing(t *testing.T) {
	empty := regexp.MustCompile(`^(util|utils|common|helpers?|models?|types|misc)$`)
	for _, p := range packages(t) {
		if empty.MatchString(p.Name) {
			t.Errorf("%s: name the package after its job", local(p.ImportPath))
		}
	}
}

func local(path string) string { return strings.TrimPrefix(path, module+"/") }

func first(doc string) string {
	line, _, _ := strings.Cut(doc, "\n")
	return line
}
