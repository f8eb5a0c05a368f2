package a2apush_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2apush"
	"rialto/internal/safehttp"
)

var now = time.Unix(1_800_000_000, 0).UTC()

// webhook is a receiver that records notifications, and repeats validation tokens if it
// echoes.
type webhook struct {
	url    string
	echoes bool
	asked  int
	header http.Header
	body   []byte
}

func newWebhook(t *testing.T) *webhook {
	w := &webhook{}
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.asked++
			if w.echoes {
				fmt.Fprint(rw, r.URL.Query().Get("validationToken"))
			}
			return
		}
		w.header = r.Header
		w.body, _ = io.ReadAll(r.Body)
	}))
	t.Cleanup(srv.Close)
	w.url = srv.URL
	return w
}

// sender signs with what it signs, so that a test can read it.
func sender() *a2apush.Sender {
	return &a2apush.Sender{
		HTTP: &safehttp.Client{Loopback: true}, Issuer: "https://rialto.example", Now: func() time.Time { return now },
		Signer: plain{},
	}
}

// plain is an a2apush.Signer that returns the claims.
type plain struct{}

func (plain) Sign(_ context.Context, claims any) (string, error) {
	b, err := json.Marshal(claims)
	return string(b), err
}

func task() *a2a.Task {
	said := &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("a < b & c")}}
	return &a2a.Task{
		ID: "handle", ContextID: "ctx", Status: a2a.Status{State: a2a.Completed, Message: said, Timestamp: now},
		Artifacts: []a2a.Artifact{{ID: "0", Parts: []a2a.Part{a2a.TextPart("result")}}},
	}
}

