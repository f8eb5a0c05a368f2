package web_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"testing"

	"rialto/bridge/documents"
)

// TestARequestIsSentFromTheStartPageOnce posts the form of the start page, and posts it again.
func TestARequestIsSentFromTheStartPageOnce(t *testing.T) {
	r := newTasks(t)
	form := url.Values{
		"do": {"send"}, "once": {strings.Repeat("A", 26)}, "agent": {"scripted"}, "message": {"echo hello"},
	}
	send := func(change string, value string) (int, string) {
		changed := url.Values{}
		for name, values := range form {
			changed[name] = values
		}
		if change != "" {
			changed.Set(change, value)
		}
		w := r.browse("alice", "POST", documents.TaskPath, formType, changed.Encode())
		return w.Code, w.Header().Get("Location")
	}
	status, first := send("", "")
	if status != http.StatusSeeOther || !strings.HasPrefix(first, "/answer/") || !strings.HasSuffix(first, "?done=sent") {
		t.Fatalf("got %d to %q, want the page of the task", status, first)
	}
	if _, again := send("", ""); again != first {
		t.Errorf("sent twice: got %q, want %q", again, first)
	}
	if sent := r.sentTexts(); len(sent) != 1 || sent[0] != "echo hello" {
		t.Errorf("the agent got %q", sent)
	}
	page := r.browse("alice", "GET", first, "", "").Body.String()
	if !strings.Contains(page, "hello") {
		t.Errorf("got %s", page)
	}
	for change, want := range map[[2]string]int{
		{"agent", "nobody"}: http.StatusConflict,
		{"message", " "}:    http.StatusConflict,
		{"once", ""}:        http.StatusBadRequest,
	} {
		if status, _ := send(change[0], change[1]); status != want {
			t.Errorf("%v: got %d, want %d", change, status, want)
		}
	}
}

// TestAFileThatTheAgentDoesNotTakeIsRefusedOnThePages sends a table to an agent that takes pictures: the
// start page answered 500, and the page of a task gave no reason.
func TestAFileThatTheAgentDoesNotTakeIsRefusedOnThePages(t *testing.T) {
	r := newTasks(t)
	asked := r.send("ask Which picture?")
	for target, c := range map[string]struct {
		fields map[string]string
		status int
	}{
		documents.TaskPath: {
			map[string]string{"do": "send", "once": strings.Repeat("A", 26), "agent": "scripted", "message": "parts"}, http.StatusConflict,
		},
		documents.TaskPath + asked.TaskID: {map[string]string{"field:answer": "parts"}, http.StatusBadGateway},
	} {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		if c.fields["do"] == "" {
			for name, values := range r.open(asked, c.fields) {
				form.WriteField(name, values[0])
			}
		}
		for name, value := range c.fields {
			form.WriteField(name, value)
		}
		part, _ := form.CreatePart(textproto.MIMEHeader{
			"Content-Disposition": {`form-data; name="files"; filename="a.csv"`}, "Content-Type": {"text/csv"},
		})
		part.Write([]byte("a,b"))
		form.Close()
		w := r.browse("alice", "POST", target, form.FormDataContentType(), body.String())
		page := w.Body.String()
		if w.Code != c.status || !strings.Contains(page, "text/csv") || !strings.Contains(page, "text/plain, image/png") {
			t.Errorf("%s: got %d %s", target, w.Code, page)
		}
	}
	if n := len(r.sentTexts()); n != 1 {
		t.Errorf("the agent got %d messages, want only the first", n)
	}
}
