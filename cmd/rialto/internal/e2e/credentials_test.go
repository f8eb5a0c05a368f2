package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2aserver"
)

// realm is another organization: an agent that wants to know its users, and the
// token endpoint that tells it.
type realm struct {
	*httptest.Server
	rialto string // whose word counts

	mu   sync.Mutex
	seen []string // by the agent: what was sent as Authorization
}

func newRealm(t *testing.T) *realm {
	exec := &a2aexec.Executor{Run: func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Complete("done")
		return nil
	}}
	agent := &a2aserver.Server{Agent: exec, Card: &a2a.Card{Name: "Realm", Capabilities: a2a.Capabilities{Streaming: true}}}
	r := &realm{}
	routes := http.NewServeMux()
	routes.HandleFunc("POST /token", r.token)
	routes.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodPost && !r.admits(req) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		agent.ServeHTTP(w, req)
	})
	r.Server = httptest.NewUnstartedServer(routes)
	agent.URL = "http://" + r.Listener.Addr().String() // before the card is read
	r.Start()
	t.Cleanup(func() { exec.Close(); r.CloseClientConnections(); r.Close() })
	return r
}

// token trades the word of a Rialto for a token of this realm. It believes the
// keys that Rialto publishes, and reads the JWT with a library of others.
func (r *realm) token(w http.ResponseWriter, req *http.Request) {
	keys := oidc.NewRemoteKeySet(req.Context(), r.rialto+"/jwks.json")
	word, err := oidc.NewVerifier(r.rialto, keys, &oidc.Config{ClientID: r.URL + "/token", SupportedSigningAlgs: []string{oidc.ES256}}).Verify(req.Context(), req.PostFormValue("subject_token"))
	var claims struct {
		Name string `json:"preferred_username"`
	}
	if err == nil {
		err = word.Claims(&claims)
	}
	client, secret, _ := req.BasicAuth()
	w.Header().Set("Content-Type", "application/json")
	if err != nil || client != "rialto" || secret != "hush-hush" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":"invalid_grant"}`)
		return
	}
	fmt.Fprintf(w, `{"access_token":"of-%s","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"Bearer","expires_in":60}`, claims.Name)
}

func (r *realm) admits(req *http.Request) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, req.Header.Get("Authorization"))
	return strings.HasPrefix(req.Header.Get("Authorization"), "Bearer of-")
}

// TestAnAgentSeesATokenOfEachUser has two people use one agent of another
// organization. The tokens that they called us with stay here.
func TestAnAgentSeesATokenOfEachUser(t *testing.T) {
	t.Parallel()
	r, dir, addr := newRealm(t), t.TempDir(), freeAddress(t)
	r.rialto = "http://" + addr
	config, secret := filepath.Join(dir, "rialto.yaml"), filepath.Join(dir, "client")
	for path, text := range map[string]string{secret: "hush-hush\n", config: fmt.Sprintf(`
url: %s
database: %s
agents:
  - name: realm
    url: %s
    credentials: {type: token_exchange, token_url: %s/token, client_id: rialto, file: %s}
`, r.rialto, filepath.Join(dir, "rialto.db"), r.URL, r.URL, secret)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var tokens []string
	for _, name := range []string{"alice", "bob"} {
		output(t, password+"\n", "user", "add", name, "--password-stdin", "--config", config)
		tokens = append(tokens, output(t, "", "token", "--user", name, "--config", config))
	}
	p := start(t, addr, "serve", "--config", config, "--listen", addr)
	for _, token := range append(tokens, tokens[0]) {
		if got := call(t, p.URL, token, "send_task", map[string]any{"message": "hello"}); got.State != "completed" {
			t.Errorf("got %+v", got)
		}
	}
	if want := []string{"Bearer of-alice", "Bearer of-bob", "Bearer of-alice"}; !slices.Equal(r.seen, want) {
		t.Errorf("the agent saw %q, want %q", r.seen, want)
	}
	for _, secret := range append(tokens, "hush-hush", "of-alice", "of-bob") {
		if strings.Contains(p.log.String(), secret) {
			t.Errorf("the log holds %s", secret)
		}
	}
}
