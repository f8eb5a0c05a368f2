package e2e

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTheSystemdUnitStartsTheServer runs the command of deploy/systemd/rialto.service with its
// configuration, as systemd does: with the socket of rialto.socket, a socket for notifications and
// a watchdog. A request that arrives while the server restarts is answered by the next one.
func TestTheSystemdUnitStartsTheServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	u := newUnit(t, l.(*net.TCPListener))
	first := u.start(t)
	u.expect(t, "READY=1")
	u.expect(t, "WATCHDOG=1")
	answers(t, l)
	first.cmd.Process.Signal(syscall.SIGHUP)
	u.expect(t, "RELOADING=1")
	u.expect(t, "READY=1")
	first.end(t)
	u.expect(t, "STOPPING=1")

	answered := make(chan struct{})
	go func() {
		defer close(answered)
		answers(t, l)
	}()
	u.start(t)
	u.expect(t, "READY=1")
	<-answered
}

// TestTheUnitIsLinted has systemd read the units, and holds the unit to its exposure.
func TestTheUnitIsLinted(t *testing.T) {
	// Directories are named in rialto.yaml and in docs/operations.md (audit.stream). With its default limit
	// systemd gave up five seconds after PostgreSQL was away.
	for _, line := range []string{"StateDirectory=rialto", "LogsDirectory=rialto", "StartLimitIntervalSec=0"} {
		if !strings.Contains(deployed(t, "systemd/rialto.service"), "\n"+line+"\n") {
			t.Errorf("the unit has no %s", line)
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd-analyze here")
	}
	dir := t.TempDir()
	for _, name := range []string{"rialto.service", "rialto.socket"} {
		text := strings.ReplaceAll(deployed(t, "systemd/"+name), "/usr/bin/rialto", binary) // verify looks for the program
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	unit := filepath.Join(dir, "rialto.service")
	if out, err := exec.Command(analyze, "verify", unit, filepath.Join(dir, "rialto.socket")).CombinedOutput(); err != nil || strings.Contains(string(out), dir) {
		t.Errorf("systemd-analyze verify: %v: %s", err, out)
	}
	out, err := exec.Command(analyze, "security", "--offline=yes", "--threshold=15", unit).CombinedOutput()
	if err != nil {
		t.Errorf("more exposed than 1.5: %v: %s", err, out)
	}
}

// deployed returns a file of deploy.
func deployed(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// unit is what systemd does for a service.
type unit struct {
	args   []string
	socket *os.File
	notify string
	said   chan string
}

func newUnit(t *testing.T, l *net.TCPListener) *unit {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "rialto.yaml")
	text := strings.ReplaceAll(deployed(t, "systemd/rialto.yaml"), "/var/lib/rialto", dir)
	text = strings.ReplaceAll(text, "127.0.0.1:8080", l.Addr().String())
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	exec := regexp.MustCompile(`(?m)^ExecStart=/usr/bin/rialto (.*)$`).FindStringSubmatch(deployed(t, "systemd/rialto.service"))
	if exec == nil {
		t.Fatal("the unit has no ExecStart=/usr/bin/rialto")
	}
	socket, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	u := &unit{args: strings.Fields(strings.ReplaceAll(exec[1], "/etc/rialto/rialto.yaml", config)), socket: socket, notify: filepath.Join(dir, "notify"), said: make(chan string, 1000)}
	told, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: u.notify, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { told.Close(); socket.Close() })
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := told.Read(b)
			if err != nil {
				return
			}
			u.said <- string(b[:n])
		}
	}()
	return u
}

// start starts the service. The shell knows the process ID that systemd puts into LISTEN_PID.
func (u *unit) start(t *testing.T) *program {
	t.Helper()
	p := &program{cmd: exec.Command("/bin/sh", append([]string{"-c", `LISTEN_PID=$$ exec "$0" "$@"`, binary}, u.args...)...), log: &logBuffer{}, done: make(chan error, 1)}
	p.cmd.Env = []string{"HOME=" + t.TempDir(), "NOTIFY_SOCKET=" + u.notify, "WATCHDOG_USEC=200000", "LISTEN_FDS=1"}
	p.cmd.ExtraFiles = []*os.File{u.socket}
	p.launch(t)
	return p
}

// expect waits until the service says something. Signs of life may come before it.
func (u *unit) expect(t *testing.T, want string) {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case got := <-u.said:
			if got == want {
				return
			}
			if got != "WATCHDOG=1" {
				t.Fatalf("got %s, want %s", got, want)
			}
		case <-late:
			t.Fatalf("%s was not said", want)
		}
	}
}

// answers reads /readyz of the server behind a listener.
func answers(t *testing.T, l net.Listener) {
	t.Helper()
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get("http://" + l.Addr().String() + "/readyz")
	if err != nil {
		t.Error(err)
		return
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("got %s, want 200", resp.Status)
	}
}
