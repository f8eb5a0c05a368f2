package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"rialto/internal/server"
)

// banner prints where the demo is and how to connect to it.
func (d *demo) banner(w io.Writer) {
	url := d.cfg.URL + "/mcp"
	fmt.Fprintf(w, "Rialto is ready.\n\n  Connector  %s\n  Sign in    %s, password %s\n  State      %s\n\n", url, demoUser, d.password, d.dir)
	for _, s := range server.Snippets(url) {
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

// curl returns a command that lists the tools. The current revision needs no handshake.
func (d *demo) curl(url string) string {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	token := program() + " token --user " + demoUser
	if dir, err := demoDir(""); err != nil || dir != d.dir {
		token += " --data " + shellQuote(d.dir)
	}
	return strings.Join([]string{
		"curl -s " + url,
		`-H "Authorization: Bearer $(` + token + `)"`,
		"-H 'Content-Type: application/json' -H 'Accept: application/json'",
		"-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list'",
		`-d '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}'`,
	}, " \\\n      ")
}

func shellQuote(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune("/._-", r) && !isWord(r) }) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// program returns how the user calls this program. The binary of "go run" is temporary.
func program() string {
	exe, err := os.Executable()
	if err != nil || strings.Contains(filepath.ToSlash(exe), "/go-build") {
		return "go run ./cmd/rialto"
	}
	return os.Args[0]
}
