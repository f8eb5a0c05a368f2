package server

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestInvalidTextInAddressesIsRejected(t *testing.T) {
	r := newRig(t)
	if err := r.oauth.Accounts.SetAdmin(t.Context(), "alice", true); err != nil {
		t.Fatal(err)
	}
	token := r.operatorToken()
	for _, path := range []string{
		"/api/v1/admin/clients?text=%00", "/api/v1/admin/accounts?text=%ff", "/api/v1/admin/grants?client_id=a%00", "/api/v1/admin/tasks?agent=%c3%28",
		"/api/v1/admin/audit?actor=%00", "/api/v1/usage?tool=%00", "/api/v1/audit?target=%ff", "/api/v1/admin/clients/%00", "/api/v1/tasks/%ff", "/answer/%00", "/documents/task:%00", "/shared/%ff",
	} {
		got := r.do("GET", path, token, "")
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, "holds a NUL, or bytes that are not UTF-8") {
			t.Errorf("%s: got %s", path, got.said())
		}
	}
	if got := r.do("GET", "/api/v1/admin/accounts?text=%C3%B1", token, ""); got.status != http.StatusOK {
		t.Errorf("a letter of another alphabet: got %s", got.said())
	}
}

func TestTheLogRedactsLinksThatGiveAccess(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h := observer{log: log}.handler(http.NotFoundHandler())
	for _, path := range []string{"/shared/s3cret", "/shared/s3cret/0", "/downloads/s3cret", "/hooks/one/task/s3cret", "/mcp/eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJzM2NyZXQifQ.s3cret0123456789s3cret0123456789/x"} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/answer/task", nil))
	if text := out.String(); strings.Contains(text, "s3cret") || !strings.Contains(text, "path=/answer/task") || !strings.Contains(text, "path=/shared/…") {
		t.Errorf("got %s", text)
	}
}
