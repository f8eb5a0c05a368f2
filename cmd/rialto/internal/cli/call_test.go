package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/a2a/a2atest"
)

// called is a "rialto call" that has ended.
type called struct {
	code     int
	out, err string // what it printed; err ends with the error
}

// callRig is a demo with an agent that follows commands.
type callRig struct {
	dir   string
	agent *a2atest.Agent
}

func newCallRig(t *testing.T) *callRig {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	dir := t.TempDir()
	card := agent.Card()
	card.DefaultInputModes = []string{"*/*"} // it returns the files that it gets
	runDemo(t, "--data", dir, "--agent", "scripted="+a2atest.Serve(t, agent, card))
	return &callRig{dir, agent}
}

// run calls a tool. When the text appears on the error output, stop is called.
func (rig *callRig) run(t *testing.T, in io.Reader, text string, args ...string) called {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out bytes.Buffer
	errs := &watched{text: text, stop: stop}
	cmd := Command(func(time.Duration) {})
	cmd.SetArgs(append([]string{"call", "--data", rig.dir}, args...))
	cmd.SetIn(in)
	cmd.SetOut(&out)
	cmd.SetErr(errs)
	err := cmd.ExecuteContext(ctx)
	c := called{out: out.String(), err: errs.String()}
	if err != nil {
		c.code = ExitCode(err)
		c.err += err.Error()
	}
	return c
}

// watched is an output that calls stop when a text has been written to it.
type watched struct {
	mu   sync.Mutex
	all  bytes.Buffer
	text string
	stop func()
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all.Write(p)
	if w.text != "" && strings.Contains(w.all.String(), w.text) {
		w.stop()
	}
	return len(p), nil
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}

// TestACallEndsAtAQuestionWithWhatToDoNext interrupts a call, or lets its time end, before a person
// answers the question of an agent: the task was nowhere to be found.
func TestACallEndsAtAQuestionWithWhatToDoNext(t *testing.T) {
	rig := newCallRig(t)
	for _, c := range []struct {
		name, interruptAt string
		args              []string
		code              int
	}{
		{"interrupted", "Which year?", nil, 130},
		{"time is over", "", []string{"--timeout", "2s"}, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			silent, _ := io.Pipe()
			args := append([]string{"send_task", "agent=scripted", "message=ask Which year?"}, c.args...)
			got := rig.run(t, silent, c.interruptAt, args...)
			if got.code != c.code {
				t.Errorf("got exit code %d, want %d", got.code, c.code)
			}
			_, id, _ := strings.Cut(got.err, "task_id=")
			id, _, _ = strings.Cut(id, " ")
			for _, want := range []string{
				"/answer", id, "call send_task message=… task_id=" + id, "call cancel_task task_id=" + id,
			} {
				if id == "" || !strings.Contains(got.out+got.err, want) {
					t.Errorf("got %s%s, want %q in it", got.out, got.err, want)
				}
			}
		})
	}
}

// TestACallWhoseTimeIsOverSaysHowToGoOn lets the time end while an agent works.
func TestACallWhoseTimeIsOverSaysHowToGoOn(t *testing.T) {
	rig := newCallRig(t)
	got := rig.run(t, strings.NewReader(""), "", "send_task", "agent=scripted", "message=hang", "--timeout", "5s")
	if got.code != 1 || !strings.Contains(got.err, "call get_task task_id=") || !strings.Contains(got.err, "call cancel_task task_id=") {
		t.Errorf("got %d, %s", got.code, got.err)
	}
}

// TestAFetchedDocumentIsPrintedWhole fetches a text that is longer than a cell of a table.
func TestAFetchedDocumentIsPrintedWhole(t *testing.T) {
	rig := newCallRig(t)
	words := strings.Repeat("all of it, ", 200) + "to the end"
	sent := rig.run(t, strings.NewReader(""), "", "send_task", "agent=scripted", "message=echo "+words, "--json")
	_, id, _ := strings.Cut(sent.out, `"task_id": "`)
	id, _, _ = strings.Cut(id, `"`)
	got := rig.run(t, strings.NewReader(""), "", "fetch", "id=task:"+id)
	if got.code != 0 || !strings.Contains(got.out, words) {
		t.Errorf("got %d, %d characters of %d: %s", got.code, len(got.out), len(words), got.out+got.err)
	}
}

// TestASavedFileKeepsItsName sends files to an agent that returns them.
func TestASavedFileKeepsItsName(t *testing.T) {
	rig := newCallRig(t)
	from, to := t.TempDir(), t.TempDir()
	args := []string{"send_task", "agent=scripted", "message=parts", "--output", to}
	files := map[string]string{"claims of May.csv": "a,b", "chart.png": "png", "call.mp3": "mp3", "large.bin": strings.Repeat("x", 50_000)}
	for name, content := range files {
		path := filepath.Join(from, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "files=@"+path)
	}
	got := rig.run(t, strings.NewReader(""), "", args...)
	if got.code != 0 {
		t.Fatalf("got %d: %s", got.code, got.err)
	}
	for name, content := range files {
		saved, err := os.ReadFile(filepath.Join(to, name))
		if err != nil || string(saved) != content {
			t.Errorf("%s: got %d bytes, %v; it printed\n%s", name, len(saved), err, got.out)
		}
	}
}

// TestNobodyCanLogInWithoutATerminal calls a server that wants a login from a program.
func TestNobodyCanLogInWithoutATerminal(t *testing.T) {
	_, address := runDemo(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv(callToken, "")
	call := func(args ...string) called {
		t.Helper()
		var out, errs bytes.Buffer
		cmd := Command(func(time.Duration) {})
		cmd.SetArgs(append([]string{"call", "--url", address + "/mcp"}, args...))
		cmd.SetIn(strings.NewReader(""))
		cmd.SetOut(&out)
		cmd.SetErr(&errs)
		err := cmd.ExecuteContext(t.Context())
		if err != nil {
			return called{ExitCode(err), out.String(), errs.String() + err.Error()}
		}
		return called{0, out.String(), errs.String()}
	}
	if got := call("--timeout", "5s"); got.code != 3 || !strings.Contains(got.err, "RIALTO_TOKEN") {
		t.Errorf("got %d, %s", got.code, got.err)
	}
	if got := call("--logout"); got.code != 0 || !strings.Contains(got.out, "There is no stored login for "+address) {
		t.Errorf("got %d, %s", got.code, got.out+got.err)
	}
}
