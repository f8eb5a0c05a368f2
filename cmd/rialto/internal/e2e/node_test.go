package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// script is a run of one of the scripts in node/.
type script struct {
	name string
	args []string
	env  []string
}

// run runs the script against the program and fails the test if it fails.
func (s script) run(t *testing.T, p *program) {
	t.Helper()
	node, err := Node("node")
	Need(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, append([]string{s.name}, s.args...)...)
	cmd.Dir = "node"
	cmd.Env = append(os.Environ(), "RIALTO_USERNAME="+username, "RIALTO_PASSWORD="+password)
	cmd.Env = append(cmd.Env, s.env...)
	out, err := cmd.CombinedOutput()
	t.Logf("%s:\n%s", s.name, out)
	if err != nil {
		t.Fatalf("%s: %v; the program said:\n%s", s.name, err, tail(p.log.String(), 8000))
	}
}

// chromium finds the browser.
func chromium() (string, error) {
	for _, name := range []string{os.Getenv("RIALTO_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path, nil
		}
	}
	return "", errors.New("Chromium was not found: install it, or set RIALTO_CHROMIUM to it")
}

func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return fmt.Sprintf("… %s", s[len(s)-n:])
}
