package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/uploads"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// TestFilesOfChatGPT gives send_task what ChatGPT gives it, and the bare string of its apps on phones.
func TestFilesOfChatGPT(t *testing.T) {
	u := newUploading(t)
	file := pdf(1000)
	chat := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(file) }))
	t.Cleanup(chat.Close)
	alice := u.token("alice", oauth.ScopeTools)
	args := `{"message":"parts","attachments":[{"download_url":"` + chat.URL + `/x","file_id":"f1","mime_type":"application/pdf","file_name":"report.pdf"}]}`
	if _, failed := u.send(alice, args); !strings.Contains(failed, "could not be fetched") {
		t.Errorf("a private address: got %q", failed)
	}
	u.bridge.Runner.Uploads.FetchLoopback = true
	if task, failed := u.send(alice, args); failed != "" || task.State != a2a.Completed {
		t.Errorf("got %+v, %s", task, failed)
	}
	if sent := u.agents[a2a.V10].Received(); len(sent) != 1 || !bytes.Equal(sent[0].Message.Parts[1].Content.(a2a.Raw), file) {
		t.Errorf("the agent got %d messages, or another file", len(sent))
	}
	for _, given := range []string{`["chat_upload://1"]`, `"chat_upload://1"`, `[{"file_id":"f1"}]`} {
		if _, failed := u.send(alice, `{"message":"parts","attachments":`+given+`}`); !strings.Contains(failed, u.cfg.Load().URL+uploads.Path) {
			t.Errorf("%s: got %q", given, failed)
		}
	}
	many := strings.Repeat(`{"download_url":"`+chat.URL+`","file_id":"f2"},`, 21)
	if _, failed := u.send(alice, `{"message":"parts","attachments":[`+strings.TrimSuffix(many, ",")+`]}`); !strings.Contains(failed, "at most 20") {
		t.Errorf("21 files: got %q", failed)
	}
	list := u.do("POST", "/mcp", alice, listing)
	if !strings.Contains(list.body, `"openai/fileParams":["attachments"]`) {
		t.Errorf("got %s", list.body)
	}
}

// TestTheToolOfASkillTakesFiles calls the tool of a skill that has a form and takes PDF files. The agent gets
// the file, and the data as they were written. The tool of a skill that takes data alone has no files.
func TestTheToolOfASkillTakesFiles(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	form := a2a.SkillForm{Input: json.RawMessage(`{"type":"object","properties":{"message":{"type":"string"},"page":{"type":"integer"}},"required":["message"],"additionalProperties":false}`)}
	card := agent.Card()
	card.Skills = []a2a.Skill{
		{ID: "read", Name: "Read", Tags: []string{"x"}, InputModes: []string{"application/json", "application/pdf"}},
		{ID: "count", Name: "Count", Tags: []string{"x"}, InputModes: []string{"application/json", "text/plain"}},
	}
	card.Capabilities.Extensions = append(card.Capabilities.Extensions, a2a.NewSkillForms(map[string]a2a.SkillForm{"read": form, "count": form}))
	u := &uploading{rig: newRig(t, config.Agent{Name: "one", URL: a2atest.Serve(t, agent, card, a2a.V10), SkillsAsTools: true})}
	alice := u.token("alice", oauth.ScopeTools)
	var list struct {
		Tools []struct {
			Name        string
			InputSchema struct{ Properties map[string]any }
			Meta        struct {
				Params []string `json:"openai/fileParams"`
			} `json:"_meta"`
		}
	}
	u.rpc(alice, "tools/list", "", &list)
	files := map[string]bool{}
	for _, tool := range list.Tools {
		if tool.InputSchema.Properties["page"] != nil {
			files[tool.Name] = len(tool.Meta.Params) == 1 && tool.InputSchema.Properties["attachments"] != nil && tool.InputSchema.Properties["files"] != nil
		}
	}
	if len(files) != 2 || !files["read"] || files["count"] {
		t.Errorf("got tools with files: %v", files)
	}

	l := u.link(alice, aPDF)
	if got := u.put(l, pdf(1000)); got.status != 201 {
		t.Fatal(got)
	}
	var task taskResult
	if failed := u.tool(alice, "read", `{"message":"parts","page":12345678901234567890,"files":[{"upload":"`+l.ID+`"}]}`, &task); failed != "" {
		t.Fatal(failed)
	}
	parts := agent.Received()[0].Message.Parts
	if len(parts) != 3 || len(parts[1].Content.(a2a.Raw)) != 1000 || string(parts[2].Content.(a2a.Data)) != `{"message":"parts","page":12345678901234567890}` {
		t.Errorf("the agent got %+v", parts)
	}
}

