package a2apush_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"

	"rialto/a2a/a2apush"
)

const news = `{"kind":"task","id":"theirs"}`

// signing is an agent that signs, and shows its keys.
type signing struct {
	url     string
	key     *ecdsa.PrivateKey
	fetched int
}

func newSigning(t *testing.T) *signing {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := &signing{key: key}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fetched++
		if r.URL.Path == "/.well-known/jwks.json" {
			json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k"}}})
		}
	}))
	t.Cleanup(srv.Close)
	s.url = srv.URL
	return s
}

func sign(t *testing.T, method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	tok := jwt.NewWithClaims(method, claims)
	tok.Header["kid"] = "k"
	signed, err := tok.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// newInbox serves an inbox, and returns it with the handles that it wakes.
func newInbox(t *testing.T, agent *signing) (*a2apush.Inbox, chan string) {
	woken := make(chan string, 10)
	in := &a2apush.Inbox{
		Key: []byte("key"), Log: slog.New(slog.DiscardHandler),
		Followers: followers(woken),
		Agents:    oneAgent{&a2apush.Keys{Agent: agent.url + "/a2a", Now: time.Now}}, Now: time.Now,
	}
	srv := httptest.NewServer(in)
	t.Cleanup(srv.Close)
	in.URL = srv.URL
	return in, woken
}

func post(t *testing.T, address, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequest("POST", address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b)
}

// TestOnlyTheAgentIsBelieved tries every proof that SDKs send, and what is none.
func TestOnlyTheAgentIsBelieved(t *testing.T) {
	agent := newSigning(t)
	in, woken := newInbox(t, agent)
	c := in.Config("agent", "task1")
	other := in.Config("agent", "task2")
	stranger := newSigning(t)
	now := time.Now()
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(news)))
	es := func(key *ecdsa.PrivateKey, claims jwt.MapClaims) string {
		return "Bearer " + sign(t, jwt.SigningMethodES256, key, claims)
	}
	for _, tc := range []struct {
		name, address, header, value string
		want                         int
	}{
		{"the token, as SDKs of 0.x send it", c.URL, "X-A2A-Notification-Token", c.Token, 204},
		{"the token, as a2a-go of 1.0 sends it", c.URL, "A2A-Notification-Token", c.Token, 204},
		{"the token as a bearer token", c.URL, "Authorization", "Bearer " + c.Token, 204},
		{"a JWT, as the sample agent of 0.1 sends it", c.URL, "Authorization", es(agent.key, jwt.MapClaims{"iat": now.Unix(), "request_body_sha256": sum}), 204},
		{"a JWT with all claims", c.URL, "Authorization", es(agent.key, jwt.MapClaims{"iat": now.Unix(), "exp": now.Unix() + 60, "aud": c.URL}), 204},
		{"nothing", c.URL, "X-Nothing", "", 404},
		{"the token of another task", c.URL, "X-A2A-Notification-Token", other.Token, 404},
		{"the address of another agent", strings.Replace(c.URL, "/agent/", "/agent2/", 1), "X-A2A-Notification-Token", c.Token, 404},
		{"the address of another task", strings.Replace(c.URL, "task1", "task2", 1), "X-A2A-Notification-Token", c.Token, 404},
		{"an address that is cut", c.URL[:len(c.URL)-1], "X-A2A-Notification-Token", c.Token, 404},
		{"an address that is longer", c.URL + "/", "X-A2A-Notification-Token", c.Token, 404},
		{"a JWT of another key", c.URL, "Authorization", es(stranger.key, jwt.MapClaims{"iat": now.Unix()}), 404},
		{"a JWT that is replayed later", c.URL, "Authorization", es(agent.key, jwt.MapClaims{"iat": now.Add(-7 * time.Minute).Unix()}), 404},
		{"a JWT of the future", c.URL, "Authorization", es(agent.key, jwt.MapClaims{"iat": now.Add(5 * time.Minute).Unix()}), 404},
		{"a JWT that has expired", c.URL, "Authorization", es(agent.key, jwt.MapClaims{"iat": now.Add(-4 * time.Minute).Unix(), "exp": now.Add(-2 * time.Minute).Unix()}), 404},
		{"a JWT without a time", c.URL, "Authorization", es(agent.key, jwt.MapClaims{"aud": c.URL}), 404},
		{"a JWT for another webhook", c.URL, "Authorization", es(agent.key, jwt.MapClaims{"iat": now.Unix(), "aud": other.URL}), 404},
		{"a JWT for another body", c.URL, "Authorization", es(agent.key, jwt.MapClaims{"iat": now.Unix(), "request_body_sha256": "00"}), 404},
		{"a JWT by a shared secret", c.URL, "Authorization", "Bearer " + sign(t, jwt.SigningMethodHS256, []byte("k"), jwt.MapClaims{"iat": now.Unix()}), 404},
		{"a JWT by nobody", c.URL, "Authorization", "Bearer " + sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, jwt.MapClaims{"iat": now.Unix()}), 404},
		{"no JWT", c.URL, "Authorization", "Bearer a.b.c", 404},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, body := post(t, tc.address, news, tc.header, tc.value)
			if status != tc.want {
				t.Errorf("got %d %s, want %d", status, body, tc.want)
			}
			if _, nowhere := post(t, in.URL+"/hooks/a/b/c", news); tc.want == 404 && body != nowhere {
				t.Errorf("got %q, want what a webhook that does not exist says: %q", body, nowhere)
			}
			if tc.want == 204 {
				if handle := <-woken; handle != "task1" {
					t.Errorf("woken %q", handle)
				}
			} else if len(woken) > 0 {
				t.Errorf("woken %q", <-woken)
			}
		})
	}
	if agent.fetched != 1 {
		t.Errorf("the keys were fetched %d times, want once", agent.fetched)
	}
}

