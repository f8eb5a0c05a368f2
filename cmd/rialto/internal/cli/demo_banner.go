package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"rialto/cmd/rialto/internal/server"
	"rialto/cmd/rialto/internal/term"
)

// banner prints where the demo is and how to connect to it. The password is the last line, where the
// sign-in page tells people to look.
func (d *demo) banner(w io.Writer, agents []server.AgentState) {
	url := d.cfg.URL + "/mcp"
	fmt.Fprintf(w, "Rialto is ready.\n\n  Connector  %s\n  State      %s\n", url, d.dir)
	for i, a := range agents {
		head := "      "
		if i == 0 {
			head = "Agents"
		}
		fmt.Fprintf(w, "  %s     %s\n", head, a)
	}

	fmt.Fprintln(w)
	for _, s := range server.Snippets(url) {
		fmt.Fprintf(w, "%s\n", s.Client)
		for line := range strings.Lines(strings.TrimSpace(s.Note + "\n" + s.Steps)) {
			fmt.Fprintf(w, "    # %s\n", strings.TrimSpace(line))
		}
		for _, line := range strings.Split(s.Code, "\n") {
			fmt.Fprintf(w, "    %s\n", line)
		}
		fmt.Fprintln(w)
	}

	fmt.Fprintf(
		w,
		"Terminal\n    %s\n\ncurl\n    %s\n\nStop with Ctrl-C.\nSign in as %s with the password %s\n",
		d.command("call", "send_task", `message="How many claims are open?"`),
		d.curl(url),
		demoUser,
		d.passwordHint(term.Is(w)),
	)
}

// passwordHint returns the password for a terminal, and where it is for what may be a log.
func (d *demo) passwordHint(terminal bool) string {
	if terminal {
		return d.password
	}
	return "in " + d.passwordFrom
}

// command returns a command line of this program for the demo.
func (d *demo) command(words ...string) string {
	line := program() + " " + strings.Join(words, " ")
	if dir, err := demoDir(""); err != nil || dir != d.dir {
		line += " --data " + shellQuote(d.dir)
	}
	return line
}

// curl returns a command that lists the tools. The current revision needs no handshake.
func (d *demo) curl(url string) string {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{}}`
	return strings.Join([]string{
		"curl -s " + url,
		`-H "Authorization: Bearer $(` + d.command("token", "--user", demoUser) + `)"`,
		"-H 'Content-Type: application/json' -H 'Accept: application/json'",
		"-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list'",
		`-d '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}'`,
	}, " \\\n      ")
}

func shellQuote(s string) string {
	if strings.ContainsFunc(
		s, func(r rune) bool { return !strings.ContainsRune("/._-", r) && !isWord(r) },
	) {
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
