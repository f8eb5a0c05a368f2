package authserver_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

func TestTheSecurityDocumentNamesTestsThatExist(t *testing.T) {
	namesTests(t, "../../docs/security.md", 50)
}

func TestTheMCPDocumentNamesTestsThatExist(t *testing.T) {
	namesTests(t, "../../docs/mcp.md", 50)
}

// namesTests checks that the document names tests, at least so many, and that
// each of them exists.
func namesTests(t *testing.T, path string, least int) {
	t.Helper()
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var tests []byte
	for _, pattern := range []string{"*_test.go", "../*_test.go", "../*/*_test.go", "../internal/*/*_test.go", "../../store/*_test.go", "../../store/*/*_test.go", "../../cmd/rialto/internal/e2e/*_test.go", "../../a2a/*_test.go", "../../a2a/*/*_test.go", "../../a2a/internal/*/*_test.go", "../../bridge/*_test.go", "../../bridge/*/*_test.go", "../../internal/safehttp/*_test.go", "../../internal/quota/*_test.go", "../../cmd/rialto/internal/server/*_test.go", "../../cmd/rialto/internal/config/*_test.go", "../../cmd/rialto/internal/cli/*_test.go", "../../internal/markdown/*_test.go", "../../templates/*_test.go", "../../mcp/*_test.go", "../../mcp/mcptest/*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests = append(tests, b...)
		}
	}
	names := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllSubmatch(doc, -1)
	if len(names) < least {
		t.Errorf("got %d names, want the whole list", len(names))
	}
	for _, name := range names {
		if !bytes.Contains(tests, append(append([]byte("func "), name[1]...), '(')) {
			t.Errorf("%s names %s, which does not exist", path, name[1])
		}
	}
}
