package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest"
)

// TestCommandsSeeTheAgentsOfARunningDemo: they knew the Table Expert alone, without its address.
func TestCommandsSeeTheAgentsOfARunningDemo(t *testing.T) {
	t.Parallel()
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	url, data, addr := a2atest.Serve(t, agent, agent.Card(), a2a.V10), t.TempDir(), freeAddress(t)
	p := start(t, addr, "demo", "--listen", addr, "--data", data, "--agent", "theirs="+url, "--agent", "gone=http://127.0.0.1:1")
	if list := output(t, "", "agents", "list", "--data", data); strings.Count(list, "\n") != 3 || !strings.Contains(list, "theirs") || !strings.Contains(list, url) {
		t.Errorf("got\n%s", list)
	}
	for name, message := range map[string]string{"theirs": "echo hello", "tableexpert": "How many claims are open?"} {
		if got := output(t, "", "agents", "test", name, message, "--data", data); !strings.HasPrefix(got, "completed after ") {
			t.Errorf("%s: got %s", name, got)
		}
	}
	if out, err := exec.Command(binary, "agents", "test", "theirs", "fail badly", "--data", data).CombinedOutput(); err == nil || !strings.Contains(string(out), "rialto: agent theirs: the task is failed") {
		t.Errorf("a task that failed: got %v, %s", err, out)
	}
	token := output(t, "", "token", "--user", username, "--data", data)
	for _, change := range []struct {
		args []string
		has  bool
	}{
		{[]string{"add", url, "--name", "new"}, true},
		{[]string{"disable", "new"}, false},
		{[]string{"enable", "new"}, true},
		{[]string{"remove", "new", "--yes"}, false},
	} {
		output(t, "", append(append([]string{"agents"}, change.args...), "--data", data)...)
		got, err := attempt(t.Context(), p.URL, token, "send_task", map[string]any{"agent": "new", "message": "echo hello"})
		if has := err == nil && got.State == "completed"; has != change.has {
			t.Errorf("after %s: got %+v, %v", change.args, got, err)
		}
	}
	for _, line := range []string{"Agents     tableexpert at http://127.0.0.1:", " answers: Table Expert", "theirs at " + url + " answers: ", "gone at http://127.0.0.1:1 does not answer: "} {
		if !strings.Contains(p.log.String(), line) {
			t.Errorf("the banner lacks %q:\n%s", line, p.log)
		}
	}
}

// TestAnInterruptedCallLeavesItsTask: Ctrl-C stops the wait, and says how to go on.
func TestAnInterruptedCallLeavesItsTask(t *testing.T) {
	t.Parallel()
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	data, addr := t.TempDir(), freeAddress(t)
	start(t, addr, "demo", "--listen", addr, "--data", data, "--agent", "theirs="+a2atest.Serve(t, agent, agent.Card(), a2a.V10))
	var said bytes.Buffer
	cmd := exec.Command(binary, "call", "send_task", "agent=theirs", "message=hang", "--data", data)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	list := func() string { return output(t, "", "call", "list_tasks", "state=working", "--data", data) }
	for range 100 { // another process: there is nothing to wait on
		if strings.Contains(list(), "theirs") {
			break
		}
	}
	for range 8 { // until the first, short wait is over
		output(t, "", "call", "get_task", "task_id="+strings.Fields(strings.Split(list(), "\n")[1])[0], "wait=0.5", "--data", data)
	}
	cmd.Process.Signal(os.Interrupt)
	if cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("exit code %d; it said %s", cmd.ProcessState.ExitCode(), &said)
	}
	_, line, _ := strings.Cut(said.String(), "To cancel it:\n  "+binary+" ")
	if !strings.Contains(said.String(), "call get_task task_id=") || !strings.HasPrefix(line, "call cancel_task task_id=") {
		t.Fatalf("it said %s", &said)
	}
	if got := output(t, "", strings.Fields(line)...); !strings.Contains(got, "canceled") {
		t.Errorf("got %s", got)
	}
}
