package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"rialto/internal/sse"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata/clients/*.txtar")

// TestClientsAsTheyAre replays what clients were seen to send that cannot be
// run here, request by request, and compares what the program answers.
func TestClientsAsTheyAre(t *testing.T) {
	files, err := filepath.Glob("testdata/clients/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	data := t.TempDir()
	p := observedDemo(t, data)
	token := output(t, "", "token", "--user", username, "--data", data)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			(&replay{t: t, p: p, token: token}).file(file)
		})
	}
}

// replay plays one transcript. In requests, BASE is the program's origin, TOKEN
// an access token, and SESSION, STATE and TASK are what answers gave out last.
// The header Show is not sent: it names the members of a document that the
// transcript keeps. Nor is Until: the request is repeated until the answer has
// that text.
type replay struct {
	t     *testing.T
	p     *program
	token string
	given map[string]string // by the names above
}

func (r *replay) file(name string) {
	ar, err := txtar.ParseFile(name)
	if err != nil {
		r.t.Fatal(err)
	}
	r.given = map[string]string{"BASE": r.p.URL, "TOKEN": r.token}
	want := map[string]string{}
	for _, f := range ar.Files {
		want[f.Name] = string(f.Data)
	}
	out := txtar.Archive{Comment: ar.Comment}
	for _, f := range ar.Files {
		name, request := strings.CutPrefix(f.Name, "request")
		if !request {
			continue
		}
		got := r.play(string(f.Data))
		if response := "response" + name; *update {
			out.Files = append(out.Files, f, txtar.File{Name: response, Data: []byte(got)})
		} else if got != want[response] {
			r.t.Errorf("%s: got\n%s\nwant\n%s", f.Name, got, want[response])
		}
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(&out), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *replay) play(request string) string {
	for name, value := range r.given {
		request = strings.ReplaceAll(request, name, value)
	}
	head, body, _ := strings.Cut(request, "\n\n")
	body = strings.TrimSuffix(body, "\n")
	req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(strings.Replace(strings.TrimSuffix(head, "\n")+"\n", "\n", " HTTP/1.1\nHost: HOST\n", 1) + "\n")))
	if err != nil {
		r.t.Fatalf("%v in request\n%s", err, request)
	}
	show, until := req.Header.Get("Show"), req.Header.Get("Until")
	req.Header.Del("Show")
	req.Header.Del("Until")
	req.RequestURI, req.Host, req.URL.Scheme, req.URL.Host = "", "", "http", strings.TrimPrefix(r.p.URL, "http://")
	req.ContentLength = int64(len(body))
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for range 300 {
		req.Body = io.NopCloser(strings.NewReader(body))
		answer := r.answer(req, strings.Fields(show), strings.Contains(body, `"subscriptions/listen"`))
		if strings.Contains(answer, until) {
			return answer
		}
		<-tick.C
	}
	r.t.Fatalf("no answer has %q", until)
	return ""
}

func (r *replay) answer(req *http.Request, show []string, endless bool) string {
	ctx, hangUp := context.WithCancel(r.t.Context())
	defer hangUp() // of a stream that stays open
	resp, err := http.DefaultTransport.RoundTrip(req.WithContext(ctx))
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	return r.head(resp) + r.body(resp, req.Method == http.MethodGet || endless, show)
}

// shownHeaders are those that clients act on.
var shownHeaders = []string{"Allow", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Access-Control-Allow-Headers", "Content-Type", "Mcp-Session-Id", "Retry-After", "Www-Authenticate"}

func (r *replay) head(resp *http.Response) string {
	var b strings.Builder
	fmt.Fprintln(&b, resp.Status)
	for _, name := range shownHeaders {
		for _, value := range resp.Header[name] {
			if name == "Mcp-Session-Id" {
				r.given["SESSION"], value = value, "SESSION"
			}
			fmt.Fprintf(&b, "%s: %s\n", name, strings.ReplaceAll(value, r.p.URL, "BASE"))
		}
	}
	return b.String()
}

// body writes the messages of an answer. Of a stream that stays open it writes
// the first one, if there is any to come.
func (r *replay) body(resp *http.Response, endless bool, show []string) string {
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), sse.ContentType) {
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			r.t.Fatal(err)
		}
		return r.document(b, show)
	}
	var all strings.Builder
	for events := sse.NewReader(resp.Body); ; {
		if endless && resp.Request.Method == http.MethodGet {
			return "" // open, and silent
		}
		e, err := events.Next()
		if err == io.EOF {
			return all.String()
		}
		if err != nil {
			r.t.Fatal(err)
		}
		all.WriteString(r.document(e.Data, nil))
		if endless {
			return all.String()
		}
	}
}

// passing are the values that no two runs share, by what stands for them.
var passing = []struct {
	name string
	*regexp.Regexp
}{
	{"TASK", regexp.MustCompile(`"(?:task_id|taskId)": "([^"]+)"`)},
	{"STATE", regexp.MustCompile(`"requestState": "([^"]+)"`)},
	{"CONTEXT", regexp.MustCompile(`"context_id": "([^"]+)"`)},
	{"CLIENT", regexp.MustCompile(`"client_id": "([^"]+)"`)},
	{"REGISTRATION", regexp.MustCompile(`"registration_access_token": "([^"]+)"`)},
	{"VERSION", regexp.MustCompile(`"name": "rialto",\s+"title": "[^"]*",\s+"version": "([^"]+)"`)},
}

// document writes JSON with its members sorted, without what no two runs share,
// and in place of each tool its name: tools.mjs has what they look like.
func (r *replay) document(b []byte, show []string) string {
	var v any
	if json.Unmarshal(b, &v) != nil {
		return map[bool]string{true: "\n" + string(b) + "\n"}[len(b) > 0]
	}
	if m, ok := v.(map[string]any); ok && len(show) > 0 {
		maps.DeleteFunc(m, func(name string, _ any) bool { return !slices.Contains(show, name) })
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(brief(v)); err != nil {
		r.t.Fatal(err)
	}
	text := out.String()
	for _, p := range passing {
		if found := p.FindStringSubmatch(text); found != nil {
			r.given[p.name] = found[1]
			text = strings.ReplaceAll(text, found[1], p.name)
		}
	}
	return "\n" + strings.ReplaceAll(text, r.p.URL, "BASE")
}

// brief shortens what is long and the same for every client.
func brief(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = brief(v[i])
		}
	case map[string]any:
		if v["inputSchema"] != nil {
			return v["name"]
		}
		if v["taskId"] != nil {
			v["createdAt"], v["lastUpdatedAt"], v["ttlMs"] = "…", "…", "…"
		}
		for name := range v {
			if v[name] = brief(v[name]); name == "instructions" {
				v[name] = "…"
			}
		}
	}
	return v
}
