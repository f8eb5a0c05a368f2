package directhttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestOnlyWhatIsPlainGoesThisWay changes one thing of a request that does.
func TestOnlyWhatIsPlainGoesThisWay(t *testing.T) {
	for name, change := range map[string]func(*http.Request){
		"another scheme":         func(r *http.Request) { r.URL.Scheme = "https" },
		"another method":         func(r *http.Request) { r.Method = http.MethodPut },
		"a host that is no name": func(r *http.Request) { r.URL.Host = "bücher.example" },
		"no host":                func(r *http.Request) { r.URL.Host = "" },
		"a large body":           func(r *http.Request) { r.ContentLength = 1<<15 + 1 },
		"a body without an end":  func(r *http.Request) { r.ContentLength = -1 },
		"a body that is read":    func(r *http.Request) { r.GetBody = nil },
		"a question with a body": func(r *http.Request) { r.Method = http.MethodGet },
		"the last":               func(r *http.Request) { r.Close = true },
		"chunks":                 func(r *http.Request) { r.TransferEncoding = []string{"chunked"} },
		"a trailer":              func(r *http.Request) { r.Trailer = http.Header{"X": nil} },
		"no header":              func(r *http.Request) { r.Header = nil },
		"an upgrade":             func(r *http.Request) { r.Header.Set("Connection", "upgrade") },
		"a condition":            func(r *http.Request) { r.Header.Set("Expect", "100-continue") },
		"a part":                 func(r *http.Request) { r.Header.Set("Range", "bytes=0-1") },
		"a language of its own":  func(r *http.Request) { r.Header.Set("Accept-Encoding", "br") },
		"two lines in a header":  func(r *http.Request) { r.Header.Set("X", "y\r\nZ: z") },
		"a blank in a name":      func(r *http.Request) { r.Header["X y"] = []string{"z"} },
		"a name in lower case":   func(r *http.Request) { r.Header["connection"] = []string{"close"} },
	} {
		t.Run(name, func(t *testing.T) {
			req := post(t, t.Context(), "http://agent/", "x")
			if !direct(t).Takes(req) {
				t.Fatal("a plain request does not go this way")
			}
			if change(req); direct(t).Takes(req) {
				t.Error("it does go this way")
			}
		})
	}
}

func TestWhatGoesThroughAProxyDoesNotGoThisWay(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.RequestURI) }))
	defer proxy.Close()
	d := direct(t)
	d.Next.Proxy = func(r *http.Request) (*url.URL, error) {
		if r.URL.Host == "broken" {
			return nil, errors.New("no proxy")
		}
		return url.Parse(proxy.URL)
	}
	if got, err := call(d, post(t, t.Context(), "http://agent/x", "x")); err != nil || got != "http://agent/x" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := call(d, post(t, t.Context(), "http://broken/", "x")); err == nil {
		t.Error("it was sent without its proxy")
	}
}

func TestAnInvalidHeaderIsRefused(t *testing.T) {
	p := serve(t, func(v *visit) { v.read(); v.say(hello) })
	req := post(t, t.Context(), p.url, "x")
	req.Header.Set("Authorization", "Bearer a\r\nX: y")
	if _, err := call(direct(t), req); err == nil {
		t.Error("it was sent")
	}
}

func TestARequestIsNotChanged(t *testing.T) {
	p := serve(t, func(v *visit) { v.read(); v.say(hello) })
	req := post(t, t.Context(), p.url, "x")
	wantHello(t, direct(t), req)
	if len(req.Header) != 1 {
		t.Errorf("got %v", req.Header)
	}
}

// TestAnAnswerMayComeEarly has the peer write more than fits between the two ends
// before it reads.
func TestAnAnswerMayComeEarly(t *testing.T) {
	p := serve(t, func(v *visit) {
		v.say(sized("", strings.Repeat("x", 8<<20)))
		v.read()
		v.gone()
	})
	d := direct(t)
	got, err := call(d, post(t, t.Context(), p.url, strings.Repeat("y", 1<<15)))
	if err != nil || len(got) != 8<<20 {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func TestATraceIsToldOfAConnectionThatIsKept(t *testing.T) {
	p := serve(t, func(v *visit) { v.read(); v.say(hello); v.gone() })
	kept := 0
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{PutIdleConn: func(err error) {
		if err == nil {
			kept++
		}
	}})
	wantHello(t, direct(t), post(t, ctx, p.url, "x"))
	if kept != 1 {
		t.Errorf("it was told %d times", kept)
	}
}

// TestManyAtOnce has many call at one time, give up at any point, and read streams.
// Each gets the answer to its own call, and nothing is left of them.
func TestManyAtOnce(t *testing.T) {
	before := runtime.NumGoroutine()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/stream" {
			for range 20 {
				_, _ = w.Write(b)
				w.(http.Flusher).Flush()
			}
			return
		}
		_, _ = w.Write(b)
	}))
	d := direct(t)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for n := range 100 {
				converse(t, d, web.URL, fmt.Sprintf("%d and %d", i, n), n)
			}
		})
	}
	all.Wait()
	d.CloseIdleConnections()
	web.Close()
	eventually(t, "all have ended", func() bool { return runtime.NumGoroutine() <= before })
}

// converse makes the nth call of a caller, as its number has it.
func converse(t *testing.T, d http.RoundTripper, url, said string, n int) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	switch n % 5 {
	case 0: // gives up at some point
		go cancel()
		if got, err := call(d, post(t, ctx, url, said)); err == nil && got != said {
			t.Errorf("got %q, want %q", got, said)
		}
	case 1: // leaves a stream
		resp, err := d.RoundTrip(post(t, ctx, url+"/stream", said))
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.ReadFull(resp.Body, make([]byte, len(said)+n))
		resp.Body.Close()
	case 2:
		if got, err := call(d, post(t, ctx, url+"/stream", said)); err != nil || got != strings.Repeat(said, 20) {
			t.Errorf("got %q, %v, want it 20 times: %q", got, err, said)
		}
	default:
		if got, err := call(d, post(t, ctx, url, said)); err != nil || got != said {
			t.Errorf("got %q, %v, want %q", got, err, said)
		}
	}
}
