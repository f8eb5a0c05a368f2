package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheAgentOfTheGuide builds the agent that docs/agents.md shows and gives it
// a task through the program.
func TestTheAgentOfTheGuide(t *testing.T) {
	t.Parallel()
	code := fenced(t, document(t, "agents.md"), "go")
	if other := fenced(t, document(t, "agents.es.md"), "go"); other != code {
		t.Error("the Spanish guide shows another agent")
	}
	at, folder := freeAddress(t), t.TempDir()
	code = strings.ReplaceAll(code, "127.0.0.1:9000", at)
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", "agent", "main.go")
	build.Dir = folder
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	serving(t, exec.Command(filepath.Join(folder, "agent")), "http://"+at+"/.well-known/agent-card.json")

	addr, data := freeAddress(t), t.TempDir()
	p := start(t, addr, "demo", "--listen", addr, "--data", data, "--agent", "counter=http://"+at)
	token := output(t, "", "token", "--user", username, "--data", data)
	got := call(t, p.URL, token, "send_task", map[string]any{"agent": "counter", "message": "to be or not to be"})
	if got.State != "completed" || len(got.Artifacts) != 1 || got.Artifacts[0].Name != "Number of words" || got.Artifacts[0].Parts[0].Text != "6" {
		t.Errorf("got %+v, want the number of words", got)
	}
}
