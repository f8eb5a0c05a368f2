package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
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
	return launchStdioWith(t, home, variables, address)
}

func launchStdioWith(t *testing.T, home string, variables []string, args ...string) *stdioHost {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"stdio"}, args...)...)
	h := &stdioHost{t: t, cmd: cmd, lines: make(chan string, 1000), said: &logBuffer{said: true}}
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
	stdioHello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"host","version":"1"}}}`
)

func (h *stdioHost) greet() {
	h.t.Helper()
	h.send(stdioHello)
	if m := h.answer(`"hello"`); m.Error != nil {
		h.t.Fatalf("%s", m.Error)
	}
	h.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// stdioServer is a server that the program connects to, behind a proxy.
type stdioServer struct {
	address, token string
	meta           string // of each request; "" in the older era
	call           string // params of a short call, without _meta
	want           string // in its result
	long           string // params of a call that waits; "" if a subscription has to do
	restart        func()
	ended          chan string // the ids of requests that have ended, and DELETE
}

// watched is a proxy that sees requests end.
func (s *stdioServer) watched(next http.Handler) http.Handler {
	s.ended = make(chan string, 1000)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var m stdioMessage
		json.Unmarshal(body, &m) // else it is no message
		defer func() { s.ended <- cmp.Or(string(m.ID), r.Method) }()
		next.ServeHTTP(w, r)
	})
}

// sees waits until a request has ended.
func (s *stdioServer) sees(t *testing.T, id string) {
	t.Helper()
	late := time.After(time.Second)
	for {
		select {
		case got := <-s.ended:
			if got == id {
				return
			}
		case <-late:
			t.Errorf("the server does not see the end of %s within a second", id)
			return
		}
	}
}

// everything runs @modelcontextprotocol/server-everything, which speaks the older era.
func everything(t *testing.T) *stdioServer {
	t.Helper()
	node, err := Node("node")
	Need(t, err)
	addr := freeAddress(t)
	_, port, _ := strings.Cut(addr, ":")
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
	s := &stdioServer{
		token: "none",
		call:  `"name":"echo","arguments":{"message":"%s"}`, want: "Echo: ",
		long:    `"name":"trigger-long-running-operation","arguments":{"duration":600,"steps":600}`,
		restart: func() { end(); run() },
	}
	front := httptest.NewServer(s.watched(passTo(t, addr)))
	t.Cleanup(front.Close)
	s.address = front.URL + "/mcp"
	return s
}

// stdioServers are Rialto in both eras, and a server that others wrote.
func stdioServers(t *testing.T) map[string]*stdioServer {
	t.Helper()
	data := t.TempDir()
	rialto := stdioServer{
		call: `"name":"search","arguments":{"query":"claims %s"}`, want: "results",
		long: `"name":"send_task","arguments":{"message":"How many are there?"}`, // asks the host
	}
	p := frontedDemo(t, data, rialto.watched)
	rialto.address = p.URL + "/mcp"
	rialto.token = strings.TrimSpace(output(t, "", "token", "--user", username, "--data", data))
	rialto.restart = func() { p.kill(); p = p.again(t) }
	modern := rialto
	modern.meta, modern.long = stdioMeta, ""
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
			h.waits(s)
			if code := h.code(); code != 0 {
				t.Errorf("got exit code %d; it said\n%s", code, h.said)
			}
			s.sees(t, `"long"`)
			if s.meta == "" {
				s.sees(t, "DELETE")
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

// waits makes a call, or listens, and returns when the server is at it.
func (h *stdioHost) waits(s *stdioServer) {
	h.t.Helper()
	if s.long != "" {
		h.send(`{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{%s,"_meta":{"progressToken":1}}}`, s.long)
	} else {
		h.send(`{"jsonrpc":"2.0","id":"long","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}%s}}`, s.meta)
	}
	if m := h.next(); m.Method == "" {
		h.t.Fatalf("got the answer %s %s", m.Result, m.Error)
	}
}