// TestANotificationIsInTheWordsOfTheCallThatAskedForIt holds bodies to the
// generation of the registration.
func TestANotificationIsInTheWordsOfTheCallThatAskedForIt(t *testing.T) {
	for _, tc := range []struct {
		name   string
		config a2a.PushConfig
		want   string
	}{
		{"0.1 names the task as its caller does", a2a.PushConfig{Generation: a2a.V01, Name: "mine"},
			`{"id":"mine","sessionId":"ctx","status":{"state":"completed","message":{"role":"agent","parts":[{"type":"text","text":"a < b & c"}]},"timestamp":"2027-01-15T08:00:00.000Z"},"artifacts":[{"parts":[{"type":"text","text":"result"}],"index":0}]}`},
		{"0.2 has a task", a2a.PushConfig{Generation: a2a.V02},
			`{"kind":"task","id":"handle","contextId":"ctx","status":{"state":"completed","message":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"a < b & c"}]},"timestamp":"2027-01-15T08:00:00.000Z"},"artifacts":[{"artifactId":"0","parts":[{"kind":"text","text":"result"}]}]}`},
		{"0.3 has a task", a2a.PushConfig{Generation: a2a.V03},
			`{"kind":"task","id":"handle","contextId":"ctx","status":{"state":"completed","message":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"a < b & c"}]},"timestamp":"2027-01-15T08:00:00.000Z"},"artifacts":[{"artifactId":"0","parts":[{"kind":"text","text":"result"}]}]}`},
		{"1.0 has a StreamResponse", a2a.PushConfig{Generation: a2a.V10},
			`{"task":{"id":"handle","contextId":"ctx","status":{"state":"TASK_STATE_COMPLETED","message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"a < b & c"}]},"timestamp":"2027-01-15T08:00:00.000Z"},"artifacts":[{"artifactId":"0","parts":[{"text":"result"}]}]}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWebhook(t)
			tc.config.URL = w.url
			if err := sender().Deliver(t.Context(), &tc.config, task(), "n1"); err != nil {
				t.Fatal(err)
			}
			if string(w.body) != tc.want {
				t.Errorf("got  %s\nwant %s", w.body, tc.want)
			}
			if got, want := w.header.Get("A2A-Version") != "", tc.config.Generation == a2a.V10; got != want {
				t.Errorf("A2A-Version: got %v, want %v", got, want)
			}
		})
	}
}

// TestANotificationProvesWhoSendsIt holds the headers to what the webhook wants
// to see.
func TestANotificationProvesWhoSendsIt(t *testing.T) {
	for _, tc := range []struct {
		name           string
		authentication *a2a.PushAuthentication
		want           string // Authorization; "JWT" is one of ours, "" is none
	}{
		{"nothing said", nil, "JWT"},
		{"jwt, as the sample of 0.1 says", &a2a.PushAuthentication{Schemes: []string{"jwt"}}, "JWT"},
		{"Bearer without credentials", &a2a.PushAuthentication{Schemes: []string{"Bearer"}}, "JWT"},
		{"Bearer with credentials", &a2a.PushAuthentication{Schemes: []string{"bearer"}, Credentials: "s3cret"}, "Bearer s3cret"},
		{"another scheme", &a2a.PushAuthentication{Schemes: []string{"Basic", "Bearer"}, Credentials: "dTpw"}, "Basic dTpw"},
		{"no scheme that can be sent", &a2a.PushAuthentication{Schemes: []string{"a b"}, Credentials: "x"}, "Bearer x"},
		{"HMAC", &a2a.PushAuthentication{Schemes: []string{"hmac-sha256"}, Credentials: "shared"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWebhook(t)
			c := &a2a.PushConfig{URL: w.url + "/hook", Token: "tok", Authentication: tc.authentication, Generation: a2a.V10}
			if err := sender().Deliver(t.Context(), c, task(), "n1"); err != nil {
				t.Fatal(err)
			}
			for header, want := range map[string]string{
				"X-A2A-Notification-Token": "tok", "A2A-Notification-Token": "tok", "X-A2A-Notification-Id": "n1", "Content-Type": "application/json",
			} {
				if got := w.header.Get(header); got != want {
					t.Errorf("%s: got %q, want %q", header, got, want)
				}
			}
			got := w.header.Get("Authorization")
			if tc.want != "JWT" && got != tc.want {
				t.Errorf("Authorization: got %q, want %q", got, tc.want)
			}
			sum := sha256.Sum256(w.body)
			if want := fmt.Sprintf(`Bearer {"iss":"https://rialto.example","aud":%q,"iat":%d,"exp":%d,"jti":"n1","taskId":"handle","request_body_sha256":"%x"}`,
				c.URL, now.Unix(), now.Unix()+300, sum); tc.want == "JWT" && got != want {
				t.Errorf("Authorization:\ngot  %s\nwant %s", got, want)
			}
			if tc.want == "" {
				checkHMAC(t, w)
			}
		})
	}
}

func checkHMAC(t *testing.T, w *webhook) {
	t.Helper()
	mac := hmac.New(sha256.New, []byte("shared"))
	fmt.Fprintf(mac, "%d.%s", now.Unix(), w.body)
	if got, want := w.header.Get("X-A2A-Notification-Signature"), fmt.Sprintf("t=%d,v1=%s", now.Unix(), hex.EncodeToString(mac.Sum(nil))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestOnlyAWebhookThatWantsItIsTold: a caller cannot make us call a server that did not
// ask for it.
func TestOnlyAWebhookThatWantsItIsTold(t *testing.T) {
	w := newWebhook(t)
	strict := sender()
	accept := func(s *a2apush.Sender, c a2a.PushConfig) error { return s.Accept(t.Context(), &c) }
	if err := accept(strict, a2a.PushConfig{URL: w.url}); !a2a.Is(err, a2a.InvalidParams) || !strings.Contains(err.Error(), "validationToken") {
		t.Errorf("a webhook that does not repeat the token: got %v", err)
	}
	w.echoes = true
	if err := accept(strict, a2a.PushConfig{URL: w.url + "/?a=b"}); err != nil {
		t.Errorf("a webhook that repeats the token: got %v", err)
	}
	w.echoes, w.asked = false, 0
	vouched, trusting := sender(), sender()
	vouched.HTTP = &safehttp.Client{Allowed: func() []string { return []string{strings.TrimPrefix(w.url, "http://")} }}
	trusting.SkipValidation = true
	for name, s := range map[string]*a2apush.Sender{"vouched for": vouched, "trusting": trusting} {
		if err := accept(s, a2a.PushConfig{URL: w.url}); err != nil || w.asked > 0 {
			t.Errorf("%s: got %v after %d questions, want neither", name, err, w.asked)
		}
	}
	public := sender()
	public.HTTP = &safehttp.Client{}
	for _, address := range []string{w.url, "https://127.0.0.1/", "https://10.0.0.1/", "https://169.254.169.254/latest", "file:///etc/passwd", ""} {
		if err := accept(public, a2a.PushConfig{URL: address}); !a2a.Is(err, a2a.InvalidParams) {
			t.Errorf("%q: got %v, want a refusal", address, err)
		}
	}
	for name, c := range map[string]a2a.PushConfig{
		"a token with a line break": {Token: "a\r\nX: y"},
		"a token that is too long":  {Token: strings.Repeat("x", 5000)},
		"credentials with a zero":   {Authentication: &a2a.PushAuthentication{Credentials: "\x00"}},
		"HMAC without a secret":     {Authentication: &a2a.PushAuthentication{Schemes: []string{"HMAC"}}},
	} {
		c.URL = w.url
		if err := accept(trusting, c); !a2a.Is(err, a2a.InvalidParams) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
}

// TestAnAddressIsCheckedAgainWhenItIsCalled holds that what an operator no
// longer answers for is not called, and is not worth another attempt.
func TestAnAddressIsCheckedAgainWhenItIsCalled(t *testing.T) {
	w := newWebhook(t)
	public := sender()
	public.HTTP = &safehttp.Client{}
	for _, address := range []string{w.url, strings.Replace(w.url, "http:", "https:", 1), "https://10.0.0.1/"} {
		if err := public.Deliver(t.Context(), &a2a.PushConfig{URL: address}, task(), "n1"); !a2a.Is(err, a2a.InvalidParams) {
			t.Errorf("%s: got %v, want a refusal for good", address, err)
		}
	}
	gone := sender().Deliver(t.Context(), &a2a.PushConfig{URL: "http://127.0.0.1:1/"}, task(), "n1")
	if gone == nil || a2a.Is(gone, a2a.InvalidParams) {
		t.Errorf("no server: got %v, want an error that may pass", gone)
	}
	if w.body != nil {
		t.Error("an address that is refused was called")
	}
}

func TestALargeTaskIsToldOfWithoutItsArtifacts(t *testing.T) {
	big := task()
	big.Artifacts[0].Parts = []a2a.Part{a2a.TextPart(strings.Repeat("<", a2apush.MaxBody/2+1))}
	big.History = []a2a.Message{{ID: "h", Role: a2a.RoleUser, Parts: big.Artifacts[0].Parts}}
	c := &a2a.PushConfig{Generation: a2a.V10}
	body, err := a2apush.Body(c, big)
	if err != nil || !strings.Contains(string(body), `"artifacts"`) || strings.Contains(string(body), `"history"`) {
		t.Errorf("got %d bytes, %v, want the artifacts and no history", len(body), err)
	}
	big.Artifacts = append(big.Artifacts, big.Artifacts[0])
	body, err = a2apush.Body(c, big)
	if err != nil || len(body) > a2apush.MaxBody || !strings.Contains(string(body), "a < b & c") {
		t.Errorf("got %d bytes, %v, want the status alone", len(body), err)
	}
}
