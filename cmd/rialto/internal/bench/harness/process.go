package harness

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// CPUTime returns how long a process has computed so far. The kernel counts
// other processes in hundredths of a second.
func CPUTime(pid int) (time.Duration, error) {
	if pid == os.Getpid() {
		var u syscall.Rusage
		err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, errUser := strconv.Atoi(fields[11])
	system, errSystem := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, errors.Join(errUser, errSystem)
}

// Memory returns the resident memory of a process now and at its peak, in
// bytes; zero if the process is gone.
func Memory(pid int) (now, peak int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // a process that is gone has none
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			now = kib << 10
		case "VmHWM":
			peak = kib << 10
		}
	}
	return now, peak
}

// Process is a server that runs as a child of this process.
type Process struct {
	Addr   string
	cmd    *exec.Cmd
	stderr bytes.Buffer
}

// Start runs a command and waits until it accepts connections at addr.
func Start(ctx context.Context, addr string, cmd *exec.Cmd) (*Process, error) {
	p := &Process{Addr: addr, cmd: cmd}
	cmd.Stderr = &p.stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for range 200 {
		if c, err := net.Dial("tcp", addr); err == nil {
			return p, c.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
	p.Stop()
	return nil, fmt.Errorf("no answer at %s: %s", addr, &p.stderr)
}

// StartSelf runs this program with the given arguments and the address at
// which it has to serve as the last one.
func StartSelf(ctx context.Context, args ...string) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	addr, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	return Start(ctx, addr, exec.Command(self, append(args, addr)...))
}

// PID returns the process ID, for Run and Memory.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stop kills the process and waits for its end.
func (p *Process) Stop() {
	_ = p.cmd.Process.Kill() // it may have ended
	_ = p.cmd.Wait()         // it was killed
}

// FreeAddress returns a loopback address on which nothing listens.
func FreeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// Token is the bearer token that Guarded accepts.
const Token = "a-constant-token"

// Guarded requires Token, as the least that a protected server must check.
func Guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(got), []byte(Token)) != 1 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