// cancels cancels a call, or the stream of a subscription. The server sees its end within a second, and the host
// gets no answer.
func (h *stdioHost) cancels(s *stdioServer) {
	h.t.Helper()
	h.waits(s)
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long"}}`)
	s.sees(h.t, `"long"`)
	h.send(`{"jsonrpc":"2.0","id":"after","method":"tools/call","params":{%s%s}}`, fmt.Sprintf(s.call, "x"), s.meta)
	h.answer(`"after"`)
}

// large sends a line of 3 MiB, and one of 4 MiB, which the servers refuse: the host gets an answer either way.
func (h *stdioHost) large(s *stdioServer) {
	h.t.Helper()
	for _, size := range []int{3 << 20, 4 << 20} {
		h.send(`{"jsonrpc":"2.0","id":"large","method":"tools/call","params":{%s%s}}`, fmt.Sprintf(s.call, strings.Repeat("x", size)), s.meta)
		m := h.answer(`"large"`)
		if echoed := len(m.Result) > size; echoed != (s.want == "Echo: " && size < 4<<20) {
			h.t.Errorf("got %d bytes and %.300s for %d", len(m.Result), m.Error, size)
		}
	}
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

// TestStdioRenewsOnce expires a stored login. Eight programs that start at once renew it once. Then the one
// that renews is killed after the server has renewed, and before it knows: the next one needs no login either.
func TestStdioRenewsOnce(t *testing.T) {
	var renewals atomic.Int32
	var hold atomic.Bool
	held := make(chan struct{})
	p := frontedDemo(t, t.TempDir(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			if !bytes.Contains(body, []byte("grant_type=refresh_token")) {
				next.ServeHTTP(w, r)
				return
			}
			renewals.Add(1)
			kept := httptest.NewRecorder()
			next.ServeHTTP(kept, r)
			if hold.Load() {
				held <- struct{}{}
				<-r.Context().Done()
				return
			}
			maps.Copy(w.Header(), kept.Header())
			w.WriteHeader(kept.Code)
			w.Write(kept.Body.Bytes())
		})
	})
	home := t.TempDir()
	first := launchStdio(t, p.URL+"/mcp", home)
	first.send(stdioHello)
	first.said.wait(t, "/authorize?")
	browser := oauthtest.NewBrowser(t, nil)
	browser.Get(browser.Authorize(regexp.MustCompile(`http\S+/authorize\?\S+`).FindString(first.said.String()), username, password).String())
	launchStdio(t, p.URL+"/mcp", home).greet() // it finds the login
	expire(t, home)
	var all []*stdioHost
	for range 8 {
		all = append(all, launchStdio(t, p.URL+"/mcp", home))
	}
	for _, h := range all {
		h.send(stdioHello)
	}
	for _, h := range all {
		if m := h.answer(`"hello"`); m.Result == nil {
			t.Errorf("got %s", m.Error)
		}
	}
	if got := renewals.Load(); got != 1 {
		t.Errorf("got %d renewals, want 1", got)
	}
	expire(t, home)
	hold.Store(true)
	killed := launchStdio(t, p.URL+"/mcp", home)
	killed.send(stdioHello)
	<-held
	killed.cmd.Process.Kill()
	hold.Store(false)
	last := launchStdio(t, p.URL+"/mcp", home)
	last.greet()
	if got := renewals.Load(); got != 3 || strings.Contains(last.said.String(), "/authorize?") {
		t.Errorf("got %d renewals, want 3; it said\n%s", got, last.said)
	}
}

// expire ends the access tokens of the stored logins.
func expire(t *testing.T, home string) {
	t.Helper()
	file := filepath.Join(home, ".local/share/rialto/logins.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`"expiry": "[^"]+"`).ReplaceAll(text, []byte(`"expiry": "2026-01-01T00:00:00Z"`))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
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
