package differ

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"

	"rialto/mcp"
	"rialto/mcp/mcptest"
)

// apart are the transcripts whose server is set up in a way that the SDK has no
// word for, or whose tools ask the client.
var apart = regexp.MustCompile(`^(hybrid|origins|dns|visible|session-of|offers|stateless|modern-(input|request-state|capability)|tool-errors)`)

// TestTheSameTranscripts sends the requests of package mcp's transcripts to
// the SDK's server with the same tools, and holds that what is answered
// differently is what differences.txt lists, with the reason.
func TestTheSameTranscripts(t *testing.T) {
	known, reasons := differences(t)
	files, err := filepath.Glob("../../testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	compared := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if apart.MatchString(name) {
			continue
		}
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(ar.Comment, []byte("options:")) {
			continue
		}
		stateful, stateless := httptest.NewServer(sdkServer(false)), httptest.NewServer(sdkServer(true))
		session := ""
		for i := 0; i+1 < len(ar.Files); i += 2 {
			request, response := ar.Files[i], ar.Files[i+1]
			ours := parse(string(response.Data))
			srv := stateful
			if strings.HasPrefix(name, "modern") || bytes.Contains(request.Data, []byte(mcp.Revision20260728)) {
				srv = stateless
			}
			theirs := send(t, srv, strings.ReplaceAll(string(request.Data), "SESSION", session), &session)
			compared++
			at := name + " " + strings.TrimPrefix(request.Name, "request ")
			if slices.Equal(theirs.messages, []string{plainText}) && len(ours.messages) == 1 {
				ours.messages, theirs.messages = nil, nil // the SDK explains refusals of a transport in plain text
			}
			same := reflect.DeepEqual(ours, theirs)
			switch reason, listed := known[at]; {
			case same && listed:
				t.Errorf("%s: is answered alike by now: take it out of differences.txt", at)
			case !same && !listed:
				t.Errorf("%s differs:\n ours   %s\n theirs %s", at, ours, theirs)
			case !same && reasons[reason] == "":
				t.Errorf("%s: differences.txt has no reason %q", at, reason)
			}
			delete(known, at)
		}
		stateful.Close()
		stateless.Close()
	}
	for at := range known {
		t.Errorf("differences.txt lists %s, which is no request", at)
	}
	t.Logf("%d requests compared", compared)
}

// differences reads the list: reasons by letter, and requests with the letter
// of theirs.
func differences(t *testing.T) (known, reasons map[string]string) {
	b, err := os.ReadFile("differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	known, reasons = map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		switch letter, rest, ok := strings.Cut(line, ": "); {
		case line == "" || line[0] == '#':
		case ok && len(letter) == 1:
			reasons[letter] = rest
		default:
			at, letter, ok := strings.Cut(line, " = ")
			if !ok {
				t.Fatalf("differences.txt: %q", line)
			}
			known[at] = letter
		}
	}
	return known, reasons
}

// answer is what of an answer is compared: the class of its status, and its
// messages. Words are each server's own.
type answer struct {
	status   string
	messages []string
}

func (a answer) String() string { return a.status + " " + strings.Join(a.messages, " | ") }

// plainText stands for a body that is no JSON.
const plainText = "text"

var words = []string{"_meta", "serverInfo", "instructions", "capabilities", "ttlMs", "cacheScope", "execution", "annotations", "title", "icons", "data", "supportedVersions"}

// parse reads an answer as the transcripts write it, or as it comes.
func parse(text string) (a answer) {
	head, body, _ := strings.Cut(text, "\n\n")
	a.status = head[:3]
	if strings.Contains(head, "text/event-stream") {
		for line := range strings.Lines(body) {
			if data, ok := strings.CutPrefix(line, "data:"); ok && strings.TrimSpace(data) != "" {
				a.messages = append(a.messages, shape([]byte(data)))
			}
		}
		return a
	}
	if strings.TrimSpace(body) != "" {
		a.messages = append(a.messages, shape([]byte(body)))
	}
	return a
}

