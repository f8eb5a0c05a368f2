package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/cmd/rialto/internal/config"
	"rialto/internal/audit"
)

// TestReload changes live settings, and settings that need a restart.
func TestReload(t *testing.T) {
	level := new(slog.LevelVar)
	var change func(*config.Config)
	r := newRigWith(t, func(*config.Config) {}, func(s *Server) {
		s.Source = Source{Level: level, Read: func() (*config.Config, error) {
			next := *s.cfg.Load()
			change(&next)
			return &next, next.Check()
		}}
	})
	reload := func(c func(*config.Config)) ([]config.Change, error) {
		change = c
		return r.Reload(t.Context())
	}
	changes, err := reload(func(c *config.Config) {
		c.Log.Level, c.Limits.CallsPerUser, c.AllowedOrigins = "debug", 1, []string{"https://new.example"}
	})
	if err != nil || len(changes) != 3 || level.Level() != slog.LevelDebug {
		t.Fatalf("got %v, %v, level %s", changes, err, level)
	}
	if got := r.do("OPTIONS", "/mcp", "", "", "Origin: https://new.example", "Access-Control-Request-Method: POST"); got.header.Get("Access-Control-Allow-Origin") == "" {
		t.Errorf("the new origin is not allowed: %v", got.header)
	}
	if got := r.events(audit.Reloaded); len(got) != 1 || !strings.Contains(got[0].Detail, "limits.calls_per_user: 256 → 1") {
		t.Errorf("got %+v", got)
	}

	changes, err = reload(func(c *config.Config) { c.Log.Level, c.Listen, c.Name = "error", "127.0.0.1:1", "Other" })
	if !errors.Is(err, ErrNeedsRestart) || !strings.HasSuffix(err.Error(), ": listen, name") || level.Level() != slog.LevelDebug {
		t.Errorf("got %v, %v, level %s; want that listen and name need a restart, and nothing applied", changes, err, level)
	}
	if _, err = reload(func(c *config.Config) { c.Log.Level, c.Limits.TaskSize = "error", 0 }); err == nil || level.Level() != slog.LevelDebug {
		t.Errorf("got %v, level %s; want an error, and nothing applied", err, level)
	}
	if got := r.events(audit.Reloaded); len(got) != 3 || got[0].Outcome != audit.Failed || got[1].Outcome != audit.Failed {
		t.Errorf("got %+v", got)
	}
}

// TestTheRatesOfTheLoginAreSettings uses up a rate, which a reload then raises.
func TestTheRatesOfTheLoginAreSettings(t *testing.T) {
	r := newRigWith(t, func(c *config.Config) { c.Limits.AuthorizeRate = 1 }, func(s *Server) {
		s.oauth.Registration.PerHour = 1
		s.Source = Source{Level: new(slog.LevelVar), Read: func() (*config.Config, error) {
			next := *s.cfg.Load()
			next.Limits.AuthorizeRate = 60
			return &next, next.Check()
		}}
	})
	var client struct {
		ID string `json:"client_id"`
	}
	const callback = "https://app.example/cb"
	for i := range 61 { // loopback has sixty times the rate
		got := r.do("POST", "/register", "", `{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`)
		if want := map[bool]int{true: 201, false: 429}[i < 60]; got.status != want {
			t.Fatalf("registration %d: got %d %s, want %d", i+1, got.status, got.body, want)
		}
		if i == 0 {
			if err := json.Unmarshal([]byte(got.body), &client); err != nil {
				t.Fatal(err)
			}
		}
	}
	authorize := func() reply {
		return r.do("GET", "/authorize?"+url.Values{
			"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {callback},
			"code_challenge": {strings.Repeat("x", 43)}, "code_challenge_method": {"S256"},
		}.Encode(), "", "")
	}
	for i := range 3 {
		got := authorize()
		if want := map[bool]int{true: 200, false: 429}[i < 2]; got.status != want {
			t.Fatalf("authorization %d: got %d, want %d", i+1, got.status, want)
		}
		if policy := got.header.Get("RateLimit-Policy"); got.status == 429 && policy != `"authorize";q=2;w=120` {
			t.Errorf("got the quota %s", policy)
		}
	}
	if changes, err := r.Reload(t.Context()); err != nil || describeChanges(changes) != "limits.authorize_rate_per_network: 1 → 60" {
		t.Errorf("got %v, %v", changes, err)
	}
	if got := authorize(); got.status != 200 {
		t.Errorf("after the reload: got %d", got.status)
	}
}

