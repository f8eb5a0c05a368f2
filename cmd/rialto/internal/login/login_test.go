package login_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/cmd/rialto/internal/login"
)

// The variables with which this test runs itself as one of many processes.
const (
	childURL  = "LOGIN_TEST_URL"
	childFile = "LOGIN_TEST_FILE"
)

func TestMain(m *testing.M) {
	if os.Getenv(childURL) != "" {
		child()
		return
	}
	os.Exit(m.Run())
}

// child asks the server at each time that it reads, and writes what it got.
func child() {
	var now time.Time
	l := &login.Login{
		URL: os.Getenv(childURL), File: os.Getenv(childFile), Err: os.Stderr, Attended: true,
		Now: func() time.Time { return now },
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		seconds, _ := strconv.ParseInt(in.Text(), 10, 64)
		now = time.Unix(seconds, 0)
		fmt.Println(got(l))
	}
}

// got returns what the server answers.
func got(l *login.Login) string { return gotAt(l, "") }

func gotAt(l *login.Login, query string) string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, _ := http.NewRequestWithContext(ctx, "POST", l.URL+query, strings.NewReader("{}"))
	resp, err := l.Client().Do(r)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return string(body)
}

// process is this test as another process.
type process struct {
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Scanner
	err *said
}

// said is what is written to standard error.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.Reset()
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

var link = regexp.MustCompile(`http://\S+/authorize\S+`)

// visit waits for the link to the page of the login, and opens it.
func (s *said) visit(t *testing.T) {
	t.Helper()
	for range 400 {
		if page := link.FindString(s.String()); page != "" {
			resp, err := http.Get(page)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			return
		}
		time.Sleep(25 * time.Millisecond) // another process
	}
	t.Fatalf("no link came; it said %q", s)
}

func start(t *testing.T, a *authority, file string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0]), err: &said{}}
	p.cmd.Env = append(os.Environ(), childURL+"="+a.URL+"/mcp", childFile+"="+file)
	p.cmd.Stderr = p.err
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in = in
	p.out = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); p.cmd.Wait() })
	return p
}

func (p *process) ask(a *authority) { fmt.Fprintln(p.in, a.clock.Load()) }

func (p *process) answer() string {
	p.out.Scan()
	return p.out.Text()
}

// loggedIn returns the file of a login.
func loggedIn(t *testing.T, a *authority) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "data", "logins.json")
	out := &said{}
	done := make(chan string)
	go func() { done <- got(a.login(file, out)) }()
	out.visit(t)
	if answer := <-done; answer != "hello" {
		t.Fatal(answer)
	}
	return file
}

func (a *authority) login(file string, out io.Writer) *login.Login {
	now := func() time.Time { return time.Unix(a.clock.Load(), 0) }
	return &login.Login{URL: a.URL + "/mcp", File: file, Err: out, Attended: true, Now: now}
}

func TestTwentyProcessesShareALoginForFourHours(t *testing.T) {
	a := newAuthority(t)
	a.nonces = true
	file := loggedIn(t, a)
	var all []*process
	for range 20 {
		all = append(all, start(t, a, file))
	}
	for range 4 * 20 {
		a.clock.Add(3 * 60)
		for _, p := range all {
			p.ask(a)
		}
		for _, p := range all {
			if answer := p.answer(); answer != "hello" {
				t.Fatalf("got %q", answer)
			}
		}
	}
	t.Logf("%d renewals", a.renewals.Load())
	if a.pages.Load() != 1 || a.reused.Load() != 0 || a.most.Load() != 1 || a.renewals.Load() > 4*3600/(life-180)+1 {
		t.Errorf("got %d logins, %d reused tokens, %d renewals of which %d at once",
			a.pages.Load(), a.reused.Load(), a.renewals.Load(), a.most.Load())
	}
	info, err := os.Stat(file)
	left, _ := filepath.Glob(file + ".new*")
	if err != nil || info.Mode().Perm() != 0o600 || len(left) > 0 {
		t.Errorf("got %v %v, and left %v", info.Mode(), err, left)
	}
}

