package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
)

// Foreign programs that sign in on their own: each prints where the person
// has to go and waits at an address on loopback for the answer.
const (
	inspector = "@modelcontextprotocol/inspector/clients/launcher/build/index.js" // 2.12.0
	mcpRemote = "mcp-remote/dist/client.js"                                       // 0.15.1
	mcpSuite  = "@modelcontextprotocol/conformance/dist/index.js"                 // 0.2.0-alpha.12
)

// TestTheInspectorSignsIn logs in with nothing but the URL, comes back with
// its stored login, and logs in anew.
func TestTheInspectorSignsIn(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			p, home, answer := demo(t, t.TempDir(), ""), t.TempDir(), filepath.Join(t.TempDir(), "answer.json")
			run := func(consents int, more ...string) {
				t.Helper()
				os.Remove(answer)
				args := append([]string{"--cli", "--server-url", p.URL + "/mcp", "--transport", "http", "--protocol-era", era,
					"--method", "tools/list", "--format", "json", "--output", answer,
					"--callback-url", "http://" + freeAddress(t) + "/oauth/callback"}, more...)
				said := visitor{script: inspector, args: args, home: home}.run(t, p, consents)
				listed, err := os.ReadFile(answer)
				if err != nil || !bytes.Contains(listed, []byte(`"send_task"`)) {
					t.Errorf("got %v, %s, want the tools; it said\n%s", err, listed, said)
				}
			}
			run(1)
			run(0, "--stored-auth-only")
			run(1, "--relogin")
		})
	}
}

// TestMCPRemoteSignsIn logs in with nothing but the URL, comes back with what
// it kept, and then serves a chat app that knows only local servers.
func TestMCPRemoteSignsIn(t *testing.T) {
	t.Parallel()
	p, home := observedDemo(t, t.TempDir()), t.TempDir()
	_, port, _ := strings.Cut(freeAddress(t), ":")
	for _, consents := range []int{1, 0} {
		said := visitor{script: mcpRemote, args: []string{p.URL + "/mcp", port, "--allow-http"}, home: home}.run(t, p, consents)
		if !strings.Contains(said, "Connected successfully!") {
			t.Errorf("got\n%s", said)
		}
	}
	for _, protocol := range []string{"legacy", "auto"} {
		script{"mcpremote.mjs", []string{p.URL + "/mcp", port, "--allow-http", "--protocol", protocol}, []string{"HOME=" + home}}.run(t, p)
	}
}

// TestTheCommandLineSignsIn logs in with nothing but the URL, comes back with its stored login, and
// logs in anew after it has forgotten it. "script" gives it the terminal that a login needs.
func TestTheCommandLineSignsIn(t *testing.T) {
	t.Parallel()
	p, home := demo(t, t.TempDir(), ""), t.TempDir()
	run := func(consents int, more ...string) {
		t.Helper()
		words := append([]string{binary, "call", "--url", p.URL + "/mcp"}, more...)
		cmd := exec.Command("script", "-qec", "'"+strings.Join(words, "' '")+"'", "/dev/null")
		cmd.Env = []string{"HOME=" + home}
		said, err := followed(cmd, func(address string) {
			consents--
			browser := oauthtest.NewBrowser(t, nil)
			browser.Get(browser.Authorize(address, username, password).String())
		}, p.URL+"/authorize?")
		if err != nil || consents != 0 {
			t.Fatalf("%v: %v, with %d consents left\n%s", more, err, consents, said)
		}
		if !slices.Contains(more, "--logout") && !strings.Contains(said, "160") {
			t.Errorf("got\n%s", said)
		}
	}
	ask := []string{"send_task", "message=How many claims are open?"}
	run(1, ask...)
	run(0, ask...)
	run(0, "--logout")
	run(1, ask...)
	file := filepath.Join(home, ".local/share/rialto/logins.json")
	if text, err := os.ReadFile(file); err != nil || !bytes.Contains(text, []byte(`"dpop_key"`)) {
		t.Errorf("the stored login has no key: %s, %v", text, err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the stored login: %v, %v", info, err)
	}
}

// TestConformanceOfTheAuthorizationServer runs the part of the suite that is
// about authorization servers. No failure and no warning is excused.
func TestConformanceOfTheAuthorizationServer(t *testing.T) {
	t.Parallel()
	p := demo(t, t.TempDir(), "")
	_, port, _ := strings.Cut(freeAddress(t), ":")
	client := register(t, p, "http://127.0.0.1:"+port+"/callback")
	said := visitor{script: mcpSuite, home: t.TempDir(), args: []string{
		"authorization", "--url", p.URL, "--client-id", client, "--port", port, "--resource", p.URL + "/mcp",
	}}.run(t, p, 1)
	if passed := total(t, said); passed < 3 || strings.Contains(said, "WARNING") {
		t.Errorf("got\n%s", said)
	}
}

// visitor is a run of a program of others that may ask for a person.
type visitor struct {
	script string // below node/node_modules
	args   []string
	home   string // where it keeps what it learns
	user   string // who approves; "" is that of the demo
}

// run runs the visitor to its end, with a person who approves whatever it asks
// for, and returns what it said. It fails the test unless the visitor asked so
// often and ended well.
func (v visitor) run(t *testing.T, p *program, consents int) string {
	t.Helper()
	node, err := Node("node")
	Need(t, err)
	script, err := filepath.Abs(filepath.Join("node/node_modules", v.script))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, append([]string{script}, v.args...)...)
	cmd.Dir = v.home // some leave results where they run
	// Without a PATH they find no browser of their own.
	cmd.Env = []string{"HOME=" + v.home, "PATH=", "MCP_AUTO_OPEN_ENABLED=true", "MCP_INSPECTOR_SECRET_STORE=file"}
	said, err := followed(cmd, func(address string) {
		if consents--; consents < 0 {
			return
		}
		browser := oauthtest.NewBrowser(t, nil)
		browser.Get(browser.Authorize(address, cmp.Or(v.user, username), password).String())
	}, p.URL+"/authorize?")
	if err != nil || consents != 0 {
		t.Fatalf("%s: %v, with %d consents left; it said\n%s\nthe program said\n%s", v.script, err, consents, said, tail(p.log.String(), 4000))
	}
	return said
}

// followed runs a command and calls visit, in the same goroutine, for each
// address that it prints for the first time and that begins so.
func followed(cmd *exec.Cmd, visit func(address string), begins string) (said string, err error) {
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	if err := cmd.Start(); err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		in.Close()
		ended <- err
	}()
	var all strings.Builder
	seen := map[string]bool{}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
		for word := range strings.FieldsSeq(lines.Text()) {
			if u, err := url.Parse(word); err == nil && strings.HasPrefix(word, begins) && !seen[u.Query().Get("state")] {
				seen[u.Query().Get("state")] = true
				visit(word)
			}
		}
	}
	out.Close()
	return all.String(), <-ended
}
