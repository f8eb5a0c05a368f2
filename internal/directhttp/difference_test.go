package directhttp_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"rialto/internal/directhttp"
)

// outcome is what a caller sees of an answer.
type outcome struct {
	Status, Proto, Body string
	Header              string
	Length              int64
	Unzipped            bool
	Failed              string // when the call failed, and of what
}

// observed makes a call and says what came of it.
func observed(rt http.RoundTripper, req *http.Request) outcome {
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return outcome{Failed: "before the answer: " + kind(err)}
	}
	defer resp.Body.Close()
	var header strings.Builder
	_ = resp.Header.Write(&header)
	b, err := io.ReadAll(resp.Body)
	o := outcome{Status: resp.Status, Proto: resp.Proto, Body: string(b), Header: header.String(), Length: resp.ContentLength, Unzipped: resp.Uncompressed}
	if err != nil {
		o.Failed = "in the body: " + kind(err)
	}
	return o
}

// kind is what callers tell errors by.
func kind(err error) string {
	for _, known := range []error{io.ErrUnexpectedEOF, io.EOF, gzip.ErrHeader} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "something else"
}

func zip(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, s)
	z.Close()
	return b.String()
}

func sized(header, body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s", header, len(body), body)
}

// answers are what peers say to a request. After those that say so they go on to
// the next request, and else they close.
var answers = []struct {
	name  string
	bytes string
	goOn  bool
}{
	{"a length", hello, true},
	{"a large body", sized("Content-Type: text/plain\r\n", strings.Repeat("x", 1<<20)), true},
	{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n", true},
	{"chunks and a trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n", true},
	{"no chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", true},
	{"chunks and a length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", true},
	{"an empty body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true},
	{"204", "HTTP/1.1 204 No Content\r\n\r\n", true},
	{"304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", true},
	{"an error", "HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno", true},
	{"no words for the status", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", true},
	{"a redirect", "HTTP/1.1 307 Over there\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", true},
	{"100 before", "HTTP/1.1 100 Continue\r\n\r\n" + hello, true},
	{"103 twice before", strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", 2) + hello, true},
	{"a header twice", "HTTP/1.1 401 No\r\nWww-Authenticate: a\r\nWWW-Authenticate: b\r\nContent-Length: 0\r\n\r\n", true},
	{"lines that end in line feeds", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", true},
	{"compressed", sized("Content-Encoding: gzip\r\n", zip("hello")), true},
	{"compressed in a language that nobody asked for", sized("Content-Encoding: br\r\n", "hello"), true},
	{"not compressed, but it says so", sized("Content-Encoding: gzip\r\n", "this is no gzip at all"), true},
	{"compressed and cut", sized("Content-Encoding: gzip\r\n", zip("hello")[:20]), true},
	{"close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", true},
	{"until the end", "HTTP/1.1 200 OK\r\n\r\nhello", false},
	{"HTTP/1.0 until the end", "HTTP/1.0 200 OK\r\n\r\nhello", false},
	{"HTTP/1.0 that goes on", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello", true},
	{"HTTP/1.0 that does not", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", true},

	{"nothing", "", false},
	{"half a header", "HTTP/1.1 200 OK\r\nContent-Le", false},
	{"100 and nothing", "HTTP/1.1 100 Continue\r\n\r\n", false},
	{"less than it says", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", false},
	{"chunks without an end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", false},
	{"a chunk that is none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n", false},
	{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", false},
	{"a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", false},
	{"an encoding that nobody knows", "HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\nhello", false},
	{"no HTTP", "220 mail.example ESMTP\r\n", false},
	{"a header that is none", "HTTP/1.1 200 OK\r\nwhat is this\r\n\r\n", false},
	{"blanks in a name", "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello", false},
	{"a status that is none", "HTTP/1.1 000 OK\r\n\r\nhello", false},
	{"HTTP/2 at once", "\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64", false},
	{"a header that is too large", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<17) + "\r\n\r\n", false},
	{"too many headers", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 1<<14) + "\r\n", false},
	{"too many before", strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 1<<12) + hello, false},
}

// TestIsNoDifferentFromTransport makes each call twice, by both ways: what is seen
// of the answers, what goes over the wire and which connections are kept is the same.
func TestIsNoDifferentFromTransport(t *testing.T) {
	for _, a := range answers {
		t.Run(a.name, func(t *testing.T) {
			p := serve(t, func(v *visit) {
				for v.read() {
					if v.say(a.bytes); !a.goOn {
						return
					}
				}
			})
			ours, theirs := direct(t), behind()
			defer theirs.CloseIdleConnections()
			want, wantConns, wantRequests := twice(t, theirs, p)
			got, conns, requests := twice(t, ours, p)
			if got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			if a.goOn && conns != wantConns {
				t.Errorf("got %d connections, want %d", conns, wantConns)
			}
			if requests != wantRequests {
				t.Errorf("got  %q\nwant %q", requests, wantRequests)
			}
		})
	}
}

// twice posts to p twice. It returns what came of the second call, how many
// connections both took, and the lines of their requests, whose order is no matter.
func twice(t *testing.T, rt http.RoundTripper, p *peer) (o outcome, conns int, requests string) {
	connsBefore, before := p.seen()
	for range 2 {
		o = observed(rt, post(t, t.Context(), p.url+"/a%20b?c=d", "question"))
	}
	conns, all := p.seen()
	lines := strings.Split(strings.Join(all[len(before):], ""), "\r\n")
	slices.Sort(lines)
	return o, conns - connsBefore, strings.Join(lines, "\n")
}

func FuzzAnswers(f *testing.F) {
	for _, a := range answers {
		if len(a.bytes) < 1<<12 {
			f.Add(a.bytes)
		}
	}
	f.Fuzz(func(t *testing.T, answer string) {
		p := serve(t, func(v *visit) {
			if v.read() {
				v.say(answer)
			}
		})
		ours, theirs := &directhttp.Transport{Next: behind()}, behind()
		defer ours.CloseIdleConnections()
		defer theirs.CloseIdleConnections()
		want := observed(theirs, post(t, t.Context(), p.url, "question"))
		got := observed(ours, post(t, t.Context(), p.url, "question"))
		if strings.HasPrefix(want.Status, "101") {
			t.Skip("nobody has asked for another protocol")
		}
		if got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	})
}
