package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inspected is one run of the Inspector's command line against the program.
type inspected struct {
	t    *testing.T
	p    *program
	home string // where it keeps its login
	era  string
	user string // who approves; "" is that of the demo
	at   string // the path of a connector below /mcp
}

// run runs a method and returns its result.
func (i inspected) run(consents int, args ...string) (result json.RawMessage, said string) {
	i.t.Helper()
	file := filepath.Join(i.t.TempDir(), "result.json")
	args = append([]string{"--cli", "--server-url", i.p.URL + "/mcp" + i.at, "--transport", "http", "--protocol-era", i.era,
		"--callback-url", "http://" + freeAddress(i.t) + "/oauth/callback", "--format", "json", "--output", file}, args...)
	said = visitor{script: inspector, args: args, home: i.home, user: i.user}.run(i.t, i.p, consents)
	b, err := os.ReadFile(file)
	if err != nil {
		i.t.Fatalf("%v; it said\n%s", err, said)
	}
	return b, said
}

// call calls a tool and returns what it tells of a task.
func (i inspected) call(tool, args string) (got struct {
	StructuredContent task
	Content           []struct{ Text string }
}) {
	i.t.Helper()
	result, said := i.run(0, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", args)
	if err := json.Unmarshal(result, &got); err != nil {
		i.t.Fatalf("got %s, %v; it said\n%s", result, err, said)
	}
	return got
}

// TestTheInspectorUsesTheTools signs in once, and lists and calls in each era.
// --strict also looks for what the dialects of model providers cannot express.
// The command line takes tasks, but cannot ask a person.
func TestTheInspectorUsesTheTools(t *testing.T) {
	t.Parallel()
	p, home, consents := observedDemo(t, t.TempDir()), t.TempDir(), 1
	for _, era := range []string{"legacy", "auto", "modern"} {
		i := inspected{t: t, p: p, home: home, era: era}
		_, said := i.run(consents, "--method", "tools/list", "--strict")
		if consents = 0; strings.Contains(said, "Warning: tool") {
			t.Errorf("%s: the schemas are not portable:\n%s", era, said)
		}
		if got := i.call("send_task", `{"message":"SELECT count(*) AS n FROM claims"}`); got.StructuredContent.State != "completed" {
			t.Errorf("%s: got %+v, want a completed task", era, got)
		}
		got := i.call("send_task", `{"message":"How many are there?"}`)
		if id := got.StructuredContent.ID; got.StructuredContent.State != "input-required" || id == "" || !strings.Contains(got.Content[len(got.Content)-1].Text, id) {
			t.Errorf("%s: got %+v, want the question, and how to answer it", era, got)
		}
		if got := i.call("send_task", `{"message":"claims","task_id":"`+got.StructuredContent.ID+`"}`); got.StructuredContent.State != "completed" {
			t.Errorf("%s: got %+v, want the answered task completed", era, got)
		}
	}
}

// TestTheInspectorAsksAPerson: mcpdo keeps a connection, and asks the person
// what the agent asks; since 2026-07-28 in an MCP task, before on the stream of
// the call.
func TestTheInspectorAsksAPerson(t *testing.T) {
	t.Parallel()
	p, home := observedDemo(t, t.TempDir()), t.TempDir()
	inspected{t: t, p: p, home: home, era: "legacy"}.run(1, "--method", "tools/list")
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			do := mcpdo(t, home)
			do("connect", p.URL+"/mcp", "--transport", "http", "--era", era, "--stored-auth-only")
			asked := do("--connection", p.URL+"/mcp", "tools/call", "send_task", "message:=How many are there?")
			id := regexp.MustCompile(`elicitation-[0-9a-f-]+`).FindString(asked)
			if id == "" || !strings.Contains(asked, "Which table") {
				t.Fatalf("got %s, want the agent's question", asked)
			}
			got := do("--connection", p.URL+"/mcp", "elicitation/respond", id, "table:=claims")
			if !strings.Contains(got, `"state": "completed"`) {
				t.Errorf("got %s, want the task completed", got)
			}
		})
	}
}

// mcpdo returns what runs mcpdo against a daemon of its own.
func mcpdo(t *testing.T, home string) func(args ...string) string {
	node, err := Node("node")
	Need(t, err)
	script, err := filepath.Abs("node/node_modules/@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "mcpdo") // that of the test is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(node, append([]string{script, "--format", "json"}, args...)...)
		cmd.Env = []string{"HOME=" + home, "PATH=", "MCP_INSPECTOR_SECRET_STORE=file", "MCP_INSPECTOR_DAEMON_DIR=" + dir, "MCP_INSPECTOR_DAEMON_TOKEN=for-this-test-only"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("mcpdo %s: %v:\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	t.Cleanup(func() {
		run("daemon", "stop")
		os.RemoveAll(dir)
	})
	return run
}
