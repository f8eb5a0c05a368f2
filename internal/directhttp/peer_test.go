package directhttp_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/internal/directhttp"
)

// behind returns what carries the rest, with the limits of the tests.
func behind() *http.Transport {
	return &http.Transport{
		DialContext:            (&net.Dialer{Timeout: time.Minute}).DialContext,
		ResponseHeaderTimeout:  time.Minute,
		MaxResponseHeaderBytes: 64 << 10,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        time.Minute,
	}
}

func direct(t testing.TB) *directhttp.Transport {
	d := &directhttp.Transport{Next: behind()}
	t.Cleanup(d.CloseIdleConnections)
	return d
}

// peer is a server that says what its script says, be it HTTP or not.
type peer struct {
	net.Listener
	url string

	mu    sync.Mutex
	conns int
	got   []string // the requests as they came
}

// visit is a connection of a peer, of which it is the nth.
type visit struct {
	net.Conn
	p  *peer
	n  int
	in *bufio.Reader
}

// serve runs script for each connection, and closes it then.
func serve(t *testing.T, script func(v *visit)) *peer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{Listener: l, url: "http://" + l.Addr().String()}
	var running sync.WaitGroup
	t.Cleanup(running.Wait)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.mu.Lock()
			p.conns++
			v := &visit{Conn: c, p: p, n: p.conns, in: bufio.NewReader(c)}
			p.mu.Unlock()
			running.Go(func() {
				defer c.Close()
				script(v)
			})
		}
	}()
	return p
}

// read reads one request, and reports whether there was one.
func (v *visit) read() bool {
	var all strings.Builder
	req, err := http.ReadRequest(bufio.NewReader(io.TeeReader(oneByOne{v.in}, &all)))
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, req.Body)
	v.p.mu.Lock()
	defer v.p.mu.Unlock()
	v.p.got = append(v.p.got, all.String())
	return err == nil
}

// oneByOne keeps what reads ahead from reading what belongs to the next.
type oneByOne struct{ io.Reader }

func (o oneByOne) Read(p []byte) (int, error) { return o.Reader.Read(p[:1]) }

func (v *visit) say(s string) { _, _ = io.WriteString(v, s) }

// gone waits until the other side has hung up.
func (v *visit) gone() { _, _ = io.Copy(io.Discard, v.in) }

// seen returns how many connections there were, and the requests.
func (p *peer) seen() (conns int, requests []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conns, append([]string(nil), p.got...)
}

const hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

func post(t testing.TB, ctx context.Context, url, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return req
}

func get(t *testing.T, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// call makes a call and returns the body of the answer.
func call(rt http.RoundTripper, req *http.Request) (string, error) {
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

// wantHello makes a call that has to go well.
func wantHello(t *testing.T, rt http.RoundTripper, req *http.Request) {
	t.Helper()
	if got, err := call(rt, req); err != nil || got != "hello" {
		t.Fatalf("got %q, %v, want hello", got, err)
	}
}

// eventually waits until cond holds.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !cond(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("it did not come about that " + what)
		}
	}
}
