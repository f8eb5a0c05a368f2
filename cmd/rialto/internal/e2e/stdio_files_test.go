package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest"
)

// filesRoot is a directory with files that may be sent and with ways out of it, of which each is refused.
func filesRoot(t *testing.T) (dir string, sent map[string][]byte, refused map[string]string) {
	t.Helper()
	outside := t.TempDir()
	dir = filepath.Join(outside, "shared")
	sent = map[string][]byte{
		"report.pdf":    append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("x"), 3000)...),
		"sub/notes.txt": []byte("some words, 100 % of them"),
	}
	sent["linked.pdf"] = sent["report.pdf"]
	sent[filepath.Join(dir, "report.pdf")] = sent["report.pdf"]
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "sub"), 0o755),
		os.WriteFile(filepath.Join(outside, "secret.txt"), []byte("a secret"), 0o600),
		os.WriteFile(filepath.Join(dir, "report.pdf"), sent["report.pdf"], 0o600),
		os.WriteFile(filepath.Join(dir, "sub/notes.txt"), sent["sub/notes.txt"], 0o600),
		os.WriteFile(filepath.Join(dir, "large.txt"), nil, 0o600),
		os.Truncate(filepath.Join(dir, "large.txt"), 101<<20),
		os.Symlink("report.pdf", filepath.Join(dir, "linked.pdf")),
		os.Symlink("../secret.txt", filepath.Join(dir, "out.txt")),
		os.Symlink(filepath.Join(dir, "report.pdf"), filepath.Join(dir, "absolute.pdf")),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir, sent, map[string]string{
		"../secret.txt":                       "escapes",
		filepath.Join(outside, "secret.txt"):  "escapes",
		"out.txt":                             "escapes",
		"absolute.pdf":                        "escapes",
		"pipe":                                "not a regular file",
		"sub":                                 "not a regular file",
		"none.txt":                            "no such file",
		"large.txt":                           "more than 100 MiB",
		"":                                    "no file",
		filepath.Join(dir, "sub/../none.txt"): "no such file",
		filepath.Join(dir, "../secret.txt"):   "escapes",
		"sub/../../secret.txt":                "escapes",
	}
}

// TestStdioSendsFiles lets a host name files by their paths, in both eras. The agent gets them, and nothing
// that is not below the directory.
func TestStdioSendsFiles(t *testing.T) {
	t.Parallel()
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	card := agent.Card()
	card.DefaultInputModes = []string{"text/plain", "application/pdf"}
	data, addr := t.TempDir(), freeAddress(t)
	p := start(t, addr, "demo", "--listen", addr, "--data", data, "--agent", "reader="+a2atest.Serve(t, agent, card, a2a.V10))
	token := strings.TrimSpace(output(t, "", "token", "--user", username, "--data", data))
	dir, sent, refused := filesRoot(t)
	for era, meta := range map[string]string{"legacy": "", "modern": stdioMeta} {
		t.Run(era, func(t *testing.T) {
			h := launchStdioWith(t, t.TempDir(), []string{"RIALTO_TOKEN=" + token}, p.URL+"/mcp", "--files-root", dir)
			if meta == "" {
				h.greet()
			}
			h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":1%s}}`, meta)
			if m := h.answer("1"); !bytes.Contains(m.Result, []byte("Path of a file in "+dir)) {
				t.Errorf("the list has no paths: %s %s", m.Error, m.Result)
			}
			h.send(`{"jsonrpc":"2.0","id":"bytes","method":"tools/call","params":{"name":"send_task","arguments":{"agent":"reader","message":"parts","files":[{"name":"a.txt","media_type":"text/plain","bytes":"YQ=="}]}%s}}`, meta)
			if m := h.answer(`"bytes"`); !bytes.Contains(m.Result, []byte(`"completed"`)) {
				t.Errorf("a call without paths: got %s %s", m.Error, m.Result)
			}
			h.sendFiles(agent, meta, sent)
			h.refuses(agent, meta, refused)
			if code := h.code(); code != 0 {
				t.Errorf("got exit code %d; it said\n%s", code, h.said)
			}
		})
	}

	h := launchStdio(t, p.URL+"/mcp", t.TempDir(), "RIALTO_TOKEN="+token)
	h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_task","arguments":{"agent":"reader","message":"parts","files":[{"path":"report.pdf"}]}%s}}`, stdioMeta)
	if m := h.answer("1"); bytes.Contains(m.Result, []byte(`"completed"`)) {
		t.Errorf("without --files-root: got %s", m.Result)
	}
	wrong := exec.Command(binary, "stdio", p.URL+"/mcp", "--files-root", filepath.Join(dir, "report.pdf"))
	if out, _ := wrong.CombinedOutput(); wrong.ProcessState.ExitCode() != 2 || !bytes.Contains(out, []byte("report.pdf")) {
		t.Errorf("a root that is no directory: got exit code %d, %s", wrong.ProcessState.ExitCode(), out)
	}
}

// sendFiles names all files in one call.
func (h *stdioHost) sendFiles(agent *a2atest.Agent, meta string, files map[string][]byte) {
	h.t.Helper()
	var named []map[string]string
	for path := range files {
		named = append(named, map[string]string{"path": path})
	}
	list, _ := json.Marshal(named)
	h.send(`{"jsonrpc":"2.0","id":"files","method":"tools/call","params":{"name":"send_task","arguments":{"agent":"reader","message":"parts","files":%s}%s}}`, list, meta)
	m := h.answer(`"files"`)
	got := agent.Received()
	parts := got[len(got)-1].Message.Parts
	if !bytes.Contains(m.Result, []byte(`"completed"`)) || len(parts) != 1+len(named) {
		h.t.Fatalf("got %s %s and %d parts; it said\n%s", m.Error, m.Result, len(parts), h.said)
	}
	for i, file := range named {
		part := parts[1+i]
		if content, _ := part.Content.(a2a.Raw); !bytes.Equal(content, files[file["path"]]) || part.Filename != filepath.Base(file["path"]) {
			h.t.Errorf("%s: the agent got %s of %d bytes", file["path"], part.Filename, len(content))
		}
	}
}

// refuses names files that are not sent, in calls at the same time: each gets an error of its own.
func (h *stdioHost) refuses(agent *a2atest.Agent, meta string, files map[string]string) {
	h.t.Helper()
	before := len(agent.Received())
	want := map[string]string{}
	for path, why := range files {
		id := fmt.Sprint(1000 + len(want))
		want[id] = why
		entry, _ := json.Marshal(map[string]string{"path": path})
		h.send(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"send_task","arguments":{"agent":"reader","message":"parts","files":[%s]}%s}}`, id, entry, meta)
	}
	for len(want) > 0 {
		m := h.next()
		why, asked := want[string(m.ID)]
		if m.Method != "" {
			continue
		}
		if text := string(m.Error); !asked || !strings.Contains(text, "files[0]") || !strings.Contains(text, why) {
			h.t.Errorf("got %s %s %s, want %q", m.ID, m.Error, m.Result, why)
		}
		delete(want, string(m.ID))
	}
	if n := len(agent.Received()); n != before {
		h.t.Errorf("the agent got %d messages", n-before)
	}
}