func TestEightProcessesRenewAnExpiredTokenOnce(t *testing.T) {
	a := newAuthority(t)
	file := loggedIn(t, a)
	var all []*process
	for range 8 {
		all = append(all, start(t, a, file))
	}
	a.clock.Add(2 * life)
	for _, p := range all {
		p.ask(a)
	}
	for _, p := range all {
		if answer := p.answer(); answer != "hello" {
			t.Errorf("got %q", answer)
		}
	}
	if a.renewals.Load() != 1 || a.pages.Load() != 1 {
		t.Errorf("got %d renewals, %d logins", a.renewals.Load(), a.pages.Load())
	}
}

func TestTwoProcessesOpenOneBrowser(t *testing.T) {
	a := newAuthority(t)
	file := filepath.Join(t.TempDir(), "logins.json")
	first := start(t, a, file)
	first.ask(a)
	for link.FindString(first.err.String()) == "" {
		time.Sleep(25 * time.Millisecond) // another process
	}
	second := start(t, a, file)
	second.ask(a)
	first.err.visit(t)
	for _, p := range []*process{first, second} {
		if answer := p.answer(); answer != "hello" {
			t.Errorf("got %q", answer)
		}
	}
	if second.err.String() != "" || a.pages.Load() != 1 {
		t.Errorf("the second said %s; %d logins", second.err, a.pages.Load())
	}
}

// TestAProcessThatDiesLeavesTheBrowserToAnother kills the first of two processes, as Claude Desktop does.
func TestAProcessThatDiesLeavesTheBrowserToAnother(t *testing.T) {
	a := newAuthority(t)
	file := filepath.Join(t.TempDir(), "logins.json")
	first := start(t, a, file)
	first.ask(a)
	for link.FindString(first.err.String()) == "" {
		time.Sleep(25 * time.Millisecond) // another process
	}
	second := start(t, a, file)
	second.ask(a)
	first.cmd.Process.Kill()
	second.err.visit(t)
	if answer := second.answer(); answer != "hello" {
		t.Errorf("got %q", answer)
	}
}

func TestARenewalThatIsKilledHoldsUpNobody(t *testing.T) {
	a := newAuthority(t)
	file := loggedIn(t, a)
	a.clock.Add(2 * life)
	a.hang.Store(true)
	p := start(t, a, file)
	p.ask(a)
	<-a.hanging
	p.cmd.Process.Kill()
	p.cmd.Wait()
	a.hang.Store(false)
	if answer := got(a.login(file, io.Discard)); answer != "hello" || a.pages.Load() != 1 {
		t.Errorf("got %q, %d logins", answer, a.pages.Load())
	}
}

// TestAnEarlyRenewalThatFailsCostsNothing has a token for another minute.
func TestAnEarlyRenewalThatFailsCostsNothing(t *testing.T) {
	for _, final := range []bool{false, true} {
		a := newAuthority(t)
		file := loggedIn(t, a)
		l := a.login(file, io.Discard)
		a.clock.Add(life - 30)
		a.refuse.Store(final)
		a.down.Store(!final)
		for range 2 {
			if answer := got(l); answer != "hello" {
				t.Errorf("final %v: got %q", final, answer)
			}
		}
		a.refuse.Store(false)
		a.down.Store(false)
		a.clock.Add(life)
		if answer := got(a.login(file, io.Discard)); answer != "hello" || a.pages.Load() != 1 {
			t.Errorf("final %v: got %q, %d logins", final, answer, a.pages.Load())
		}
	}
}

func TestALostLoginIsMadeAnew(t *testing.T) {
	a := newAuthority(t)
	file := loggedIn(t, a)
	a.clock.Add(2 * life)
	a.refuse.Store(true)
	out := &said{}
	done := make(chan string)
	go func() { done <- got(a.login(file, out)) }()
	out.visit(t)
	if answer := <-done; answer != "hello" || a.pages.Load() != 2 {
		t.Errorf("got %q, %d logins", answer, a.pages.Load())
	}
}

