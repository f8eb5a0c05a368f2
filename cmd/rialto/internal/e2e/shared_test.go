package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestSharedPages has a person share a task in Chromium, and a stranger read it.
func TestSharedPages(t *testing.T) {
	t.Parallel()
	browser, err := chromium()
	Need(t, err)
	agent := tableExpert(t)
	dir, addr := t.TempDir(), freeAddress(t)
	config := filepath.Join(dir, "rialto.yaml")
	text := fmt.Sprintf("url: http://%s\ndatabase: %s\nshare_links: 7d\nagents:\n  - {name: tableexpert, url: %q}\n", addr, filepath.Join(dir, "db"), agent.URL)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", username, "--password-stdin", "--config", config)
	token := output(t, "", "token", "--user", username, "--scope", "a2a:publish a2a:discover", "--config", config)
	p := start(t, addr, "serve", "--config", config, "--listen", addr)
	var task struct{ ID, State string }
	decode(t, do(t, "POST", p.URL+"/api/v1/agents/tableexpert/tasks", `{"message":"SELECT count(*) FROM claims","wait":20}`,
		"Authorization", "Bearer "+token, "Content-Type", "application/json"), &task)
	if task.State != "completed" {
		t.Fatalf("got %+v", task)
	}
	script{"shared.mjs", nil, []string{"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_TASK=" + task.ID, "RIALTO_CHROMIUM=" + browser}}.run(t, p)
}
