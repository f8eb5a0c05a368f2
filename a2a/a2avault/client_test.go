package a2avault_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2avault"
	"rialto/internal/safehttp"
)

// registrar is an authorization server that registers clients, and forgets them.
type registrar struct {
	*httptest.Server
	registered int
	known      string // the client that it knows
	status     int    // of its metadata; 0 is 200
	ended      []string
}

func newRegistrar(t *testing.T) *registrar {
	s := &registrar{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/.well-known/oauth-authorization-server":
			if s.status != 0 {
				w.WriteHeader(s.status)
			}
			_ = json.NewEncoder(w).Encode(map[string]any{
				"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token", "registration_endpoint": s.URL + "/register", "revocation_endpoint": s.URL + "/revoke",
			})
		case "/register":
			s.registered++
			s.known = fmt.Sprint("client-", s.registered)
			w.WriteHeader(http.StatusCreated)
			_ = json.NewEncoder(w).Encode(map[string]string{"client_id": s.known})
		case "/revoke":
			s.ended = append(s.ended, r.PostFormValue("client_id")+" "+r.PostFormValue("token"))
		case "/token":
			if r.PostFormValue("client_id") != s.known {
				w.WriteHeader(http.StatusUnauthorized)
				fmt.Fprint(w, `{"error":"invalid_client"}`)
				return
			}
			fmt.Fprint(w, `{"access_token":"a","token_type":"Bearer","expires_in":600,"refresh_token":"r"}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// TestAServerThatForgetsItsClientsIsTakenAsNew makes a server forget its clients, as those
// do that keep them in memory: users must be able to connect again without a change of
// the database.
func TestAServerThatForgetsItsClientsIsTakenAsNew(t *testing.T) {
	s, r := newRegistrar(t), newRig(t)
	r.app = a2avault.App{Agent: "plans", Fetch: &safehttp.Client{Loopback: true}, Issuer: s.URL}
	v := r.replica("first")
	leave := func(lost bool) (client string, back a2avault.Response) {
		t.Helper()
		to, err := v.Begin(t.Context(), r.app, r.app.SignInMethods(&a2a.Card{})[0], "ann", "", lost)
		if err != nil {
			t.Fatal(err)
		}
		u, _ := url.Parse(to.URL)
		return u.Query().Get("client_id"), a2avault.Response{State: u.Query().Get("state"), Code: "c", Browser: to.Browser}
	}
	finish := func(back a2avault.Response) error {
		_, err := v.Finish(t.Context(), r.app, "ann", back)
		return err
	}
	first, back := leave(false)
	if again, _ := leave(true); again != first {
		t.Errorf("two tabs at once are the clients %s and %s", first, again)
	}
	if err := finish(back); err != nil {
		t.Fatal(err)
	}
	s.known = "" // it says so to us, when a token ends
	r.pass(time.Hour)
	if got, err := r.shown(v, "ann"); got != "" || !a2a.Is(err, a2a.Unauthenticated) {
		t.Errorf("a client that is not known: got %q, %v", got, err)
	}
	second, back := leave(false)
	if err := finish(back); second == first || err != nil {
		t.Errorf("after a refresh: got %s again, %v", second, err)
	}
	s.known = "" // when it gets a code
	_, back = leave(false)
	if err := finish(back); err == nil {
		t.Error("connected by a client that is not known")
	}
	if third, back := leave(false); third == second || finish(back) != nil {
		t.Errorf("after a code: got %s again", third)
	}
	s.known = "" // or to the person alone, who does not come back
	dead, _ := leave(false)
	r.pass(2 * time.Minute)
	if fourth, back := leave(true); fourth == dead || finish(back) != nil {
		t.Errorf("after a page that leads nowhere: got %s again", fourth)
	}
}

// TestAServerThatIsAwayIsSaidToBe asks for a sign-in while the server has an outage: it
// is not the operator's fault, and may be over soon.
func TestAServerThatIsAwayIsSaidToBe(t *testing.T) {
	s, r := newRegistrar(t), newRig(t)
	r.app = a2avault.App{Agent: "plans", Fetch: &safehttp.Client{Loopback: true}, Issuer: s.URL}
	v := r.replica("first")
	begin := func() error {
		_, err := v.Begin(t.Context(), r.app, r.app.SignInMethods(&a2a.Card{})[0], "ann", "", false)
		return err
	}
	for status, away := range map[int]bool{http.StatusServiceUnavailable: true, http.StatusTooManyRequests: true, http.StatusForbidden: false} {
		s.status = status
		if err := begin(); err == nil || a2avault.Unavailable(err) != away {
			t.Errorf("%d: got %v", status, err)
		}
	}
	s.Close()
	if err := begin(); !a2avault.Unavailable(err) {
		t.Errorf("no server: got %v", err)
	}
}

// TestWhatIsForgottenIsEndedThere has a person forget a connection: its tokens are worth
// nothing any more, or, where the server cannot be asked, are at least not here.
func TestWhatIsForgottenIsEndedThere(t *testing.T) {
	s, r := newRegistrar(t), newRig(t)
	r.app = a2avault.App{Agent: "plans", Fetch: &safehttp.Client{Loopback: true}, Issuer: s.URL}
	v := r.replica("first")
	r.revokes = true
	for _, away := range []bool{false, true} {
		to, err := v.Begin(t.Context(), r.app, r.app.SignInMethods(&a2a.Card{})[0], "ann", "", false)
		if err != nil {
			t.Fatal(err)
		}
		u, _ := url.Parse(to.URL)
		if _, err := v.Finish(t.Context(), r.app, "ann", a2avault.Response{State: u.Query().Get("state"), Code: "c", Browser: to.Browser}); err != nil {
			t.Fatal(err)
		}
		if away {
			s.Close()
		}
		if err := v.Forget(t.Context(), "ann", "plans"); err != nil {
			t.Error(err)
		}
		if has, err := v.Connected(t.Context(), "ann", "plans"); has || err != nil || len(s.ended) != 1 || s.ended[0] != "client-1 r" {
			t.Errorf("away %v: connected %v, %v, and the server got revocations of %q", away, has, err, s.ended)
		}
	}
	if err := v.Forget(t.Context(), "ann", "plans"); !errors.Is(err, a2avault.ErrNone) {
		t.Errorf("nothing to forget: got %v", err)
	}
}
