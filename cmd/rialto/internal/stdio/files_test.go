package stdio

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPathsOfOtherToolsAreTheirOwn: a tool of another server may have files with paths of its own, such as
// those of a repository. They led to local files of the same name.
func TestPathsOfOtherToolsAreTheirOwn(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("local"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	p := &Proxy{URL: "https://mcp.example/mcp", Files: root}
	p.offer([]byte(`{"name":"send_task","inputSchema":{"properties":{"files":{"items":{"properties":{"upload":{}}}}}}}`))
	p.offer([]byte(`{"name":"push_files","inputSchema":{"properties":{"files":{"items":{"properties":{"path":{}}}}}}}`))
	for _, name := range []string{`"push_files"`, `"unknown"`, `{}`} {
		m, refused := parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + name + `,"arguments":{"files":[{"path":"README.md"},{"path":"none"}]}}}`))
		if refused != nil {
			t.Fatal(refused)
		}
		if got, err := p.upload(t.Context(), &call{message: m}); err != nil || got != m {
			t.Errorf("%s: got %v, %v, want the call as it came", name, got, err)
		}
	}
}
