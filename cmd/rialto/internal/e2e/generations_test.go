package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rialto/a2a/a2atest/interop"
)

// eras are the MCP clients that meet the agents, by the revision that they speak.
var eras = []struct{ revision, name string }{
	{"2025-11-25", "TypeScript SDK 1.32.2"},
	{"2026-07-28", "TypeScript SDK 2.4.0"},
}

// flows are what a person does with an agent, as generations.mjs names them.
var flows = []interop.Feature{"send", "stream with progress", "ask", "sign in", "files both ways", "cancel", "resume"}

// TestGenerations has MCP clients of each era reach agents of each generation
// through the program, none of them ours. The program is killed once, while each
// client has a task at each agent.
func TestGenerations(t *testing.T) {
	t.Parallel()
	all, dir, addr := sdks(t), t.TempDir(), freeAddress(t)
	table := &interop.Table{Name: "the clients", Columns: flows, Heads: []string{"MCP client", "Agent", "A2A"}}
	releases := map[string]string{} // of the agents; each client has its own
	var config bytes.Buffer
	fmt.Fprintf(&config, "url: http://%s\ndatabase: %q\nsecret_file: %s\nagents:\n", addr, filepath.Join(dir, "rialto.db"), filepath.Join(dir, "secret"))
	for _, era := range eras {
		for _, s := range all {
			url := s.agent(t)
			releases[s.slug+era.revision] = url + "/release"
			fmt.Fprintf(&config, "  - {name: %s, url: %q}\n", s.slug+era.revision, url)
		}
	}
	path := filepath.Join(dir, "rialto.yaml")
	if err := os.WriteFile(path, config.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", username, "--password-stdin", "--config", path)
	token := output(t, "", "token", "--user", username, "--config", path)
	p := start(t, addr, "serve", "--config", path, "--listen", addr)
	visit := func(t *testing.T, phase string, expected ...interop.Feature) {
		for _, era := range eras {
			for _, s := range all {
				t.Run(era.revision+" and "+s.name, func(t *testing.T) {
					t.Parallel()
					row := interop.Row{Ours: era.revision + ", " + era.name, Theirs: s.name, Spoken: s.spoken}
					table.Tries(t, row, s.flows(table, row, expected)...)
					agent := s.slug + era.revision
					said := s.visit(t, p.URL, phase, filepath.Join(dir, agent), []string{
						"RIALTO_ERA=" + era.revision, "RIALTO_AGENT=" + agent, "RIALTO_TOKEN=" + token, "RIALTO_RELEASE=" + releases[agent], fmt.Sprint("RIALTO_GOES_ON=", s.goesOn)})
					for _, flow := range s.flows(table, row, expected) {
						if !strings.Contains(said, `"step":"`+string(flow)+`"`) {
							t.Errorf("%s failed:\n%s", flow, said)
						}
					}
				})
			}
		}
	}
	t.Run("begin", func(t *testing.T) { visit(t, "begin", flows[:len(flows)-1]...) })
	p.kill()
	p = p.again(t)
	t.Run("resume", func(t *testing.T) { visit(t, "resume", "resume") })
	table.Hold(t, "../../../../docs/bridge.md", *update)
}

// flows returns which of the flows there can be with the SDK's agent, and says
// of the others why not.
func (s sdk) flows(table *interop.Table, row interop.Row, of []interop.Feature) (can []interop.Feature) {
	for _, flow := range of {
		if why := s.cannot[flow]; why != "" {
			table.Without(row, why, flow)
			continue
		}
		can = append(can, flow)
	}
	return can
}

// visit runs a phase of generations.mjs and returns what it said.
func (s sdk) visit(t *testing.T, url, phase, file string, env []string) string {
	t.Helper()
	node, err := Node("node")
	Need(t, err)
	ctx, stop := context.WithTimeout(t.Context(), 15*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, node, "generations.mjs", phase, file)
	cmd.Dir = "node"
	cmd.Env = append(append(os.Environ(), "RIALTO_URL="+url+"/mcp"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
	return string(out)
}
