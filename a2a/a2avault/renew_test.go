package a2avault_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2avault"
	"rialto/internal/safehttp"
)

// issuer is an authorization server whose refresh tokens are used once.
type issuer struct {
	*httptest.Server
	mu      sync.Mutex
	asked   int
	current string // the refresh token that counts
	answer  int    // another status than 200
	slow    chan struct{}
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{}
	i.Server = httptest.NewServer(http.HandlerFunc(i.token))
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	if i.slow != nil {
		<-i.slow
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked++
	w.Header().Set("Content-Type", "application/json")
	switch {
	case i.answer != 0:
		w.WriteHeader(i.answer)
	case r.PostFormValue("grant_type") == "refresh_token" && r.PostFormValue("refresh_token") != i.current:
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":"invalid_grant"}`)
	default:
		i.current = fmt.Sprint("refresh-", i.asked)
		fmt.Fprintf(w, `{"access_token":"access-%d","token_type":"Bearer","expires_in":600,"refresh_token":%q}`, i.asked, i.current)
	}
}

// rig is a user who has connected an agent, at a store that replicas share.
type rig struct {
	t      *testing.T
	store  a2avault.Store
	issuer *issuer
	app    a2avault.App
	mu     sync.Mutex
	now    time.Time
	host   string // of the agent

	revokes bool // forgotten tokens are revoked
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, store: newStore(t), issuer: newIssuer(t), now: time.Now(), host: "agent.test"}
	r.app = a2avault.App{
		Agent: "maps", Fetch: &safehttp.Client{Loopback: true}, AuthorizationURL: r.issuer.URL + "/authorize", TokenURL: r.issuer.URL + "/token", ClientID: "rialto",
	}
	v := r.replica("first")
	to, err := v.Begin(t.Context(), r.app, r.app.SignInMethods(&a2a.Card{})[0], "ann", "", false)
	if err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(to.URL)
	if _, err := v.Finish(t.Context(), r.app, "ann", a2avault.Response{State: u.Query().Get("state"), Code: "c", Browser: to.Browser}); err != nil {
		t.Fatal(err)
	}
	return r
}

// Host implements a2avault.Agents.
func (r *rig) Host(string) string { return r.host }

// App implements a2avault.Agents.
func (r *rig) App(string) (a2avault.App, bool) { return r.app, r.revokes }

func (r *rig) replica(name string) *a2avault.Vault {
	return &a2avault.Vault{
		Store: r.store, Key: []byte("0123456789abcdef0123456789abcdef"), URL: "https://rialto.test", Name: "Rialto", Replica: name,
		Log: slog.New(slog.DiscardHandler), Agents: r, Now: func() time.Time {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.now
		},
	}
}

