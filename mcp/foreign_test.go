package mcp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rialto/mcp"
	"rialto/mcp/mcptest"
)

// nodeModules returns a folder with npm packages, or skips the test. The
// packages that these tests want are @modelcontextprotocol/sdk@1.32.2 and
// @modelcontextprotocol/conformance@0.2.0-alpha.12, exactly.
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

// TestConformance runs the scenarios of the official suite that concern a
// server of tools. It needs Node 22.
func TestConformance(t *testing.T) {
	node, modules := nodeModules(t, "@modelcontextprotocol/conformance")
	srv := serve(t, &mcp.Server{Tools: mcptest.Tools(), Strict: true})
	if out, err := exec.Command(node, "--version").Output(); err != nil || string(out) < "v22" {
		t.Skipf("the suite needs Node 22, this is %s", out)
	}
	for revision, scenarios := range map[string]string{
		"2025-11-25": "server-initialize server-session-lifecycle ping " + everyRevision,
		"2026-07-28": "http-header-validation http-custom-header-server-validation " + everyRevision,
	} {
		for scenario := range strings.FieldsSeq(scenarios) {
			t.Run(revision+"/"+scenario, func(t *testing.T) {
				out, err := exec.CommandContext(t.Context(), node, filepath.Join(modules, "@modelcontextprotocol/conformance/dist/index.js"),
					"server", "--url", srv.URL+"/mcp", "--spec-version", revision, "--scenario", scenario).CombinedOutput()
				if err != nil || !regexp.MustCompile(`Passed: [1-9]\d*/\d+, 0 failed`).Match(out) {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
}

const everyRevision = "tools-list tools-call-simple-text tools-call-image tools-call-audio tools-call-embedded-resource " +
	"tools-call-mixed-content tools-call-error tools-call-with-progress server-sse-multiple-streams " +
	"json-schema-2020-12 dns-rebinding-protection"
