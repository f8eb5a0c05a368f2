package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
)

// stdioHost is a program that has launched "rialto stdio".
type stdioHost struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	said  *logBuffer
}

// launchStdio launches it with variables, such as an access token.
func launchStdio(t *testing.T, address, home string, variables ...string) *stdioHost {
	t.Helper()
	h := &stdioHost{t: t, cmd: exec.Command(binary, "stdio", address), lines: make(chan string, 1000), said: &logBuffer{said: true}}
	h.cmd.Env = append([]string{"HOME=" + home}, variables...)
	h.cmd.Stderr = h.said
	in, err := h.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.in = in
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(h.lines)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			h.lines <- line
		}
	}()
	t.Cleanup(func() { h.cmd.Process.Kill(); h.cmd.Wait() })
	return h
}

func (h *stdioHost) send(line string, args ...any) { fmt.Fprintf(h.in, line+"\n", args...) }

// stdioMessage is a line of the program.
type stdioMessage struct {
	Version string `json:"jsonrpc"`
	ID      json.RawMessage
	Method  string
	Params  json.RawMessage
	Result  json.RawMessage
	Error   json.RawMessage
}

func (h *stdioHost) next() (m stdioMessage) {
	h.t.Helper()
	select {
	case line := <-h.lines:
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Version != "2.0" {
			h.t.Fatalf("got the line %q; it said\n%s", line, h.said)
		}
	case <-time.After(30 * time.Second):
		h.t.Fatalf("no message came; it said\n%s", h.said)
	}
	return m
}

// answer returns the answer to an id. Another answer is an error.
func (h *stdioHost) answer(id string) stdioMessage {
	h.t.Helper()
	for {
		m := h.next()
		if m.Method != "" {
			continue
		}
		if string(m.ID) != id {
			h.t.Fatalf("got an answer to %s, want one to %s", m.ID, id)
		}
		return m
	}
}

// code ends the host and returns the exit code of the program.
func (h *stdioHost) code() int {
	h.t.Helper()
	begun := time.Now()
	h.in.Close()
	for line := range h.lines { // answers to calls that the end of the host has ended
		if !json.Valid([]byte(line)) {
			h.t.Errorf("the line %q was left", line)
		}
	}
	h.cmd.Wait()
	if took := time.Since(begun); took > 2*time.Second {
		h.t.Errorf("it took %v to end", took)
	}
	return h.cmd.ProcessState.ExitCode()
}

const (
	stdioMeta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"host","version":"1"}}`
	stdioHello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}`
)

