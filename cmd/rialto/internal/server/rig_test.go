package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/telemetry"
	"rialto/oauth"
	"rialto/oauth/oauthtest"
	"rialto/store"
)

// rig is a whole server on loopback, with the agents of a test.
type rig struct {
	*Server
	t *testing.T

	mcpOf map[string]string // the path of the MCP endpoint, for tokens of connectors
}

// path returns where a request goes that is meant for the MCP endpoint of a token.
func (r *rig) path(token, path string) string {
	if of := r.mcpOf[token]; of != "" && (path == "/mcp" || path == "/sse" || path == "/mcp/messages") {
		return of + strings.TrimPrefix(path, "/mcp")
	}
	return path
}

// connectorToken returns a token of a user's for a connector.
func (r *rig) connectorToken(user, connector string, scopes ...string) string {
	r.t.Helper()
	url := r.cfg.Load().URL + "/mcp/" + connector
	token, _, err := r.oauth.Tokens.IssueFor(r.t.Context(), r.oauth.Resources.Of(url), user, scopes, time.Hour)
	if err != nil {
		r.t.Fatal(err)
	}
	if r.mcpOf == nil {
		r.mcpOf = map[string]string{}
	}
	r.mcpOf[token] = "/mcp/" + connector
	return token
}

// newRig starts one with two users, alice and bob.
func newRig(t *testing.T, agents ...config.Agent) *rig {
	t.Helper()
	return newRigWith(t, func(c *config.Config) { c.Agents = agents })
}

// newRigWith starts one whose configuration set completes. What the
// configuration does not have is set before anything runs.
func newRigWith(t *testing.T, set func(*config.Config), before ...func(*Server)) *rig {
	t.Helper()
	return startRig(t, slog.New(slog.DiscardHandler), nil, set, before...)
}

// newRigLogging is newRigWith with a log.
func newRigLogging(t *testing.T, log *slog.Logger, set func(*config.Config), before ...func(*Server)) *rig {
	t.Helper()
	return startRig(t, log, nil, set, before...)
}

// startRig starts one with a log and telemetry.
func startRig(t *testing.T, log *slog.Logger, to *telemetry.Telemetry, set func(*config.Config), before ...func(*Server)) *rig {
	t.Helper()
	dir := t.TempDir()
	cfg := config.Demo(dir)
	cfg.Listen, cfg.Storage.Database, cfg.Storage.SecretFile = "127.0.0.1:0", store.Memory, filepath.Join(dir, "secret")
	set(cfg)
	if err := cfg.Check(); err != nil {
		t.Fatal(err)
	}
	l, err := Listen(cfg.Listen)
	if err != nil {
		t.Fatal(err)
	}
	cfg.ListensOn(l.Addr())
	calls, err := ListenGRPC(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s, err := assemble(t.Context(), cfg, log, to)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range before {
		set(s)
	}
	s.start(t.Context())
	for _, user := range []string{"alice", "bob"} {
		if _, err := s.oauth.Accounts.Find(t.Context(), user); err != nil { // unless it is started again
			oauthtest.AddUser(t, s.oauth, user, "correct horse battery staple")
		}
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	stopped := make(chan error, 1)
	go func() { stopped <- s.ServeBoth(ctx, l, calls) }()
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return &rig{Server: s, t: t}
}

// token returns an access token of user's.
func (r *rig) token(user string, scopes ...string) string {
	r.t.Helper()
	token, _, err := r.oauth.Tokens.Issue(r.t.Context(), user, scopes, time.Hour)
	if err != nil {
		r.t.Fatal(err)
	}
	return token
}

// full returns a token of user's for all that A2A has.
func (r *rig) full(user string) string {
	return r.token(user, oauth.ScopeDiscover, oauth.ScopePublish)
}

// reply is what came back from a call.
type reply struct {
	status int
	header http.Header
	body   string
}

// do makes a request. Headers are NAME: VALUE; one without a value is left out.
func (r *rig) do(method, path, token, body string, headers ...string) reply {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, r.cfg.Load().URL+r.path(token, path), strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		if name, value, _ := strings.Cut(h, ": "); value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return reply{resp.StatusCode, resp.Header, string(b)}
}

// decode reads a JSON answer.
func (a reply) decode(t *testing.T, v any) {
	t.Helper()
	if err := json.NewDecoder(bytes.NewReader([]byte(a.body))).Decode(v); err != nil {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
}
