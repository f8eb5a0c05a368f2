package a2avault_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2avault"
	"rialto/internal/safehttp"
)

// coder is an authorization server where people enter codes.
type coder struct {
	*httptest.Server
	asked, polled url.Values
	polls         int
	says          string // the error of its token endpoint; "" is a token
	status        int    // the status of the answer
	page          string // where people enter the code
}

func newCoder(t *testing.T) *coder {
	s := &coder{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = r.ParseForm()
		switch r.URL.Path {
		case "/device":
			s.asked = r.PostForm
			_ = json.NewEncoder(w).Encode(map[string]any{
				"device_code": "secret-code", "user_code": "WDJB-MJHT", "verification_uri": s.page, "expires_in": 600, "interval": 5,
			})
		case "/token":
			s.polled = r.PostForm
			s.polls++
			if s.says != "" {
				w.WriteHeader(s.status)
				fmt.Fprintf(w, `{"error":%q}`, s.says)
				return
			}
			fmt.Fprint(w, `{"access_token":"a","token_type":"Bearer","expires_in":600,"refresh_token":"r"}`)
		}
	}))
	s.page, s.says, s.status = s.URL+"/enter", "authorization_pending", http.StatusBadRequest
	t.Cleanup(s.Close)
	return s
}

// card has people enter codes, and nothing else.
func (s *coder) card() *a2a.Card {
	return &a2a.Card{
		SecuritySchemes: map[string]a2a.SecurityScheme{"code": {Type: a2a.OAuth2, Flows: []a2a.OAuthFlow{
			{Grant: "deviceCode", DeviceAuthorizationURL: s.URL + "/device", TokenURL: s.URL + "/token"},
		}}},
		Security: []a2a.SecurityRequirement{{"code": {"read"}}},
	}
}

// TestAPersonEntersACodeWhereTheCardOffersNothingElse connects an agent by RFC 8628.
func TestAPersonEntersACodeWhereTheCardOffersNothingElse(t *testing.T) {
	s, r := newCoder(t), newRig(t)
	r.app = a2avault.App{Agent: "plans", Fetch: &safehttp.Client{Loopback: true}, ClientID: "rialto"}
	v := r.replica("first")
	methods := r.app.SignInMethods(s.card())
	if len(methods) != 1 || methods[0].Kind != a2avault.Device || "http://"+methods[0].Host != s.URL {
		t.Fatalf("got the ways %+v", methods)
	}
	p, err := v.BeginDevice(t.Context(), r.app, methods[0], "ann", "task-1")
	if err != nil {
		t.Fatal(err)
	}
	if p.Code != "WDJB-MJHT" || p.URL != s.page || strings.Contains(p.Handle, "secret-code") || s.asked.Get("client_id") != "rialto" || s.asked.Get("scope") != "read" {
		t.Errorf("got %+v for %v", p, s.asked)
	}
	if _, _, err := v.FinishDevice(t.Context(), r.app, "bob", p.Handle); !errors.Is(err, a2avault.ErrNone) {
		t.Errorf("another user: got %v", err)
	}
	look := func(why string, polls int) {
		t.Helper()
		still, task, err := v.FinishDevice(t.Context(), r.app, "ann", p.Handle)
		if still == nil || task != "task-1" || s.polls != polls || a2avault.Unavailable(err) != (why == "away") {
			t.Fatalf("%s: got %+v, %q, %v, and the server was asked %d times", why, still, task, err, s.polls)
		}
		p = still
	}
	look("not yet", 1)
	look("too soon to ask again", 1)
	r.pass(6 * time.Second)
	s.says = "slow_down"
	look("not so often", 2)
	r.pass(6 * time.Second)
	look("still too often", 2)
	r.pass(6 * time.Second)
	s.says, s.status = "x", http.StatusServiceUnavailable
	look("away", 3)
	r.pass(time.Minute)
	s.says = ""
	v = r.replica("second") // or after a restart
	still, task, err := v.FinishDevice(t.Context(), r.app, "ann", p.Handle)
	if still != nil || task != "task-1" || err != nil || s.polled.Get("device_code") != "secret-code" || s.polled.Get("grant_type") != "urn:ietf:params:oauth:grant-type:device_code" {
		t.Fatalf("got %+v, %q, %v for %v", still, task, err, s.polled)
	}
	r.want(v, "Bearer a")
}

func TestACodeThatIsNotEnteredConnectsNothing(t *testing.T) {
	for says, want := range map[string]error{"access_denied": a2avault.ErrDenied, "expired_token": a2avault.ErrNone, "invalid_grant": a2avault.ErrRefused} {
		s, r := newCoder(t), newRig(t)
		r.app = a2avault.App{Agent: "plans", Fetch: &safehttp.Client{Loopback: true}, ClientID: "rialto"}
		v := r.replica("first")
		p, err := v.BeginDevice(t.Context(), r.app, r.app.SignInMethods(s.card())[0], "ann", "")
		if err != nil {
			t.Fatal(err)
		}
		s.says = says
		if still, _, err := v.FinishDevice(t.Context(), r.app, "ann", p.Handle); still != nil || !errors.Is(err, want) {
			t.Errorf("%s: got %+v, %v", says, still, err)
		}
		if has, err := v.Connected(t.Context(), "ann", "plans"); has || err != nil {
			t.Errorf("%s: connected", says)
		}
		r.pass(time.Hour)
		if _, _, err := v.FinishDevice(t.Context(), r.app, "ann", p.Handle); !errors.Is(err, a2avault.ErrNone) {
			t.Errorf("an hour later: got %v", err)
		}
		s.page = "javascript:alert(1)"
		if p, err := v.BeginDevice(t.Context(), r.app, r.app.SignInMethods(s.card())[0], "ann", ""); err == nil {
			t.Errorf("an address that is none: got %+v", p)
		}
	}
}

// TestWaysAreThoseThatAPersonHas reads cards that require several credentials, or one that
// cannot be typed.
func TestWaysAreThoseThatAPersonHas(t *testing.T) {
	schemes := map[string]a2a.SecurityScheme{
		"cert": {Type: a2a.MutualTLS}, "key": {Type: a2a.APIKey, In: "header", Name: "X-Key"}, "other": {Type: a2a.APIKey, In: "query", Name: "k"},
		"machine": {Type: a2a.OAuth2, Flows: []a2a.OAuthFlow{{Grant: "clientCredentials", TokenURL: "https://x.test/token"}}},
	}
	for name, c := range map[string]struct {
		need a2a.SecurityRequirement
		want []a2avault.Kind
	}{
		"nothing":                              {nil, []a2avault.Kind{a2avault.Bearer}},
		"a certificate":                        {a2a.SecurityRequirement{"cert": nil}, nil},
		"a key and the operator's certificate": {a2a.SecurityRequirement{"key": nil, "cert": nil}, []a2avault.Kind{a2avault.APIKey}},
		"two keys at once":                     {a2a.SecurityRequirement{"key": nil, "other": nil}, nil},
		"a token for machines":                 {a2a.SecurityRequirement{"machine": nil}, []a2avault.Kind{a2avault.Bearer}},
	} {
		card := &a2a.Card{}
		if c.need != nil {
			card = &a2a.Card{SecuritySchemes: schemes, Security: []a2a.SecurityRequirement{c.need}}
		}
		var got []a2avault.Kind
		for _, w := range (a2avault.App{Agent: "plans"}).SignInMethods(card) {
			got = append(got, w.Kind)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
