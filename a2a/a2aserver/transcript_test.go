package a2aserver_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"rialto/a2a"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
	"rialto/internal/transcript"
)

// TestTranscripts sends the requests of each file of testdata in order to a
// server of the scripted agent, and compares its answers. Ids that it makes are
// written ID1, ID2 and so on in the order of their appearance, and requests may
// use them; times are written TIME.
func TestTranscripts(t *testing.T) { transcript.Run(t, "testdata/*.txtar", playTranscript) }

func playTranscript(t *testing.T, archive *txtar.Archive) (got []txtar.File) {
	agent := a2atest.NewAgent()
	defer agent.Close()
	s := &a2aserver.Server{Agent: agent, Card: agent.Card(), URL: "https://agent.example/a2a", MaxBody: 4096}
	if strings.HasSuffix(t.Name(), "/no-streams") {
		s.Card.Capabilities = a2a.Capabilities{}
	}
	names := &names{}
	for _, f := range archive.Files {
		if f.Name != "request" {
			continue
		}
		answer := names.hide(exchange(t, s, names.show(string(f.Data))))
		got = append(got, f, txtar.File{Name: "response", Data: []byte(answer)})
	}
	return got
}

// exchange sends a request that is written as on the wire, but for its length,
// and returns the answer with the headers that matter.
func exchange(t *testing.T, h http.Handler, request string) string {
	head, body, _ := strings.Cut(request, "\n\n")
	line, headers, _ := strings.Cut(head, "\n")
	body = strings.TrimSuffix(body, "\n")
	raw := fmt.Sprintf("%s HTTP/1.1\r\nHost: agent.example\r\nContent-Length: %d\r\n%s\r\n\r\n%s",
		line, len(body), strings.ReplaceAll(strings.TrimSpace(headers), "\n", "\r\n"), body)
	raw = strings.Replace(raw, "\r\n\r\n\r\n", "\r\n\r\n", 1)
	req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	resp := rec.Result()
	answer, _ := io.ReadAll(resp.Body)
	var out strings.Builder
	fmt.Fprintf(&out, "%d %s\n", resp.StatusCode, resp.Header.Get("Content-Type"))
	for _, k := range []string{"Allow", "Vary", "Cache-Control", "ETag", "Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers", "A2A-Extensions"} {
		if v := resp.Header.Get(k); v != "" {
			fmt.Fprintf(&out, "%s: %s\n", k, v)
		}
	}
	fmt.Fprintf(&out, "\n%s\n", strings.TrimSpace(string(answer)))
	return out.String()
}

// names gives ids names that are the same each time.
type names struct{ ids []string }

var (
	id   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	when = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
)

func (n *names) hide(s string) string {
	s = id.ReplaceAllStringFunc(s, func(found string) string {
		for i, known := range n.ids {
			if known == found {
				return fmt.Sprint("ID", i+1)
			}
		}
		n.ids = append(n.ids, found)
		return fmt.Sprint("ID", len(n.ids))
	})
	return when.ReplaceAllString(s, "TIME")
}

func (n *names) show(s string) string {
	for i, id := range n.ids {
		s = strings.ReplaceAll(s, fmt.Sprint("ID", i+1), id)
	}
	return s
}
