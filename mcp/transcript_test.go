package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"rialto/internal/transcript"
	"rialto/mcp"
	"rialto/mcp/mcptest"
)

// TestTranscripts sends the requests of each testdata/*.txtar to a server and
// compares its responses with those in the file. A line "options:" in
// the head of a file sets up the server; the header Who in a request is the
// principal it acts for; SESSION stands for the session id given out last, and
// STATE for the last requestState.
func TestTranscripts(t *testing.T) { transcript.Run(t, "testdata/*.txtar", playTranscript) }

func playTranscript(t *testing.T, ar *txtar.Archive) (out []txtar.File) {
	p := player{t: t, srv: httptest.NewServer(observed(t, transcriptServer(t, string(ar.Comment))))}
	defer p.srv.Close()
	for _, f := range ar.Files {
		if strings.HasPrefix(f.Name, "request") {
			name := strings.Replace(f.Name, "request", "response", 1)
			out = append(out, f, txtar.File{Name: name, Data: []byte(p.play(f.Data))})
		}
	}
	return out
}

// oneSkill lists the first skill of mcptest.
type oneSkill struct{}

func (oneSkill) Skills(ctx context.Context) []*mcp.Skill { return mcptest.Skills{}.Skills(ctx)[:1] }

// blindBob hides all tools from bob.
type blindBob struct{ byHeader }

func (blindBob) ToolVisible(_ context.Context, principal, _ string) bool { return principal != "bob" }

func transcriptServer(t *testing.T, head string) *mcp.Server {
	s := &mcp.Server{
		Info:         mcp.Implementation{Name: "test", Title: "Test", Version: "1.2.3", WebsiteURL: "https://example.com"},
		Instructions: "Echo what you <hear>.", Tools: mcptest.Tools(),
		Access:     withOrigin{origin: "https://inspector.example"},
		SessionKey: []byte("0123456789abcdef0123456789abcdef"),
	}
	options := regexp.MustCompile(`(?m)^options: (.*)$`).FindStringSubmatch(head)
	if options == nil {
		return s
	}
	for o := range strings.FieldsSeq(options[1]) {
		switch o {
		case "strict":
			s.Strict = true
		case "everything":
			s.Resources, s.Templates, s.Prompts, s.Completer = mcptest.Resources(), mcptest.Templates(), mcptest.Prompts(), mcptest.Towns{}
			s.Info.Icons = []mcp.Icon{{Src: "https://example.com/icon.svg", MIMEType: "image/svg+xml", Sizes: []string{"any"}}}
			s.Tools = s.Tools[:1]
			s.Resources[0].Icons = s.Info.Icons
		case "skills":
			s.Extensions.Skills = oneSkill{}
		case "events":
			s.Extensions.Events, s.Limits.ListenFor, s.Limits.KeepAlive = threeEvents{}, 300*time.Millisecond, 100*time.Millisecond
		case "bob-sees-nothing":
			s.Access = blindBob{}
		case "stateless":
			s.SessionKey = nil
		case "few-tools":
			s.Tools = slices.DeleteFunc(s.Tools, func(t mcp.Tool) bool { return t.Name != "echo" && t.Name != "protected" })
		default:
			t.Fatalf("unknown option %q", o)
		}
	}
	return s
}

// player sends requests that are written as in HTTP, but for Content-Length
// and Content-Type, which it adds.
type player struct {
	t       *testing.T
	srv     *httptest.Server
	session string
	state   string // the last requestState
}

func (p *player) play(request []byte) string {
	text := strings.NewReplacer("SESSION", p.session, "STATE", p.state).Replace(string(request))
	head, body, _ := strings.Cut(text, "\n\n")
	body = strings.TrimSuffix(body, "\n")
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(strings.Replace(head+"\n", "\n", " HTTP/1.1\nHost: HOST\n", 1) + "\n")))
	if err != nil {
		p.t.Fatalf("%v in request\n%s", err, text)
	}
	r.RequestURI, r.URL.Scheme, r.URL.Host = "", "http", p.srv.Listener.Addr().String()
	if r.Host = r.Header.Get("X-Host"); r.Host == "" {
		r.Host = r.URL.Host
	}
	r.Header.Del("X-Host")
	if r.Method == http.MethodPost && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	res, err := p.srv.Client().Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.format(res, answer)
}

var states = regexp.MustCompile(`"requestState":"([^"]*)"`)

// format writes an answer so that people can read it and two runs agree.
func (p *player) format(res *http.Response, body []byte) string {
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		p.session = id
		res.Header.Set("Mcp-Session-Id", "SESSION")
	}
	if found := states.FindSubmatch(body); found != nil {
		p.state = string(found[1])
		body = bytes.Replace(body, found[1], []byte("STATE"), 1)
	}
	res.Header.Del("Date")
	res.Header.Del("Content-Length")
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", res.Status)
	_ = res.Header.Write(&b)
	text := strings.ReplaceAll(b.String(), "\r\n", "\n")
	if len(body) == 0 {
		return text
	}
	var indented bytes.Buffer
	if json.Indent(&indented, body, "", "  ") == nil {
		body = indented.Bytes()
	}
	return text + "\n" + strings.TrimRight(string(body), "\n") + "\n"
}