// TestReloadReadsFilesAgain replaces the logo, which pages then show, and secrets: each counts at once, and
// the one before it for secret_overlap. A new secret was refused, and the old one was still taken.
func TestReloadReadsFilesAgain(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"registration", "client", "provider", "tokens"}
	for _, name := range names {
		write(name, name+" 0123456789abcdef0123456789abcdef")
	}
	write("logo.svg", "<svg>one</svg>")
	write("rialto.yaml", fmt.Sprintf(`listen: 127.0.0.1:0
database: memory
secret_file: %q
brand: {logo: %q}
registration: {mode: token, token: {file: %q}}
clients: [{id: portal, auth: client_secret_basic, secret: {file: %q}, introspect: true}]
sign_in: {oidc: [{id: corp, issuer: "https://id.example.com", client_id: rialto, client_secret: {file: %q}}]}
tokens: {algorithm: HS256, secret: {file: %q}}
`, in("secret"), in("logo.svg"), in(names[0]), in(names[1]), in(names[2]), in(names[3])))
	read := func() (*config.Config, error) { return config.Load(in("rialto.yaml"), nil, &pflag.FlagSet{}) }
	r := newRigWith(t, func(c *config.Config) {
		first, err := read()
		if err != nil {
			t.Fatal(err)
		}
		*c = *first
	}, func(s *Server) { s.Source = Source{Level: new(slog.LevelVar), Read: read} })

	if changes, err := r.Reload(t.Context()); err != nil || len(changes) != 0 {
		t.Errorf("got %v, %v; want that nothing has changed", changes, err)
	}
	write("logo.svg", "<svg>two</svg>")
	changes, err := r.Reload(t.Context())
	if err != nil || describeChanges(changes) != "brand.logo (contents): (set, not shown) → (set, not shown)" {
		t.Errorf("got %v, %v; want the logo", changes, err)
	}
	if got := r.do("GET", "/static/brand-logo", "", ""); got.body != "<svg>two</svg>" {
		t.Errorf("got the logo %q", got.body)
	}
	statuses := func(texts ...string) (got []int) {
		for _, text := range texts {
			basic := base64.StdEncoding.EncodeToString([]byte("portal:" + url.QueryEscape(text)))
			register := r.do("POST", "/register", strings.Replace(text, "client", "registration", 1), `{"redirect_uris":["https://app.example/cb"]}`)
			introspect := r.do("POST", "/introspect", "", "token=x", "Authorization: Basic "+basic, "Content-Type: application/x-www-form-urlencoded")
			got = append(got, register.status, introspect.status)
		}
		return got
	}
	old := r.token("alice", "mcp:tools")
	secrets := []string{"client one 456789abcdef0123456789abcdef", "client two 456789abcdef0123456789abcdef", "client three 56789abcdef0123456789abcdef"}
	for round, want := range [][]int{{201, 200, 401, 401, 401, 401}, {201, 200, 201, 200, 401, 401}, {401, 401, 401, 401, 201, 200}} {
		for _, name := range names {
			write(name, strings.Replace(secrets[round], "client", name, 1))
		}
		if round == 2 {
			file, err := os.ReadFile(in("rialto.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			write("rialto.yaml", string(file)+"secret_overlap: 0s\n")
		}
		changes, err = r.Reload(t.Context())
		for _, key := range []string{"clients[0].secret.file", "registration.token.file", "sign_in.oidc[0].client_secret.file", "tokens.secret.file"} {
			if want := key + " (contents): (set, not shown) → (set, not shown)"; err != nil || !slices.ContainsFunc(changes, func(c config.Change) bool { return c.String() == want }) {
				t.Errorf("got %v, %v; want %s", changes, err, want)
			}
		}
		if got := statuses(secrets...); !slices.Equal(got, want) {
			t.Errorf("round %d: got %v, want %v", round, got, want)
		}
		got := r.do("POST", "/mcp/tools/call", old, `{"name":"list_agents"}`)
		if want := map[bool]int{true: 401, false: 200}[round == 2]; got.status != want {
			t.Errorf("round %d: a token with the first secret got %d, want %d", round, got.status, want)
		}
	}
	for after, want := range map[time.Duration][]string{time.Minute: {secrets[2], secrets[1], secrets[0], "client 0123456789abcdef0123456789abcdef"}, time.Hour: secrets[2:]} {
		if got := r.reloading.secrets.accepted("clients[portal]", time.Now().Add(after), 10*time.Minute); !slices.Equal(got, want) {
			t.Errorf("after %s: got %v, want %v", after, got, want)
		}
	}
}

// TestReloadUnderLoad reloads 100 times, with agents that come and go, another limit and another
// secret each time, while users call an agent that stays. No call fails.
func TestReloadUnderLoad(t *testing.T) {
	stays := config.Agent{Name: "stays", URL: a2atest.Serve(t, a2atest.NewAgent(), a2atest.NewAgent().Card(), a2a.V10)}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	stays.Credentials.Type, stays.Credentials.File = "bearer", secret
	goes := config.Agent{Name: "goes", URL: a2atest.Serve(t, a2atest.NewAgent(), a2atest.NewAgent().Card(), a2a.V10)}
	path := filepath.Join(t.TempDir(), "rialto.yaml")
	r := newRigWith(t, func(c *config.Config) { c.Agents = []config.Agent{stays} }, func(s *Server) {
		s.Source = Source{Level: new(slog.LevelVar), Read: func() (*config.Config, error) { return config.Load(path, nil, &pflag.FlagSet{}) }}
	})
	token := r.token("alice", "mcp:tools")
	ctx, stop := context.WithCancel(t.Context())
	var calls atomic.Int64
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for ctx.Err() == nil {
				if got := r.do("POST", "/mcp/tools/call", token, `{"name":"send_task","arguments":{"agent":"stays","message":"echo hello"}}`); got.status != 200 || !strings.Contains(got.body, `"completed"`) {
					t.Errorf("got %d %s", got.status, got.body)
					return
				}
				calls.Add(1)
			}
		})
	}
	for i := range 100 {
		file := fmt.Sprintf("listen: 127.0.0.1:0\ndatabase: memory\nsecret_file: %q\nname: Rialto demo\nlog: {level: warn}\nlimits: {calls_per_user: %d}\nagents:\n- {name: stays, url: %q, credentials: {type: bearer, file: %q}}\n", r.cfg.Load().Storage.SecretFile, 100+i, stays.URL, secret)
		if i%2 == 0 {
			file += fmt.Sprintf("- {name: goes, url: %q}\n", goes.URL)
		}
		err := errors.Join(os.WriteFile(path, []byte(file), 0o600), os.WriteFile(secret, fmt.Appendf(nil, "secret %d", i), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		changes, err := r.Reload(t.Context())
		if text := describeChanges(changes); err != nil || !strings.Contains(text, "limits.calls_per_user") || !strings.Contains(text, "agents[stays].credentials (contents)") || strings.Contains(text, "secret ") {
			t.Fatalf("reload %d: got %v, %v; want a limit, the secret without its value, and an agent", i, text, err)
		}
		if known := r.bridge.Directory.Lookup("goes") != nil; known != (i%2 == 0) {
			t.Errorf("reload %d: the agent is there: %v", i, known)
		}
	}
	stop()
	callers.Wait()
	t.Logf("%d calls", calls.Load())
}

// TestAReloadWhileTheServerStarts mounts the routes when a reload has set the configuration and not yet
// the agents. The server crashed.
func TestAReloadWhileTheServerStarts(t *testing.T) {
	r := newRig(t)
	next := *r.cfg.Load()
	next.Agents = append(slices.Clone(next.Agents), config.Agent{Name: "new", URL: "https://new.example"})
	r.cfg.Store(&next)
	if _, err := r.handler(); err != nil {
		t.Error(err)
	}
}
