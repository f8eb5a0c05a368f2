package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"rialto/bridge/sanitize"
	"rialto/cmd/rialto/internal/server"
	"rialto/cmd/rialto/internal/term"
	"rialto/templates"
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
	for _, s := range templates.Snippets(url) {
		if s.Code != url { // the others have no line to paste
			fmt.Fprintf(w, "%s\n    %s\n", s.Client, strings.ReplaceAll(s.Code, "\n", "\n    "))
		}
	}

	fmt.Fprintf(
		w,
		"Terminal\n    %s\n\nSteps for these apps, ChatGPT and Claude: %s\n\n"+
			"Stop with Ctrl-C.\nSign in as %s with the password %s\n",
		d.command("call", "send_task", `message="How many claims are open?"`),
		d.cfg.URL,
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
		line += " --data " + sanitize.ShellWord(d.dir)
	}
	return line
}

// program returns how the user calls this program. The binary of "go run" is temporary.
func program() string {
	exe, err := os.Executable()
	if err != nil || strings.Contains(filepath.ToSlash(exe), "/go-build") {
		return "go run ./cmd/rialto"
	}
	return os.Args[0]
}
