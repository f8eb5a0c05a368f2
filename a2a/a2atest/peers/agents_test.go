package peers

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest"
)

// served is an agent of ours, with a message that it can complete.
type served struct {
	agent a2a.Agent
	card  *a2a.Card
	text  string // what to say to it
	want  string // what its first artifact then begins with
}

// agents are tested with every foreign client. An agent more is a line.
func agents() map[string]func(t *testing.T) served {
	return map[string]func(t *testing.T) served{
		"the scripted agent": func(t *testing.T) served {
			agent := scripted(t)
			return served{agent, agent.Card(), "echo hello", "hello"}
		},
		"the Table Expert": func(t *testing.T) served {
			expert, card := tableExpert(t)
			return served{expert, card, "SELECT 'hello' AS greeting", "| greeting |"}
		},
	}
}

func scripted(t *testing.T) *a2atest.Agent {
	t.Helper()
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	return agent
}

// tableExpert starts the program's Table Expert and returns a client of it, which is an agent too.
func tableExpert(t *testing.T) (a2a.Agent, *a2a.Card) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "rialto")
	build := exec.Command("go", "build", "-o", program, "./cmd/rialto")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	cmd := exec.CommandContext(t.Context(), program, "tableexpert", "--listen", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})

	lines := bufio.NewScanner(out)
	for lines.Scan() {
		url, ok := strings.CutPrefix(lines.Text(), "agent  ")
		if !ok {
			continue
		}
		c, err := dialer(t).Dial(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		return c, c.Card()
	}
	t.Fatalf("the Table Expert did not say where it listens: %v", lines.Err())
	return nil, nil
}
