package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"rialto/templates"
)

// snippets tells, for each client, how to add the connector at url.
func snippets(url string) []templates.Snippet {
	public := strings.HasPrefix(url, "https://")
	hosted := func(steps string) string {
		if public {
			return steps
		}
		return "This client runs elsewhere and needs a public https address: lead a tunnel here and start again with --url https://…\n" + steps
	}
	return []templates.Snippet{
		{Client: "ChatGPT", Steps: hosted("In Settings, Apps & Connectors, Advanced settings, turn on Developer mode.\nChoose Create, paste the address, keep OAuth, and confirm.\nSign in here, look at what it asks for, and allow it."), Code: url},
		{Client: "Claude", Steps: hosted("In Settings, Connectors, choose Add custom connector, paste the address, and choose Connect.\nSign in here, look at what it asks for, and allow it."), Code: url},
		{Client: "Claude Code", Steps: "Add the connector, start claude, type /mcp and choose rialto to log in.", Code: "claude mcp add --transport http rialto " + url},
		{Client: "Codex", Steps: "Add the connector, then log in.", Code: "codex mcp add rialto --url " + url + "\ncodex mcp login rialto"},
		{Client: "Cursor", Steps: "Put this into .cursor/mcp.json in your project, or into ~/.cursor/mcp.json.\nIn Cursor Settings, under MCP, choose Login beside rialto.", Code: `{"mcpServers": {"rialto": {"url": "` + url + `"}}}`},
		{Client: "VS Code", Steps: "Add the server, or put it into .vscode/mcp.json.\nRun the command MCP: List Servers, choose rialto, then Start Server, and allow VS Code to sign in.", Code: `code --add-mcp '{"name":"rialto","type":"http","url":"` + url + `"}'`},
		{Client: "MCP Inspector", Steps: "Choose Streamable HTTP, then Open Auth Settings and Quick OAuth Flow.", Code: "npx @modelcontextprotocol/inspector --transport http --server-url " + url},
	}
}

// banner says where the demo is and how to connect to it.
func (d *demo) banner(w io.Writer) {
	url := d.cfg.URL + "/mcp"
	fmt.Fprintf(w, "Rialto is ready.\n\n  Connector  %s\n  Sign in    %s, password %s\n  State      %s\n\n", url, demoUser, d.password, d.dir)
	for _, s := range snippets(url) {
		fmt.Fprintf(w, "%s\n", s.Client)
		for _, step := range s.Lines() {
			fmt.Fprintf(w, "    # %s\n", step)
		}
		for _, line := range strings.Split(s.Code, "\n") {
			fmt.Fprintf(w, "    %s\n", line)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "curl\n    %s\n\nStop with Ctrl-C.\n", d.curl(url))
}

// curl is a command that lists the tools, without the handshake: the current
// revision has none.
func (d *demo) curl(url string) string {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	token := program() + " token --user " + demoUser
	if dir, err := demoDir(""); err != nil || dir != d.dir {
		token += " --data " + quoted(d.dir)
	}
	return strings.Join([]string{
		"curl -s " + url,
		`-H "Authorization: Bearer $(` + token + `)"`,
		"-H 'Content-Type: application/json' -H 'Accept: application/json'",
		"-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list'",
		`-d '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}'`,
	}, " \\\n      ")
}

// quoted makes a path safe to paste into a shell.
func quoted(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune("/._-", r) && !isWord(r) }) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// program is how the user calls this program: a binary that "go run" made is
// gone when it ends.
func program() string {
	exe, err := os.Executable()
	if err != nil || strings.Contains(filepath.ToSlash(exe), "/go-build") {
		return "go run ./cmd/rialto"
	}
	return os.Args[0]
}