func TestAWebhookRepeatsTheValidationToken(t *testing.T) {
	in, _ := newInbox(t, newSigning(t))
	address := in.Config("agent", "task").URL
	for _, tc := range []struct {
		address string
		status  int
		body    string
	}{
		{address + "?validationToken=a%3Cb%26", 200, "a<b&"},
		{address, 400, ""},
		{address + "?validationToken=" + strings.Repeat("x", 2000), 400, ""},
		{address[:len(address)-1] + "?validationToken=a", 404, ""},
	} {
		resp, err := http.Get(tc.address)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != tc.status || tc.status == 200 && string(b) != tc.body {
			t.Errorf("%s: got %d %q, want %d %q", tc.address, resp.StatusCode, b, tc.status, tc.body)
		}
		if got := resp.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/plain") {
			t.Errorf("got %s, which a browser might show as a page", got)
		}
	}
}

func TestANotificationHasABound(t *testing.T) {
	in, woken := newInbox(t, newSigning(t))
	c := in.Config("agent", "task")
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", strings.TrimPrefix(c.URL, in.URL), io.LimitReader(endless{}, 1<<30))
	r.Header.Set("X-A2A-Notification-Token", c.Token)
	in.ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge || len(woken) > 0 {
		t.Errorf("got %d", w.Code)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte("x"), len(p))), nil }

// FuzzCheckJWT holds that nothing but the agent's own signature passes.
func FuzzCheckJWT(f *testing.F) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	set := &jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k"}}}
	for _, seed := range []string{"", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.eyJpYXQiOjF9.AAAA"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if a2apush.CheckJWT(token, set, "https://x", [32]byte{}, time.Unix(1, 0)) == nil {
			t.Errorf("%q passes", token)
		}
	})
}

// oneAgent knows the keys of the agent "agent".
type oneAgent struct{ keys *a2apush.Keys }

func (o oneAgent) Keys(name string) *a2apush.Keys {
	if name != "agent" {
		return nil
	}
	return o.keys
}

// followers gets the handles of the tasks that are to be polled.
type followers chan string

func (f followers) Wake(handle string) { f <- handle }