func (h *stdioHost) greet() {
	h.t.Helper()
	h.send(stdioHello)
	if m := h.answer(`"hello"`); m.Error != nil {
		h.t.Fatalf("%s", m.Error)
	}
	h.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// stdioServer is a server that the program connects to.
type stdioServer struct {
	address, token string
	meta           string // of each request; "" in the older era
	call           string // params of a short call, without _meta
	want           string // in its result
	long           string // params of a call that takes longer than the test
	restart        func()
}

// everything runs @modelcontextprotocol/server-everything, which speaks the older era.
func everything(t *testing.T) *stdioServer {
	t.Helper()
	node, err := Node("node")
	Need(t, err)
	_, port, _ := strings.Cut(freeAddress(t), ":")
	var cmd *exec.Cmd
	run := func() {
		cmd = exec.Command(node, "node/node_modules/@modelcontextprotocol/server-everything/dist/index.js", "streamableHttp")
		cmd.Env = []string{"PORT=" + port}
		log := &logBuffer{}
		cmd.Stdout, cmd.Stderr = log, log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		log.wait(t, "listening on port")
	}
	end := func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	run()
	t.Cleanup(func() { end() })
	return &stdioServer{
		address: "http://127.0.0.1:" + port + "/mcp", token: "none",
		call: `"name":"echo","arguments":{"message":"%s"}`, want: "Echo: ",
		long:    `"name":"trigger-long-running-operation","arguments":{"duration":600,"steps":600}`,
		restart: func() { end(); run() },
	}
}

// stdioServers are Rialto in both eras, and a server that others wrote.
func stdioServers(t *testing.T) map[string]*stdioServer {
	t.Helper()
	data := t.TempDir()
	p := demo(t, data, "")
	rialto := stdioServer{
		address: p.URL + "/mcp", token: strings.TrimSpace(output(t, "", "token", "--user", username, "--data", data)),
		call: `"name":"search","arguments":{"query":"claims %s"}`, want: "results",
		restart: func() { p.kill(); p = p.again(t) },
	}
	modern := rialto
	modern.meta = stdioMeta
	return map[string]*stdioServer{"rialto, 2025-11-25": &rialto, "rialto, 2026-07-28": &modern, "server-everything": everything(t)}
}

// TestStdioIsInvisible puts "rialto stdio" between a host and servers: what it must not do is what the host
// would notice.
func TestStdioIsInvisible(t *testing.T) {
	takesLong(t)
	for name, s := range stdioServers(t) {
		t.Run(name, func(t *testing.T) {
			h := launchStdio(t, s.address, t.TempDir(), "RIALTO_TOKEN="+s.token)
			if s.meta == "" {
				h.greet()
			}
			h.parallel(s)
			h.cancels(s)
			h.large(s)
			s.restart()
			h.send(`{"jsonrpc":"2.0","id":"again","method":"tools/call","params":{%s%s}}`, fmt.Sprintf(s.call, "x"), s.meta)
			if m := h.answer(`"again"`); !bytes.Contains(m.Result, []byte(s.want)) {
				t.Errorf("after a restart: got %s %s; it said\n%s", m.Error, m.Result, h.said)
			}
			if s.long != "" {
				h.send(`{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{%s}}`, s.long)
			}
			if code := h.code(); code != 0 {
				t.Errorf("got exit code %d; it said\n%s", code, h.said)
			}
		})
	}
}

// parallel makes 100 calls at once, with ids of both types.
func (h *stdioHost) parallel(s *stdioServer) {
	h.t.Helper()
	want := map[string]bool{}
	for i := range 100 {
		id := fmt.Sprint(i)
		if i%2 == 1 {
			id = fmt.Sprintf(`"%d"`, i-1)
		}
		want[id] = true
		h.send(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{%s%s}}`, id, fmt.Sprintf(s.call, "number "+fmt.Sprint(i)), s.meta)
	}
	for len(want) > 0 {
		m := h.next()
		if m.Method != "" {
			continue
		}
		if !want[string(m.ID)] || !bytes.Contains(m.Result, []byte(s.want)) {
			h.t.Fatalf("got %s %s %s", m.ID, m.Error, m.Result)
		}
		delete(want, string(m.ID))
	}
}

// cancels cancels a call, or the stream of a subscription, which then gets no answer.
func (h *stdioHost) cancels(s *stdioServer) {
	h.t.Helper()
	switch {
	case s.long != "":
		h.send(`{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{%s,"_meta":{"progressToken":1}}}`, s.long)
		for h.next().Method != "notifications/progress" {
		}
	case s.meta != "":
		h.send(`{"jsonrpc":"2.0","id":"long","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}%s}}`, s.meta)
		if m := h.next(); m.Method != "notifications/subscriptions/acknowledged" {
			h.t.Fatalf("got %s %s", m.Method, m.Error)
		}
	}
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long"}}`)
	h.send(`{"jsonrpc":"2.0","id":"after","method":"tools/call","params":{%s%s}}`, fmt.Sprintf(s.call, "x"), s.meta)
	h.answer(`"after"`)
}

// large sends a line of 4 MiB, which the server may refuse: the host gets an answer either way.
func (h *stdioHost) large(s *stdioServer) {
	h.t.Helper()
	h.send(`{"jsonrpc":"2.0","id":"large","method":"tools/call","params":{%s%s}}`, fmt.Sprintf(s.call, strings.Repeat("x", 4<<20)), s.meta)
	h.answer(`"large"`)
	h.send(`{"jsonrpc":"2.0","id":`)
	if m := h.answer("null"); !bytes.Contains(m.Error, []byte("-32700")) {
		h.t.Errorf("got %s for half a message", m.Error)
	}
}

// TestStdioLogsIn launches two programs a second apart, as Claude Desktop does, without a login. Both are
// served after one visit of the browser. Then the first is killed, and another comes with the same login.
func TestStdioLogsIn(t *testing.T) {
	p, home := demo(t, t.TempDir(), ""), t.TempDir()
	opened := filepath.Join(home, "opened")
	opener := filepath.Join(home, "xdg-open")
	if err := os.WriteFile(opener, []byte("#!/bin/sh\necho \"$1\" >>"+opened+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	desktop := []string{"DISPLAY=:0", "PATH=" + home + ":/usr/bin:/bin"}
	first := launchStdio(t, p.URL+"/mcp", home, desktop...)
	first.send(stdioHello)
	first.said.wait(t, "/authorize?")
	second := launchStdio(t, p.URL+"/mcp", home, desktop...)
	second.send(stdioHello)

	page := regexp.MustCompile(`http\S+/authorize\?\S+`).FindString(first.said.String())
	browser := oauthtest.NewBrowser(t, nil)
	browser.Get(browser.Authorize(page, username, password).String())
	for _, h := range []*stdioHost{first, second} {
		if m := h.answer(`"hello"`); !bytes.Contains(m.Result, []byte("serverInfo")) {
			t.Errorf("got %s", m.Error)
		}
	}
	if text, _ := os.ReadFile(opened); strings.Count(string(text), "\n") != 1 {
		t.Errorf("the browser was opened for\n%s", text)
	}
	first.cmd.Process.Signal(syscall.SIGKILL)
	third := launchStdio(t, p.URL+"/mcp", home)
	third.greet()
	if code := third.code(); code != 0 || second.code() != 0 {
		t.Errorf("got exit code %d; it said\n%s", code, third.said)
	}
	call := exec.Command(binary, "call", "--url", p.URL+"/mcp")
	call.Env = []string{"HOME=" + home}
	if said, err := call.CombinedOutput(); err != nil || !bytes.Contains(said, []byte("send_task")) {
		t.Errorf("rialto call does not share the login: %v; it said\n%s", err, said)
	}
}

// TestAppsUseStdio are chat apps on the two SDKs that know only commands.
func TestAppsUseStdio(t *testing.T) {
	data := t.TempDir()
	p := observedDemo(t, data)
	token := strings.TrimSpace(output(t, "", "token", "--user", username, "--data", data))
	for _, era := range []string{"legacy", "modern"} {
		script{"stdio.mjs", []string{binary, "stdio", p.URL + "/mcp"}, []string{"RIALTO_TOKEN=" + token, "RIALTO_ERA=" + era}}.run(t, p)
	}
}
