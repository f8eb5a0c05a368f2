package server

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// TestAFileIsCheckedBeforeAnAgentSeesIt has a scanner that takes a file, refuses it, leads elsewhere, and is
// away. What it does not take leaves nothing, and the link can be used again.
func TestAFileIsCheckedBeforeAnAgentSeesIt(t *testing.T) {
	file := pdf(300_000)
	answers := http.StatusOK
	var seen []byte
	scanner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen, _ = io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/pdf" {
			t.Errorf("the scanner got %s of %s", r.Method, r.Header.Get("Content-Type"))
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(answers)
	}))
	t.Cleanup(scanner.Close)
	u := newUploading(t, func(c *config.Config) { c.Links.Uploads.ScanURL = scanner.URL + "/scan" })
	alice := u.token("alice", oauth.ScopeTools)
	l := u.link(alice, aPDF)
	waits, failed := u.send(alice, `{"message":"parts","files":[{"upload":"`+l.ID+`"}]}`)
	if failed != "" {
		t.Fatal(failed)
	}
	for _, status := range []int{http.StatusUnprocessableEntity, http.StatusTemporaryRedirect, http.StatusInternalServerError} {
		answers, seen = status, nil
		if got := u.put(l, file); got.status != 422 || !strings.Contains(got.body, "check of this server refused") {
			t.Errorf("the scanner answers %d: got %d %s", status, got.status, got.body)
		}
		if !bytes.Equal(seen, file) {
			t.Errorf("the scanner got %d bytes, not the file", len(seen))
		}
	}
	service := u.bridge.Runner.Uploads
	service.ScanURL = "http://127.0.0.1:1/scan"
	if got := u.put(l, file); got.status != 503 || got.header.Get("Retry-After") == "" || !strings.Contains(got.body, "cannot be checked") {
		t.Errorf("the scanner is away: got %d %v %s", got.status, got.header, got.body)
	}
	if n := len(u.agents[a2a.V10].Received()); n != 0 {
		t.Errorf("the agent got %d messages before the check", n)
	}

	service.ScanURL, answers = scanner.URL+"/scan", http.StatusOK
	if got := u.put(l, file); got.status != 201 {
		t.Fatalf("the scanner takes it: got %d %s", got.status, got.body)
	}
	if task := u.awaitEnd(alice, waits); task.State != a2a.Completed {
		t.Errorf("got %+v", task)
	}
}
