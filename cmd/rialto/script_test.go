package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rialto": main})
}

// TestScripts runs testdata/*.txtar: what a user types, and what is answered.
func TestScripts(t *testing.T) {
	var calls sync.Map // listeners by address
	var tried atomic.Uint32
	first := rand.Uint32N(20_000) // of the ports that are tried; other runs begin with another
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			// With the race detector each command would sleep for a second before it exits.
			e.Setenv("GORACE", "atexit_sleep_ms=50")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// occupy VAR listens on a port and puts its address into VAR.
			"occupy": func(ts *testscript.TestScript, neg bool, args []string) {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				ts.Check(err)
				ts.Defer(func() { l.Close() })
				ts.Setenv(args[0], l.Addr().String())
			},
			// silent VAR listens as well, and takes calls that it never answers;
			// called VAR waits for the first.
			"silent": func(ts *testscript.TestScript, neg bool, args []string) {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				ts.Check(err)
				ts.Defer(func() { l.Close() })
				ts.Setenv(args[0], l.Addr().String())
				calls.Store(l.Addr().String(), l)
			},
			"called": func(ts *testscript.TestScript, neg bool, args []string) {
				l, _ := calls.Load(ts.Getenv(args[0]))
				c, err := l.(net.Listener).Accept()
				ts.Check(err)
				ts.Defer(func() { c.Close() })
			},
			// free VAR puts a free address into VAR. Its port is below those that the
			// system gives to callers who ask for any port, as other tests do, and is
			// given out once, so that no test takes it before the program.
			"free": func(ts *testscript.TestScript, neg bool, args []string) {
				for range 100 {
					addr := fmt.Sprintf("127.0.0.1:%d", 10_000+(first+tried.Add(1))%20_000)
					if l, err := net.Listen("tcp", addr); err == nil {
						l.Close()
						ts.Setenv(args[0], addr)
						return
					}
				}
				ts.Fatalf("there is no free port")
			},
			// healthy ADDR waits until the server there can serve.
			"healthy": func(ts *testscript.TestScript, neg bool, args []string) {
				answers := func() bool {
					resp, err := http.Get("http://" + args[0] + "/healthz")
					if err == nil {
						resp.Body.Close()
					}
					return err == nil
				}
				if !poll(50*time.Millisecond, time.Minute, answers) {
					ts.Fatalf("%s does not answer", args[0])
				}
			},
			// hangup sends SIGHUP to what runs in the background.
			"hangup": func(ts *testscript.TestScript, neg bool, args []string) {
				for _, c := range ts.BackgroundCmds() {
					ts.Check(c.Process.Signal(syscall.SIGHUP))
				}
			},
			// answers ADDR PATH STATUS waits until the server answers with a status.
			"answers": func(ts *testscript.TestScript, neg bool, args []string) {
				answers := func() bool {
					resp, err := http.Get("http://" + args[0] + args[1])
					if err == nil {
						resp.Body.Close()
					}
					return err == nil && fmt.Sprint(resp.StatusCode) == args[2]
				}
				if !poll(10*time.Millisecond, 10*time.Second, answers) {
					ts.Fatalf("%s%s does not answer %s", args[0], args[1], args[2])
				}
			},
			// site VAR DIR FILE serves what is in DIR, puts its address into VAR,
			// and writes it into FILE in the place of $VAR.
			"site": func(ts *testscript.TestScript, neg bool, args []string) {
				web := httptest.NewServer(http.FileServer(http.Dir(ts.MkAbs(args[1]))))
				ts.Defer(web.Close)
				ts.Setenv(args[0], web.URL)
				for _, name := range args[2:] {
					text := strings.ReplaceAll(ts.ReadFile(name), "$"+args[0], web.URL)
					ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
				}
			},
			// private FILE fails unless only its owner may read it.
			"private": func(ts *testscript.TestScript, neg bool, args []string) {
				info, err := os.Stat(ts.MkAbs(args[0]))
				ts.Check(err)
				if perm := info.Mode().Perm(); perm&0o077 != 0 {
					ts.Fatalf("%s has mode %v", args[0], perm)
				}
			},
		},
	})
}

// poll calls done until it returns true, for what other processes do. It reports whether that was
// within the timeout.
func poll(interval, timeout time.Duration, done func() bool) bool {
	late := time.After(timeout)
	for !done() {
		select {
		case <-time.After(interval):
		case <-late:
			return false
		}
	}
	return true
}
