package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binary is the program under test. TestMain builds it once, as the Makefile
// and the Dockerfile do.
var binary string

func TestMain(m *testing.M) {
	if os.Getenv("RIALTO_E2E") == "later" {
		fmt.Println("left to a later run, as RIALTO_E2E=later says")
		os.Exit(0)
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "rialto-e2e-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	os.Chmod(dir, 0o755) // another user runs the program in one test
	binary = filepath.Join(dir, "rialto")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "rialto/cmd/rialto")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building the program:", err)
		return 1
	}
	return m.Run()
}
