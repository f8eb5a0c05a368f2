package mcp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"rialto/mcp"
	"rialto/mcp/mcptest"
)

// nodeModules returns a folder with npm packages, or skips the test. The
// package that is wanted is @modelcontextprotocol/sdk@1.32.2, exactly. The
// conformance suites are run by cmd/rialto/internal/e2e.
func nodeModules(t *testing.T, pkg string) (node, modules string) {
	t.Helper()
	modules = os.Getenv("RIALTO_TEST_NODE_MODULES")
	if modules == "" {
		t.Skip("RIALTO_TEST_NODE_MODULES does not name a node_modules folder")
	}
	if _, err := os.Stat(filepath.Join(modules, pkg)); err != nil {
		t.Skipf("%s is not installed in RIALTO_TEST_NODE_MODULES", pkg)
	}
	if node = os.Getenv("RIALTO_TEST_NODE"); node == "" {
		node = "node"
	}
	node, err := exec.LookPath(node)
	if err != nil {
		t.Skip("there is no node, neither in PATH nor in RIALTO_TEST_NODE")
	}
	return node, modules
}

func TestTypeScriptSDK(t *testing.T) {
	node, modules := nodeModules(t, "@modelcontextprotocol/sdk")
	srv := serve(t, &mcp.Server{Tools: mcptest.Tools()})
	out, err := exec.CommandContext(t.Context(), node, "testdata/sdk.cjs", modules, srv.URL+"/mcp").CombinedOutput()
	want := `server test
tools true
json grüß <b> {"text":"grüß <b>"}
stream true 150
input true
unknown -32602
broken -32603
`
	if err != nil || string(out) != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, out, want)
	}
}