// TestMoreScopesAreAskedForBesideTheFirst calls what needs a scope more, soon after the login.
func TestMoreScopesAreAskedForBesideTheFirst(t *testing.T) {
	a := newAuthority(t)
	out := &said{}
	l := a.login(filepath.Join(t.TempDir(), "logins.json"), out)
	done := make(chan string)
	for _, scope := range []string{"", "more", "most"} {
		out.reset()
		go func() { done <- gotAt(l, "?scope="+scope) }()
		out.visit(t)
		if answer := <-done; answer != "hello" {
			t.Errorf("%s: got %q", scope, answer)
		}
	}
	if a.scope != "more most tools" || a.pages.Load() != 3 {
		t.Errorf("got the scope %q after %d logins", a.scope, a.pages.Load())
	}
}

func TestALoginThatIsPendingNamesItsLink(t *testing.T) {
	a := newAuthority(t)
	l := a.login(filepath.Join(t.TempDir(), "logins.json"), io.Discard)
	l.Patience = time.Minute // but there is no browser
	_, err := l.Client().Get(l.URL)
	pending, ok := errors.AsType[*login.PendingError](err)
	if !ok || !errors.Is(err, login.ErrRequired) || link.FindString(pending.Link) == "" {
		t.Fatalf("got %v", err)
	}
	resp, err := http.Get(pending.Link)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if answer := got(l); answer != "hello" {
		t.Errorf("got %q", answer)
	}
}

// TestALoginThatWasGoodIsMadeAnew ends a login soon after it was made and used, at a server whose challenge
// is always the same. The process once took that for the login that had just been made, and failed for
// ten minutes.
func TestALoginThatWasGoodIsMadeAnew(t *testing.T) {
	a := newAuthority(t)
	out := &said{}
	l := a.login(filepath.Join(t.TempDir(), "logins.json"), out)
	done := make(chan string)
	for range 2 {
		out.reset()
		go func() { done <- got(l) }()
		out.visit(t)
		if answer := <-done; answer != "hello" {
			t.Fatalf("got %q", answer)
		}
		a.mu.Lock()
		a.access = ""
		a.mu.Unlock()
		a.refuse.Store(true)
	}
}

// TestForgettingWaitsForARenewal forgets the login while another request renews it, which once stored it
// again.
func TestForgettingWaitsForARenewal(t *testing.T) {
	a := newAuthority(t)
	file := loggedIn(t, a)
	a.clock.Add(life - 1)
	a.mu.Lock() // the token endpoint waits
	renewed := make(chan string)
	go func() { renewed <- got(a.login(file, io.Discard)) }()
	for a.atOnce.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	forgot := make(chan error, 1)
	go func() {
		_, err := a.login(file, io.Discard).Forget()
		forgot <- err
	}()
	var err error
	select {
	case err = <-forgot:
		a.mu.Unlock()
	case <-time.After(200 * time.Millisecond):
		a.mu.Unlock()
		err = <-forgot
	}
	<-renewed
	had, again := a.login(file, io.Discard).Forget()
	if err != nil || again != nil || had {
		t.Errorf("got %v, %v; the login was there again: %v", err, again, had)
	}
}

// TestMetadataOfAnotherResourceAreRefused: a token for /mcp is not one for /mcp/sales, whose server may
// have no metadata of its own.
func TestMetadataOfAnotherResourceAreRefused(t *testing.T) {
	for resource, good := range map[string]bool{
		"/mcp/sales": true, "/mcp/sales/": true, "": true, "/": true,
		"/mcp": false, "/mc": false, "/mcp/sales/x": false,
	} {
		var srv *httptest.Server
		srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource") {
				answer(w, 200, map[string]any{"resource": srv.URL + resource, "authorization_servers": []string{srv.URL}})
				return
			}
			w.WriteHeader(http.StatusUnauthorized)
		}))
		l := &login.Login{
			URL: srv.URL + "/mcp/sales", File: filepath.Join(t.TempDir(), "logins.json"), Err: io.Discard, Attended: true,
		}
		if said := got(l); strings.Contains(said, "is about") == good {
			t.Errorf("%q: got %s", resource, said)
		}
		srv.Close()
	}
}
