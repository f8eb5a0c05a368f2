package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2atest"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/uploads"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// uploading is a server with agents of three generations that take PDF files and text.
type uploading struct {
	*rig
	agents map[a2a.Generation]*a2atest.Agent
}

func newUploading(t *testing.T, set ...func(*config.Config)) *uploading {
	t.Helper()
	u := &uploading{agents: map[a2a.Generation]*a2atest.Agent{}}
	var agents []config.Agent
	for name, g := range map[string]a2a.Generation{"v02": a2a.V02, "v03": a2a.V03, "v10": a2a.V10} {
		agent := a2atest.NewAgent()
		t.Cleanup(func() { agent.Close() })
		card := agent.Card()
		card.DefaultInputModes = []string{"text/plain", "application/pdf"}
		u.agents[g] = agent
		agents = append(agents, config.Agent{Name: name, URL: a2atest.Serve(t, agent, card, g)})
	}
	u.rig = newRigWith(t, func(c *config.Config) {
		c.Agents = agents
		c.Calls.DefaultAgent = "v10"
		c.Calls.Connectors = []directory.Connector{{Name: "sales"}, {Name: "legal"}}
		for _, f := range set {
			f(c)
		}
	})
	return u
}

// tool calls a tool and returns its structured result, or its text if that is an error.
func (u *uploading) tool(token, name, args string, into any) (failed string) {
	u.t.Helper()
	var out struct {
		Result struct {
			IsError           bool
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
		Error *struct{ Message string }
	}
	u.do("POST", "/mcp", token, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":`+args+`}}`,
		"Accept: application/json, text/event-stream", "MCP-Protocol-Version: 2025-06-18").rpc(u.t, &out)
	if out.Error != nil {
		return out.Error.Message
	}
	if out.Result.IsError {
		return out.Result.Content[0].Text
	}
	if err := json.Unmarshal(out.Result.StructuredContent, into); err != nil {
		u.t.Fatal(err)
	}
	return ""
}

// rpc reads the last message of an answer, which may be a stream.
func (a reply) rpc(t *testing.T, v any) {
	t.Helper()
	body := a.body
	if i := strings.LastIndex(body, "data: "); i >= 0 {
		body = body[i+len("data: "):]
	}
	if err := json.Unmarshal([]byte(body), v); err != nil {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
}

// link asks for one upload.
func (u *uploading) link(token, file string) uploads.Link {
	u.t.Helper()
	var got struct{ Uploads []uploads.Link }
	if failed := u.tool(token, "request_upload", `{"files":[`+file+`]}`, &got); failed != "" {
		u.t.Fatal(failed)
	}
	return got.Uploads[0]
}

// put sends a file to a link.
func (u *uploading) put(l uploads.Link, file []byte) reply {
	u.t.Helper()
	return u.do("PUT", strings.TrimPrefix(l.URL, u.cfg.Load().URL), "", string(file))
}

type taskResult struct {
	TaskID  string `json:"task_id"`
	State   a2a.State
	Message string
}

func (u *uploading) send(token, args string) (task taskResult, failed string) {
	u.t.Helper()
	failed = u.tool(token, "send_task", args, &task)
	return task, failed
}

// pdf returns a file of a size that shows that it is a PDF.
func pdf(size int) []byte {
	b := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
	copy(b, "%PDF-1.7\n")
	return b
}

const aPDF = `{"name":"report.pdf","mime_type":"application/pdf"}`

// TestAFileReachesAnAgentOfEachGeneration sends a small file, whose bytes the agent gets, and one of 15 MiB, which
// it fetches. The model sees neither.
func TestAFileReachesAnAgentOfEachGeneration(t *testing.T) {
	u := newUploading(t)
	alice := u.token("alice", oauth.ScopeTools)
	for name, g := range map[string]a2a.Generation{"v02": a2a.V02, "v03": a2a.V03, "v10": a2a.V10} {
		for _, size := range []int{200_000, 15 << 20} {
			t.Run(fmt.Sprintf("%s %d", name, size), func(t *testing.T) {
				file := pdf(size)
				l := u.link(alice, aPDF)
				if l.Transport != "https" || l.Method != "PUT" || l.PageURL == "" || !strings.HasPrefix(l.Curl, "curl ") || l.Headers["Content-Type"] != "application/pdf" {
					t.Errorf("got %+v", l)
				}
				if got := u.put(l, file); got.status != 201 || got.header.Get("Access-Control-Allow-Origin") != "*" || got.header.Get("Referrer-Policy") != "no-referrer" {
					t.Fatalf("got %d %s", got.status, got.body)
				}
				args := fmt.Sprintf(`{"agent":%q,"message":"parts","files":[{"upload":%q}]}`, name, l.ID)
				task, failed := u.send(alice, args)
				if failed != "" || task.State != a2a.Completed {
					t.Fatalf("got %+v, %s", task, failed)
				}
				sent := u.agents[g].Received()
				part := sent[len(sent)-1].Message.Parts[1]
				if part.Filename != "report.pdf" || part.MediaType != "application/pdf" {
					t.Errorf("got %s, %s", part.Filename, part.MediaType)
				}
				switch content := part.Content.(type) {
				case a2a.Raw:
					if size > uploads.MaxInline || !bytes.Equal(content, file) {
						t.Errorf("got %d bytes, not the file", len(content))
					}
				case a2a.URL:
					if size <= uploads.MaxInline {
						t.Error("got a link to a small file")
					}
					if got := fetch(t, string(content)); !bytes.Equal(got, file) {
						t.Errorf("the agent fetched %d bytes, not the file", len(got))
					}
				}
				if _, again := u.send(alice, args); !strings.Contains(again, "has this upload already") {
					t.Errorf("the second use: got %q", again)
				}
				if size > uploads.MaxInline {
					return // the agent gave a link back
				}
				seen := u.do("POST", "/mcp", alice, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_task","arguments":{"task_id":"`+task.TaskID+`"}}}`)
				if strings.Contains(seen.body, "JVBERi0") || seen.status != 200 {
					t.Errorf("the model sees the file: %d %s", seen.status, seen.body)
				}
			})
		}
	}
}

// TestALargeFileComesBack has an agent of each generation return a PDF of 15 MiB that came by a link. The person
// downloads it by the link of the tool, and on the page of the task. No byte of it is in what the model reads.
func TestALargeFileComesBack(t *testing.T) {
	returning := &a2aexec.Executor{Run: func(_ context.Context, turn *a2aexec.Turn) error {
		part := turn.Message.Parts[1]
		if link, ok := part.Content.(a2a.URL); ok {
			part.Content = a2a.Raw(fetch(t, string(link)))
		}
		turn.Artifact(a2a.Artifact{ID: "copy", Parts: []a2a.Part{part}})
		turn.Complete("Here it is.")
		return nil
	}}
	t.Cleanup(func() { returning.Close() })
	card := &a2a.Card{
		Name: "Returning", Description: "Returns a file.", Version: "1", DefaultInputModes: []string{"text/plain", "application/pdf"},
		Capabilities: a2a.Capabilities{Streaming: true},
	}
	generations := map[string]a2a.Generation{"v02": a2a.V02, "v03": a2a.V03, "v10": a2a.V10}
	u := newUploading(t, func(c *config.Config) {
		c.Agents = nil
		for name, g := range generations {
			c.Agents = append(c.Agents, config.Agent{Name: name, URL: a2atest.Serve(t, returning, card, g)})
		}
	})
	alice := u.token("alice", oauth.ScopeTools)
	page := u.browser("alice")
	file := pdf(15 << 20)
	for name := range generations {
		t.Run(name, func(t *testing.T) {
			l := u.link(alice, aPDF)
			if got := u.put(l, file); got.status != 201 {
				t.Fatalf("got %d %s", got.status, got.body)
			}
			task, failed := u.send(alice, fmt.Sprintf(`{"agent":%q,"message":"copy it","wait":60,"files":[{"upload":%q}]}`, name, l.ID))
			if failed != "" || task.State != a2a.Completed {
				t.Fatalf("got %+v, %s", task, failed)
			}
			seen := u.do("POST", "/mcp", alice, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_task","arguments":{"task_id":"`+task.TaskID+`"}}}`)
			if strings.Contains(seen.body, "JVBERi0") || strings.Contains(seen.body, "%PDF") || len(seen.body) > 10_000 {
				t.Errorf("the model reads %d bytes: %.500s", len(seen.body), seen.body)
			}
			shown, err := page.Get(u.cfg.Load().URL + documents.TaskPath + task.TaskID)
			if err != nil {
				t.Fatal(err)
			}
			defer shown.Body.Close()
			html, err := io.ReadAll(shown.Body)
			if err != nil {
				t.Fatal(err)
			}
			for where, text := range map[string]string{"the tool's result": seen.body, "the page": string(html)} {
				links := regexp.MustCompile(documents.DownloadPath+`[\w-]+`).FindAllString(text, -1)
				leads := func(link string) bool { return bytes.Equal(fetch(t, u.cfg.Load().URL+link), file) }
				if !slices.ContainsFunc(links, leads) {
					t.Errorf("%s has no link to the file: %v", where, links)
				}
			}
		})
	}
}

func fetch(t *testing.T, url string) []byte {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%d, %v", resp.StatusCode, err)
	}
	return b
}

// TestUploadsAreRefused tries what is not taken: nothing is kept of it, and the link works afterwards.
func TestUploadsAreRefused(t *testing.T) {
	u := newUploading(t, func(c *config.Config) { c.Links.Uploads.Size = 1 << 20 })
	alice := u.token("alice", oauth.ScopeTools)
	good := pdf(1000)
	digest := fmt.Sprintf("%x", sha256.Sum256(good))
	for name, c := range map[string]struct {
		asked  string
		file   []byte
		status int
		says   string
	}{
		"too large":      {aPDF, pdf(1<<20 + 1), 413, "at most 1048576 bytes"},
		"more than said": {`{"name":"report.pdf","mime_type":"application/pdf","size":1000}`, pdf(1001), 413, "at most 1000 bytes"},
		"another type":   {aPDF, []byte("GIF89a and more"), 415, "Accepted here: application/pdf"},
		"no PDF at all":  {aPDF, []byte("some words"), 415, "text/plain"},
		"another digest": {`{"name":"report.pdf","mime_type":"application/pdf","sha256":"` + digest + `"}`, pdf(999), 422, "SHA-256"},
		"empty":          {aPDF, nil, 422, "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			l := u.link(alice, c.asked)
			if got := u.put(l, c.file); got.status != c.status || !strings.Contains(got.body, c.says) {
				t.Errorf("got %d %s, want %d and %q", got.status, got.body, c.status, c.says)
			}
			if got := u.put(l, good); got.status != 201 || !strings.Contains(got.body, digest) {
				t.Errorf("the file itself: got %d %s", got.status, got.body)
			}
			if got := u.put(l, good); got.status != 409 {
				t.Errorf("twice: got %d %s", got.status, got.body)
			}
		})
	}
	if got := u.do("PUT", uploads.Path+"unknown", "", "x"); got.status != 404 {
		t.Errorf("an unknown link: got %d %s", got.status, got.body)
	}
	if got := u.do("OPTIONS", uploads.Path+"unknown", "", ""); got.status != 204 || got.header.Get("Access-Control-Allow-Methods") == "" {
		t.Errorf("OPTIONS: got %d %v", got.status, got.header)
	}
	later := u.link(alice, aPDF)
	u.bridge.Runner.Uploads.Now = func() time.Time { return time.Now().Add(uploads.LinkTTL + time.Second) }
	if got := u.put(later, good); got.status != 410 {
		t.Errorf("expired: got %d %s", got.status, got.body)
	}
}

// TestUploadsBelongToTheirOwnerAndConnector names an upload in calls of others.
func TestUploadsBelongToTheirOwnerAndConnector(t *testing.T) {
	u := newUploading(t)
	sales := u.connectorToken("alice", "sales", oauth.ScopeTools)
	l := u.link(sales, aPDF)
	if got := u.put(l, pdf(1000)); got.status != 201 {
		t.Fatal(got)
	}
	args := `{"message":"parts","files":[{"upload":"` + l.ID + `"}]}`
	for name, token := range map[string]string{
		"another owner":     u.connectorToken("bob", "sales", oauth.ScopeTools),
		"another connector": u.connectorToken("alice", "legal", oauth.ScopeTools),
		"the whole server":  u.token("alice", oauth.ScopeTools),
	} {
		if _, failed := u.send(token, args); !strings.Contains(failed, "There is no such upload") {
			t.Errorf("%s: got %q", name, failed)
		}
		if _, failed := u.send(token, `{"message":"parts","files":[{"url":"upload:`+l.ID+`"}]}`); !strings.Contains(failed, "There is no such upload") {
			t.Errorf("%s, as an address: got %q", name, failed)
		}
	}
	for name, token := range map[string]string{"another owner": u.full("bob"), "the whole server": u.full("alice")} {
		message := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"parts"},{"url":"upload:` + l.ID + `"}]}}}`
		if got := u.do("POST", "/a2a/v10", token, message, "A2A-Version: 1.0"); !strings.Contains(got.body, "There is no such upload") {
			t.Errorf("%s by A2A: got %d %s", name, got.status, got.body)
		}
	}
	if n := len(u.agents[a2a.V10].Received()); n != 0 {
		t.Errorf("the agent got %d messages of others", n)
	}
	if task, failed := u.send(sales, args); failed != "" || task.State != a2a.Completed {
		t.Errorf("the owner: got %+v, %s", task, failed)
	}
}

// TestAFileThatTheAgentDoesNotTakeIsRefused sends text as CSV to an agent that takes plain text and PDF.
func TestAFileThatTheAgentDoesNotTakeIsRefused(t *testing.T) {
	u := newUploading(t)
	alice := u.token("alice", oauth.ScopeTools)
	l := u.link(alice, `{"name":"a.csv","mime_type":"text/csv"}`)
	if got := u.put(l, []byte("a,b\n")); got.status != 201 {
		t.Fatal(got)
	}
	_, failed := u.send(alice, `{"message":"parts","files":[{"upload":"`+l.ID+`"}]}`)
	if !strings.Contains(failed, "takes no files of the type text/csv. It takes: text/plain, application/pdf") {
		t.Errorf("got %q", failed)
	}
	if n := len(u.agents[a2a.V10].Received()); n != 0 {
		t.Errorf("the agent got %d messages", n)
	}
}

// TestATaskWaitsForItsFile names a file that has not come: the agent gets the message when it has.
func TestATaskWaitsForItsFile(t *testing.T) {
	u := newUploading(t)
	alice := u.token("alice", oauth.ScopeTools)
	l := u.link(alice, aPDF)
	task, failed := u.send(alice, `{"message":"parts","files":[{"upload":"`+l.ID+`"}]}`)
	if failed != "" || task.State != a2a.InputRequired || !strings.Contains(task.Message, l.URL) {
		t.Fatalf("got %+v, %s", task, failed)
	}
	if _, failed := u.send(alice, `{"message":"go on","task_id":"`+task.TaskID+`"}`); !strings.Contains(failed, l.URL) {
		t.Errorf("an answer without the file: got %q", failed)
	}
	if n := len(u.agents[a2a.V10].Received()); n != 0 {
		t.Errorf("the agent got %d messages before the file", n)
	}
	var card struct{ Uploads []uploads.Link }
	if failed := u.tool(alice, "task_view", `{"task_id":"`+task.TaskID+`"}`, &card); failed != "" || len(card.Uploads) != 1 || card.Uploads[0].URL != l.URL || card.Uploads[0].PageURL == "" {
		t.Errorf("the card got %+v, %s", card, failed)
	}
	if failed := u.tool(u.token("bob", oauth.ScopeTools), "task_view", `{"task_id":"`+task.TaskID+`"}`, &card); !strings.Contains(failed, "no such task") {
		t.Errorf("the card of another user: got %q", failed)
	}
	if got := u.put(l, pdf(1000)); got.status != 201 {
		t.Fatal(got)
	}
	task = u.awaitEnd(alice, task)
	card.Uploads = nil
	if u.tool(alice, "task_view", `{"task_id":"`+task.TaskID+`"}`, &card); len(card.Uploads) != 0 {
		t.Errorf("afterwards the card got %+v", card)
	}
	sent := u.agents[a2a.V10].Received()
	if task.State != a2a.Completed || len(sent) != 1 || len(sent[0].Message.Parts[1].Content.(a2a.Raw)) != 1000 {
		t.Errorf("got %+v and %d messages", task, len(sent))
	}
}

// TestAFileIsSentOnThePageOfItsLink posts the form as a browser without JavaScript does.
func TestAFileIsSentOnThePageOfItsLink(t *testing.T) {
	u := newUploading(t)
	alice := u.token("alice", oauth.ScopeTools)
	l := u.link(alice, aPDF)
	path := strings.TrimPrefix(l.PageURL, u.cfg.Load().URL)
	post := func(file []byte, headers ...string) reply {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		part, _ := form.CreateFormFile("file", "another name.pdf")
		part.Write(file)
		form.Close()
		return u.do("POST", path, "", body.String(), append(headers, "Content-Type: "+form.FormDataContentType())...)
	}
	if got := u.do("GET", path, "", ""); got.status != 200 || !strings.Contains(got.body, `accept="application/pdf"`) || got.header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("the page: got %d %s", got.status, got.body)
	}
	if got := post([]byte("words"), "Accept-Language: es"); got.status != 415 || !strings.Contains(got.body, "Aquí se acepta") || !strings.Contains(got.body, `id="send"`) {
		t.Errorf("another type: got %d %s", got.status, got.body)
	}
	if got := u.do("PUT", path, "", "words", "Accept-Language: es"); got.status != 415 || !strings.Contains(got.body, "Aquí se acepta") {
		t.Errorf("another type by PUT: got %d %s", got.status, got.body)
	}
	if got := post(pdf(3 << 20)); got.status != 201 || !strings.Contains(got.body, `id="sent"`) {
		t.Errorf("the file: got %d %s", got.status, got.body)
	}
	if got := u.do("GET", path, "", ""); got.status != 409 || strings.Contains(got.body, `id="send"`) {
		t.Errorf("afterwards: got %d %s", got.status, got.body)
	}
}

// TestATaskEndsWhenItsLinkExpires: such a task waited for its file without end.
func TestATaskEndsWhenItsLinkExpires(t *testing.T) {
	u := newUploading(t)
	u.bridge.Runner.Uploads.Now = func() time.Time { return time.Now().Add(-uploads.LinkTTL) } // links are old at once
	alice := u.token("alice", oauth.ScopeTools)
	l := u.link(alice, aPDF)
	task, failed := u.send(alice, `{"message":"parts","files":[{"upload":"`+l.ID+`"}]}`)
	if failed != "" {
		t.Fatal(failed)
	}
	if got := u.put(u.link(alice, aPDF), pdf(1000)); got.status != 201 { // the waits are looked at
		t.Fatal(got)
	}
	for deadline := time.Now().Add(10 * time.Second); failed == "" && time.Now().Before(deadline); {
		failed = u.tool(alice, "get_task", `{"task_id":"`+task.TaskID+`","wait":5}`, &task)
	}
	if !strings.Contains(failed, "did not come before its link expired") {
		t.Errorf("got %+v, %s", task, failed)
	}
	if n := len(u.agents[a2a.V10].Received()); n != 0 {
		t.Errorf("the agent got %d messages", n)
	}
}

// awaitEnd waits until a task is completed, for 10 seconds.
func (u *uploading) awaitEnd(token string, task taskResult) taskResult {
	deadline := time.Now().Add(10 * time.Second)
	for task.State != a2a.Completed && time.Now().Before(deadline) {
		u.tool(token, "get_task", `{"task_id":"`+task.TaskID+`","wait":5}`, &task)
	}
	return task
}

// TestAServerWithoutUploadsTakesMessages has uploads.size 0.
func TestAServerWithoutUploadsTakesMessages(t *testing.T) {
	u := newUploading(t, func(c *config.Config) { c.Links.Uploads.Size = 0 })
	alice := u.token("alice", oauth.ScopeTools)
	if task, failed := u.send(alice, `{"message":"go"}`); failed != "" || task.State != a2a.Completed {
		t.Errorf("got %+v, %s", task, failed)
	}
	for _, files := range []string{`"files":[{"upload":"x"}]`, `"attachments":["x"]`} {
		if _, failed := u.send(alice, `{"message":"go",`+files+`}`); !strings.Contains(failed, "takes no uploads") {
			t.Errorf("%s: got %q", files, failed)
		}
	}
}