// shape writes a message without the words of its server.
func shape(b []byte) string {
	var m map[string]any
	if json.Unmarshal(b, &m) != nil {
		return plainText
	}
	if e, ok := m["error"].(map[string]any); ok {
		return fmt.Sprintf("error %v", e["code"])
	}
	out, _ := json.Marshal(bare(m))
	return string(out)
}

func bare(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, member := range v {
			if slices.Contains(words, k) {
				delete(v, k)
				continue
			}
			v[k] = bare(member)
		}
		if tools, ok := v["tools"].([]any); ok {
			names := []string{}
			for _, tool := range tools {
				name, _ := tool.(map[string]any)["name"].(string)
				names = append(names, name)
			}
			slices.Sort(names)
			v["tools"] = names
		}
	case []any:
		for i := range v {
			v[i] = bare(v[i])
		}
	}
	return v
}

func send(t *testing.T, srv *httptest.Server, text string, session *string) answer {
	head, body, _ := strings.Cut(text, "\n\n")
	body = strings.TrimSuffix(body, "\n")
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(strings.Replace(head+"\n", "\n", " HTTP/1.1\nHost: HOST\n", 1) + "\n")))
	if err != nil {
		t.Fatalf("%v in request\n%s", err, text)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r = r.WithContext(ctx)
	r.RequestURI, r.URL.Scheme, r.URL.Host = "", "http", srv.Listener.Addr().String()
	r.Host = r.URL.Host
	if r.Method == http.MethodPost && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	res, err := srv.Client().Do(r)
	if err != nil {
		return answer{status: "none"}
	}
	defer res.Body.Close()
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		*session = id
	}
	got, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{status: "endless"}
	}
	return parse(fmt.Sprintf("%d\nContent-Type: %s\n\n%s", res.StatusCode, res.Header.Get("Content-Type"), got))
}

// sdkServer is the SDK's server with the tools of the transcripts. Only the
// stateless one speaks 2026-07-28.
func sdkServer(stateless bool) http.Handler {
	s := gosdk.NewServer(&gosdk.Implementation{Name: "test", Version: "1.2.3"}, &gosdk.ServerOptions{Instructions: "Echo what you <hear>."})
	for _, tool := range mcptest.Tools() {
		s.AddTool(&gosdk.Tool{
			Name: tool.Name, Description: tool.Description, InputSchema: tool.InputSchema, OutputSchema: orNil(tool.OutputSchema),
		}, func(ctx context.Context, r *gosdk.CallToolRequest) (*gosdk.CallToolResult, error) {
			n := 0.0
			res, err := tool.Call(ctx, &mcp.Call{Tool: tool.Name, Arguments: orEmpty(r.Params.Arguments), Progress: func(message string) {
				n++
				if token := r.Params.GetProgressToken(); token != nil {
					_ = r.Session.NotifyProgress(ctx, &gosdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Message: message})
				}
			}})
			if err != nil {
				return nil, err
			}
			return converted(res)
		})
	}
	return gosdk.NewStreamableHTTPHandler(func(*http.Request) *gosdk.Server { return s },
		&gosdk.StreamableHTTPOptions{Stateless: stateless})
}

func orNil(b json.RawMessage) any {
	if b == nil {
		return nil
	}
	return b
}

func orEmpty(b json.RawMessage) json.RawMessage {
	if len(b) == 0 {
		return json.RawMessage(`{}`)
	}
	return b
}

func converted(res *mcp.Result) (*gosdk.CallToolResult, error) {
	content, err := json.Marshal(res.Content)
	if err != nil {
		return nil, err
	}
	out := &gosdk.CallToolResult{}
	b := []byte(`{"content":` + string(content) + `}`)
	if err := json.Unmarshal(b, out); err != nil {
		return nil, err
	}
	out.StructuredContent, out.IsError = res.Structured, res.IsError
	return out, nil
}