// TestARepeatedCallFetchesItsFilesOnce repeats a call with a file of the chat whose address has ended since:
// it was fetched under another id, and the message was sent twice, or the call failed.
func TestARepeatedCallFetchesItsFilesOnce(t *testing.T) {
	u := newUploading(t)
	u.bridge.Runner.Uploads.FetchLoopback = true
	fetched := 0
	chat := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fetched++
		if fetched > 1 {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Write(pdf(1000))
	}))
	t.Cleanup(chat.Close)
	alice := u.token("alice", oauth.ScopeTools)
	call := func(address, file string) (taskResult, string) {
		return u.send(alice, `{"message":"parts","message_id":"m1","attachments":[{"download_url":"`+chat.URL+address+`","file_id":"`+file+`"}]}`)
	}
	first, failed := call("/1", "f1")
	if failed != "" || first.State != a2a.Completed {
		t.Fatalf("got %+v, %s", first, failed)
	}
	again, failed := call("/2", "f1")
	if failed != "" || again.TaskID != first.TaskID || fetched != 1 || len(u.agents[a2a.V10].Received()) != 1 {
		t.Errorf("again: got %+v, %s, want the task %s; fetched %d times", again, failed, first.TaskID, fetched)
	}
	if _, failed := call("/3", "f2"); !strings.Contains(failed, "status 403") {
		t.Errorf("another file: got %q", failed)
	}
}

// TestTheSameCallTwiceAtOnceSendsOnce makes equal calls at the same time, with a file whose address is good for
// one request. The second failed: a file was being sent, or a task had it.
func TestTheSameCallTwiceAtOnceSendsOnce(t *testing.T) {
	u := newUploading(t)
	u.bridge.Runner.Uploads.FetchLoopback = true
	var fetched sync.Map
	chat := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, again := fetched.LoadOrStore(r.URL.Path, true); again {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Write(pdf(1000))
	}))
	t.Cleanup(chat.Close)
	alice := u.token("alice", oauth.ScopeTools)
	for round := range 10 {
		args := fmt.Sprintf(`{"message":"parts","message_id":"m%d","attachments":[{"download_url":"%s/%d","file_id":"f1"}]}`, round, chat.URL, round)
		var calls sync.WaitGroup
		var tasks [3]taskResult
		for i := range tasks {
			calls.Go(func() {
				var failed string
				if tasks[i], failed = u.send(alice, args); failed != "" {
					t.Errorf("round %d: %s", round, failed)
				}
			})
		}
		calls.Wait()
		if tasks[0].TaskID == "" || tasks[0].TaskID != tasks[1].TaskID || tasks[0].TaskID != tasks[2].TaskID {
			t.Errorf("round %d: got %+v, want one task", round, tasks)
		}
		u.awaitEnd(alice, tasks[0])
	}
	if n := len(u.agents[a2a.V10].Received()); n != 10 {
		t.Errorf("the agent got %d messages, want 10", n)
	}
}

// TestAFileThatIsNotFetchedTakesNoRoom asks for files that the chat app refuses. Each took 25 MiB from the
// user's room, for an hour.
func TestAFileThatIsNotFetchedTakesNoRoom(t *testing.T) {
	u := newUploading(t)
	u.bridge.Runner.Uploads.FetchLoopback = true
	chat := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(chat.Close)
	alice := u.token("alice", oauth.ScopeTools)
	for i := range 2 + u.bridge.Runner.Uploads.OfOwner/u.bridge.Runner.Uploads.MaxSize {
		args := fmt.Sprintf(`{"message":"parts","attachments":[{"download_url":%q,"file_id":"f%d"}]}`, chat.URL, i)
		if _, failed := u.send(alice, args); !strings.Contains(failed, "status 404") {
			t.Fatalf("file %d: got %q", i, failed)
		}
	}
}

// TestOneUserDoesNotTakeAllPlaces begins as many files at once as a user may send. Another user sends one
// meanwhile.
func TestOneUserDoesNotTakeAllPlaces(t *testing.T) {
	u := newUploading(t)
	files := u.bridge.Runner.Uploads
	secrets := func(user string, n int) (all []string) {
		token := u.token(user, oauth.ScopeTools)
		for range n {
			_, secret, _ := strings.Cut(u.link(token, `{"name":"a.txt","size":4,"mime_type":"text/plain"}`).URL, uploads.Path)
			all = append(all, secret)
		}
		return all
	}
	ended := make(chan error, 201)
	slow, ends := io.Pipe()
	for _, secret := range secrets("bob", 201) {
		go func() {
			_, err := files.Receive(t.Context(), secret, slow, -1)
			ended <- err
		}()
	}
	if err := <-ended; !errors.Is(err, uploads.ErrAway) { // the others are coming
		t.Errorf("one more of the user: got %v, want it refused", err)
	}
	if _, err := files.Receive(t.Context(), secrets("alice", 1)[0], strings.NewReader("text"), 4); err != nil {
		t.Error(err)
	}
	ends.Close()
	for range 200 {
		<-ended
	}
}
