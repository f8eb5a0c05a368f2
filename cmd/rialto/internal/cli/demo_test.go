package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// runDemo runs the demo until the test ends, and returns what it printed and where it listens.
func runDemo(t *testing.T, args ...string) (banner, address string) {
	t.Helper()
	out, in := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	cmd := Command(func(time.Duration) {})
	cmd.SetArgs(append([]string{"demo", "--data", t.TempDir(), "--listen", "127.0.0.1:0"}, args...))
	cmd.SetOut(in)
	cmd.SetErr(io.Discard)
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.ExecuteContext(ctx)
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		banner += lines.Text() + "\n"
		if strings.Contains(banner, "Ctrl-C") && strings.Contains(banner, "password") {
			break
		}
	}
	go io.Copy(io.Discard, out)
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the demo ended with %v", err)
		}
	})
	_, address, _ = strings.Cut(banner, "Connector  ")
	address, _, _ = strings.Cut(address, "/mcp\n")
	return banner, address
}

// TestTheDemoSaysWhereItsPasswordIs: the password scrolled out of sight above the steps of seven
// clients, and the page that wants it did not tell where it is.
func TestTheDemoSaysWhereItsPasswordIs(t *testing.T) {
	t.Setenv(demoPasswordEnv, "a long enough password")
	banner, address := runDemo(t)
	lines := strings.Split(strings.TrimSpace(banner), "\n")
	if last := lines[len(lines)-1]; last != "Sign in as demo with the password in "+demoPasswordEnv {
		t.Errorf("the last line is %q, want no password where it would stay in a log", last)
	}
	d := &demo{password: "s3cret", passwordFrom: "file"}
	if got := d.passwordHint(true); got != "s3cret" {
		t.Errorf("a terminal gets %q, want the password", got)
	}
	for _, want := range []string{
		"    codex mcp add rialto --url " + address + "/mcp\n", // which logs in
		"    claude mcp add --transport http rialto " + address + "/mcp\n    claude mcp login rialto\n",
	} {
		if !strings.Contains(banner, want) {
			t.Errorf("got %s, want %q in it", banner, want)
		}
	}
	if len(lines) > 25 {
		t.Errorf("the greeting has %d lines, want 25 at most:\n%s", len(lines), banner)
	}
	if a, b := strings.Index(banner, "Claude Code"), strings.Index(banner, "ChatGPT"); a < 0 || b < a {
		t.Errorf("got %s, want the clients that reach this computer first", banner)
	}
	resp, err := http.Get(address + "/signin")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(page), `id="demo"`) {
		t.Errorf("the sign-in page has no hint: %s, %v", page, err)
	}
}

// TestVisitorsBehindATunnelHaveTheirOwnAddresses registers clients until the demo refuses more of
// one address. Behind a tunnel all visitors had one.
func TestVisitorsBehindATunnelHaveTheirOwnAddresses(t *testing.T) {
	taken := freeAddress(t)
	runDemo(t, "--url", "https://demo.example.com", "--listen", taken)
	register := func(visitor string) int {
		t.Helper()
		req, err := http.NewRequest("POST", "http://"+taken+"/register", strings.NewReader(`{"redirect_uris":["http://127.0.0.1/callback"],"client_name":"App"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "demo.example.com"
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Forwarded-For", visitor)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	n := 0
	for n < 1000 && register("203.0.113.1") == 201 {
		n++
	}
	if n == 0 || n == 1000 {
		t.Fatalf("%d clients of one visitor were registered, want a limit", n)
	}
	for i := range 5 {
		if status := register(fmt.Sprintf("198.51.100.%d", i)); status != 201 {
			t.Errorf("another visitor got %d", status)
		}
	}
}

// freeAddress returns an address of this machine at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
