package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build builds the program, with the probe in it.
func build(dir string) (binary string, err error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "rialto").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the program (run the bench in its own folder): %w", err)
	}
	root := firstLine(out)
	here := filepath.Join(root, "bridge", "bridgetest", "bench", "probe.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, "cmd", "rialto", "probe.go"): here}})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "rialto")
	cmd := exec.Command("go", "build", "-C", root, "-overlay", file, "-o", binary, "./cmd/rialto")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the program: %w: %s", err, said)
	}
	return binary, nil
}

// perUser is how many calls of a user run at one time; the program takes 64.
const perUser = 60

// startRialto runs the program on a new database, with as many accounts as so
// many calls at one time need.
func startRialto(binary, dir, agentURL string, calls int) (*running, error) {
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp(dir, "home")
	if err != nil {
		return nil, err
	}
	config := filepath.Join(home, "rialto.yaml")
	err = os.WriteFile(config, fmt.Appendf(nil, "url: http://%s\ndatabase: %q\nsecret_file: %q\nagents:\n  - {name: echo, url: %q}\n",
		addr, filepath.Join(home, "rialto.db"), filepath.Join(home, "secret"), agentURL), 0o600)
	if err != nil {
		return nil, err
	}
	var tokens []string
	for i := range calls/perUser + 1 {
		name := fmt.Sprint("user", i)
		if _, err := output(binary, "correct horse battery staple\n", "user", "add", name, "--password-stdin", "--config", config); err != nil {
			return nil, err
		}
		token, err := output(binary, "", "token", "--user", name, "--config", config)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, token)
	}
	return launch(addr, tokens, exec.Command(binary, "serve", "--config", config, "--listen", addr))
}

func output(binary, stdin string, args ...string) (string, error) {
	cmd := exec.Command(binary, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("rialto %s: %w: %s", strings.Join(args, " "), err, &stderr)
	}
	return firstLine(out), nil
}