func (r *rig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

// shown returns what a call of user's carries, or why there is none.
func (r *rig) shown(v *a2avault.Vault, user string) (string, error) {
	req := httptest.NewRequestWithContext(r.t.Context(), http.MethodPost, "https://agent.test/", nil)
	err := a2avault.Credentials{Vault: v, App: r.app}.Apply(req, a2aclient.Caller{User: user})
	return req.Header.Get("Authorization"), err
}

func (r *rig) want(v *a2avault.Vault, header string) {
	r.t.Helper()
	if got, err := r.shown(v, "ann"); got != header || err != nil {
		r.t.Errorf("got %q, %v, want %q", got, err, header)
	}
}

func TestATokenIsOfOneUserAloneAndRenewedBeforeItEnds(t *testing.T) {
	r := newRig(t)
	v := r.replica("first")
	r.want(v, "Bearer access-1")
	if got, err := r.shown(v, "bob"); got != "" || !a2a.Is(err, a2a.Unauthenticated) {
		t.Errorf("another user: got %q, %v", got, err)
	}
	if got, err := r.shown(v, ""); got != "" || err != nil {
		t.Errorf("nobody: got %q, %v", got, err)
	}
	r.pass(9*time.Minute + 40*time.Second)
	r.want(v, "Bearer access-2")
	r.want(v, "Bearer access-2")
	r.pass(10 * time.Minute)
	r.want(r.replica("second"), "Bearer access-3")
}

func TestManyWhoNeedATokenRenewItOnceOnAllReplicas(t *testing.T) {
	r := newRig(t)
	r.pass(time.Hour)
	r.issuer.slow = make(chan struct{})
	var all sync.WaitGroup
	for _, v := range []*a2avault.Vault{r.replica("first"), r.replica("second"), r.replica("third")} {
		for range 5 {
			all.Go(func() { r.want(v, "Bearer access-2") })
		}
	}
	close(r.issuer.slow)
	all.Wait()
	if r.issuer.asked != 2 {
		t.Errorf("asked %d times, want the code's and one more", r.issuer.asked)
	}
}

func TestATokenThatTheAgentRefusesIsRenewedOnce(t *testing.T) {
	r := newRig(t)
	c := a2avault.Credentials{Vault: r.replica("first"), App: r.app}
	refused := func(header string) bool {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://agent.test/", nil)
		req.Header.Set("Authorization", header)
		return c.Renew(req, a2aclient.Caller{User: "ann"})
	}
	if refused("Bearer access-1") {
		t.Error("renewed a token that is too new for another to help")
	}
	r.pass(time.Minute)
	for _, wrong := range []string{"not renewed", "the new one is not seen"} {
		if !refused("Bearer access-1") {
			t.Error(wrong)
		}
	}
	r.want(c.Vault, "Bearer access-2")
	if r.issuer.asked != 2 {
		t.Errorf("asked %d times", r.issuer.asked)
	}
}

func TestAConnectionThatItsServerEndsHasToBeMadeAgain(t *testing.T) {
	r := newRig(t)
	v := r.replica("first")
	r.issuer.current = "another"
	r.pass(time.Hour)
	for range 2 {
		if got, err := r.shown(v, "ann"); got != "" || !a2a.Is(err, a2a.Unauthenticated) || strings.Contains(err.Error(), "refresh-") {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if connected, err := v.Connected(t.Context(), "ann", "maps"); connected || err != nil || r.issuer.asked != 2 {
		t.Errorf("connected %v, %v, asked %d times", connected, err, r.issuer.asked)
	}
}

func TestAnOutageEndsNoConnection(t *testing.T) {
	r := newRig(t)
	v := r.replica("first")
	r.issuer.answer = http.StatusServiceUnavailable
	r.pass(9*time.Minute + 40*time.Second)
	r.want(v, "Bearer access-1") // it is good for a while yet
	r.pass(time.Minute)
	if _, err := r.shown(v, "ann"); !a2a.Is(err, a2a.Unavailable) {
		t.Errorf("got %v", err)
	}
	r.issuer.answer = 0
	if got, err := r.shown(v, "ann"); !strings.HasPrefix(got, "Bearer access-") || got == "Bearer access-1" || err != nil {
		t.Errorf("afterwards: got %q, %v", got, err)
	}
}

func TestAnAgentThatMovesToAnotherHostIsConnectedAnew(t *testing.T) {
	r := newRig(t)
	v := r.replica("first")
	for host, connected := range map[string]bool{"agent.test": true, "elsewhere.test": false} {
		r.host = host
		got, err := r.shown(v, "ann")
		if (got != "") != connected || a2a.Is(err, a2a.Unauthenticated) == connected {
			t.Errorf("at %s it is shown %q, %v", host, got, err)
		}
		if known, err := v.Connected(t.Context(), "ann", "maps"); known != connected || err != nil {
			t.Errorf("at %s: connected %v, %v", host, known, err)
		}
		if all, err := v.Connections(t.Context(), "ann"); err != nil || len(all) != 1 || (all[0].Kind == a2avault.OAuth) != connected {
			t.Errorf("at %s: listed as %+v, %v", host, all, err)
		}
	}
}

// TestTheSecretOfTheConfigurationGoesToItsServerAlone has an operator name another
// server, with a secret, for users who were connected by the first.
func TestTheSecretOfTheConfigurationGoesToItsServerAlone(t *testing.T) {
	for name, change := range map[string]func(*a2avault.App){
		"another token endpoint": func(a *a2avault.App) { a.TokenURL = "https://other.test/token" },
		"another issuer":         func(a *a2avault.App) { a.Issuer = "https://other.test" },
	} {
		r := newRig(t)
		v := r.replica("first")
		r.app.ClientSecret = "brand-new"
		change(&r.app)
		r.pass(time.Hour)
		if got, err := r.shown(v, "ann"); got != "" || !a2a.Is(err, a2a.Unauthenticated) || r.issuer.asked != 1 {
			t.Errorf("%s: got %q, %v, and the first server was asked %d times", name, got, err, r.issuer.asked)
		}
	}
}

func TestWhatIsKeptIsSealedForItsOwner(t *testing.T) {
	r := newRig(t)
	v := r.replica("first")
	if err := v.Save(t.Context(), "ann", "maps", a2avault.APIKey, a2avault.Secret{Value: "hush-hush", Name: "X-Key"}); err != nil {
		t.Fatal(err)
	}
	row, err := r.store.Connection(t.Context(), "ann", "maps")
	if err != nil || strings.Contains(row.Sealed, "hush") {
		t.Fatalf("got %+v, %v", row, err)
	}
	moved := *row
	moved.Owner = "bob"
	if err := r.store.PutConnection(t.Context(), moved); err != nil {
		t.Fatal(err)
	}
	if got, err := r.shown(v, "bob"); got != "" || err == nil {
		t.Errorf("a row that was moved: got %q, %v", got, err)
	}
	other := r.replica("first")
	other.Key = []byte("another key of thirty-two bytes!")
	if _, err := r.shown(other, "ann"); err == nil || strings.Contains(err.Error(), "hush") {
		t.Errorf("under another secret: got %v", err)
	}
}
