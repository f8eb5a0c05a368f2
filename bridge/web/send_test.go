package web_test

import (
	"net/http"
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
