package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const (
	username = "demo"
	password = "correct horse battery staple"
)

// program is a running rialto.
type program struct {
	URL  string // the origin that it serves
	cmd  *exec.Cmd
	log  *logBuffer
	done chan error

	variables []string
}

// demo runs "rialto demo" on data, at addr or, when that is "", at a free
// port.
func demo(t *testing.T, data, addr string) *program {
	t.Helper()
	if addr == "" {
		addr = freeAddress(t)
	}
	p := start(t, addr, "demo", "--listen", addr, "--data", data)
	return p
}

// tableExpert runs "rialto tableexpert" at a free port.
func tableExpert(t *testing.T) *program {
	t.Helper()
	addr := freeAddress(t)
	return start(t, addr, "tableexpert", "--listen", addr)
}

// start runs rialto. It does not wait for silent agents when the test ends.
func start(t *testing.T, addr string, args ...string) *program {
	t.Helper()
	return startWith(t, addr, []string{"RIALTO_DRAIN_TIMEOUT=0s"}, args...)
}

// startWith is start with more variables.
func startWith(t *testing.T, addr string, variables []string, args ...string) *program {
	t.Helper()
	p := &program{URL: "http://" + addr, cmd: exec.Command(binary, args...), log: &logBuffer{}, done: make(chan error, 1)}
	p.cmd.Env = []string{"RIALTO_DEMO_PASSWORD=" + password, "HOME=" + t.TempDir(), "RIALTO_LOG__LEVEL=debug", "GOTRACEBACK=crash"}
	p.cmd.Env = append(p.cmd.Env, variables...)
	p.variables = variables
	p.launch(t)
	return p
}

// launch starts the prepared command and returns once it says that it is
// ready. It is stopped with the test.
func (p *program) launch(t *testing.T) {
	t.Helper()
	p.log.ready = make(chan struct{})
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.done <- p.cmd.Wait() }()
	t.Cleanup(func() { p.end(t) })
	select {
	case <-p.log.ready:
	case err := <-p.done:
		p.done <- err
		t.Fatalf("the program ended before it was ready:\n%s", p.log)
	case <-time.After(time.Minute):
		p.confess()
		t.Fatalf("the program was not ready in a minute:\n%s", p.log)
	}
}

// end asks the program to stop, as an operator would, and makes sure of it.
func (p *program) end(t *testing.T) {
	t.Helper()
	if p.cmd.ProcessState != nil {
		return
	}
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-p.done:
		if err != nil {
			t.Errorf("the program ended with %v:\n%s", err, p.log)
		}
	case <-time.After(time.Minute):
		p.confess()
		t.Errorf("the program did not stop in a minute:\n%s", p.log)
	}
}

// confess ends a program that hangs, which writes into its log what its goroutines are
// doing, those on a thread, too. What the system says of its threads comes before that:
// it polls tasks without wake-ups.
func (p *program) confess() {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", p.cmd.Process.Pid)) // none but on Linux
	for _, thread := range threads {
		stat, _ := os.ReadFile(filepath.Join(thread, "stat"))
		place, _ := os.ReadFile(filepath.Join(thread, "wchan"))
		fmt.Fprintf(p.log, "thread %.40s waits at %s\n", stat, place)
	}
	p.cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case err := <-p.done:
		p.done <- err
	case <-time.After(10 * time.Second):
		p.cmd.Process.Kill()
	}
}

// kill ends the program without a warning, as a crash does.
func (p *program) kill() {
	p.cmd.Process.Kill()
	<-p.done
}

// freeAddress returns an address on which nothing listens. Its port is below the range
// that the system assigns, and is returned once: no other process takes it before the
// program does, or while the program is down.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		addr := fmt.Sprintf("127.0.0.1:%d", 10_000+(ports.first+ports.tried.Add(1))%20_000)
		if l, err := net.Listen("tcp", addr); err == nil {
			l.Close()
			return addr
		}
	}
	t.Fatal("there is no free port")
	return ""
}

// listen takes an address that was free a moment ago. A process that is being
// started has a copy of each of our sockets until it runs its own program, so a
// port that was closed may be in use for some milliseconds more.
func listen(t *testing.T, addr string) net.Listener {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; runtime.Gosched() {
		l, err := net.Listen("tcp", addr)
		if err == nil {
			return l
		}
		if !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// ports are those that were tried. Other runs begin with another.
var ports = struct {
	first uint32
	tried atomic.Uint32
}{first: rand.Uint32N(20_000)}

// logBuffer keeps what a program says, to be shown when a test fails, and
// closes ready when the program says that it is.
type logBuffer struct {
	mu    sync.Mutex
	b     bytes.Buffer
	ready chan struct{}
	said  bool
	wrote chan struct{} // closed by the next write; nil unless wait waits
}

// wait returns once the program has said text.
func (l *logBuffer) wait(t *testing.T, text string) {
	t.Helper()
	late := time.After(20 * time.Second)
	for read := 0; ; {
		l.mu.Lock()
		if bytes.Contains(l.b.Bytes()[max(0, read-len(text)):], []byte(text)) {
			l.mu.Unlock()
			return
		}
		read = l.b.Len()
		wrote := make(chan struct{})
		l.wrote = wrote
		l.mu.Unlock()
		select {
		case <-wrote:
		case <-late:
			t.Fatalf("the program has not said %q:\n%s", text, tail(l.String(), 4000))
		}
	}
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Write(p)
	if l.wrote != nil {
		close(l.wrote)
		l.wrote = nil
	}
	if l.said {
		return len(p), nil
	}
	if text := l.b.String(); strings.Contains(text, "is ready") || strings.Contains(text, "listens") {
		l.said = true
		close(l.ready)
	}
	return len(p), nil
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// setupCode reads the setup code from the file that the log names.
func (p *program) setupCode(t *testing.T) string {
	t.Helper()
	file := regexp.MustCompile(`the setup code in (\S+), until`).FindStringSubmatch(p.log.String())
	if file == nil {
		t.Fatalf("no setup code was announced:\n%s", p.log)
	}
	code, err := os.ReadFile(file[1])
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(code))
}
