package e2e

import (
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
)

// What a server may take with a database that says nothing: to give up its start, and
// to end on SIGTERM. An orchestrator waits for half a minute.
const (
	startsWithin = 45 * time.Second
	endsWithin   = 25 * time.Second
)

// TestADatabaseThatFallsSilentKeepsNoServer has PostgreSQL say nothing more while
// tasks run. The server ends on SIGTERM, and says what it was waiting for.
func TestADatabaseThatFallsSilentKeepsNoServer(t *testing.T) {
	t.Parallel()
	v := newValve(t, oauthtest.PostgresSchema(t))
	w := &world{agent: newCountingAgent(t), handles: map[string]given{}}
	w.serve(t, v.dsn, 1)
	for range 20 {
		args := map[string]any{"message": fmt.Sprint("long ", w.last.Add(1)), "wait": 0}
		if err := w.send(t.Context(), w.servers[0], args, false); err != nil {
			t.Fatal(err)
		}
	}
	v.shut()
	p := w.servers[0]
	if took := p.stop(); took > endsWithin {
		t.Errorf("the server ended after %s", took)
	}
	if !strings.Contains(p.log.String(), `"msg":"still waiting","for":"background jobs"`) {
		t.Errorf("the server said:\n%s", p.log)
	}
}

// TestAConnectionThatHangsKeepsNoServer starts servers on a PostgreSQL that lets some
// connections in and then no more: each is ready or gives up, and says so.
func TestAConnectionThatHangsKeepsNoServer(t *testing.T) {
	t.Parallel()
	dsn := oauthtest.PostgresSchema(t)
	w := &world{agent: newCountingAgent(t), handles: map[string]given{}}
	w.serve(t, dsn, 1)
	w.servers[0].end(t) // its tables and its secret stay
	for most := range 5 {
		t.Run(fmt.Sprint(most, " connections"), func(t *testing.T) {
			t.Parallel()
			v := newValve(t, dsn)
			v.most = most
			p := w.servers[0].on(v.dsn, freeAddress(t))
			select {
			case <-p.log.ready:
			case err := <-p.done:
				p.done <- err
				if !strings.Contains(p.log.String(), "rialto: ") || !strings.Contains(p.log.String(), "still waiting") {
					t.Errorf("the server gave up and said:\n%s", p.log)
				}
			case <-time.After(startsWithin):
				t.Errorf("the server is neither ready nor has it given up; it said:\n%s", p.log)
			}
			if took := p.stop(); took > endsWithin {
				t.Errorf("the server ended after %s", took)
			}
		})
	}
}

// on starts the program of p with another database and address.
func (p *program) on(dsn, addr string) *program {
	args := append(p.cmd.Args[1:len(p.cmd.Args)-1:len(p.cmd.Args)-1], addr, "--database", dsn) // the last is its address
	next := &program{URL: "http://" + addr, cmd: exec.Command(binary, args...), log: &logBuffer{ready: make(chan struct{})}, done: make(chan error, 1)}
	next.cmd.Env, next.cmd.Stdout, next.cmd.Stderr = p.cmd.Env, next.log, next.log
	if err := next.cmd.Start(); err != nil {
		next.done <- err
		return next
	}
	go func() { next.done <- next.cmd.Wait() }()
	return next
}

// stop tells the program to end and returns how long that took, or that it took too
// long.
func (p *program) stop() time.Duration {
	begun := time.Now()
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-p.done:
		p.done <- err
	case <-time.After(3 * endsWithin):
		p.confess()
	}
	return time.Since(begun)
}

// valve stands before a database. It lets most connections through, or any number if
// that is negative, and says nothing on the others; when it is shut, on none.
type valve struct {
	dsn    string // that leads through it
	to     string
	most   int
	closed chan struct{}

	mu    sync.Mutex
	taken []net.Conn
}

func newValve(t *testing.T, dsn string) *valve {
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	v := &valve{to: u.Host, most: -1, closed: make(chan struct{})}
	u.Host = l.Addr().String()
	v.dsn = u.String()
	t.Cleanup(func() {
		l.Close()
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, c := range v.taken {
			c.Close()
		}
	})
	go v.serve(l)
	return v
}

func (v *valve) serve(l net.Listener) {
	for n := 0; ; n++ {
		c, err := l.Accept()
		if err != nil {
			return
		}
		v.keep(c)
		if v.most >= 0 && n >= v.most {
			continue
		}
		d, err := net.Dial("tcp", v.to)
		if err != nil {
			c.Close()
			continue
		}
		v.keep(d)
		go v.pass(c, d)
		go v.pass(d, c)
	}
}

// keep has c closed with the test: one that is forgotten would be closed earlier.
func (v *valve) keep(c net.Conn) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.taken = append(v.taken, c)
}

// pass passes on what comes from one side until the valve is shut.
func (v *valve) pass(from, to net.Conn) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		select {
		case <-v.closed:
			return
		default:
		}
		if _, failed := to.Write(b[:n]); err != nil || failed != nil {
			from.Close()
			to.Close()
			return
		}
	}
}

func (v *valve) shut() { close(v.closed) }
