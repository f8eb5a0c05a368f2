package v01

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"trpc.group/trpc-go/trpc-a2a-go/auth"

	"rialto/a2a"
	"rialto/a2a/a2apush"
	"rialto/a2a/a2atest"
	"rialto/a2a/a2atest/interop"
	"rialto/a2a/a2atest/tour"
	"rialto/internal/safehttp"
)

// TestTheirReceiverBelievesUs has trpc-a2a-go check a notification of ours by
// our keys: signature, age, and the hash of the body.
func TestTheirReceiverBelievesUs(t *testing.T) {
	table.Tries(t, clientRow, interop.Push)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Algorithm: "ES256"}}})
	}))
	t.Cleanup(keys.Close)
	receiver := auth.NewPushNotificationAuthenticator()
	receiver.SetJWKSClient(keys.URL)
	checked := make(chan error, 1)
	webhook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		checked <- receiver.VerifyPushNotification(r, body)
	}))
	t.Cleanup(webhook.Close)
	sender := &a2apush.Sender{
		HTTP: &safehttp.Client{Loopback: true}, Issuer: "https://rialto.test", Now: time.Now,
		Signer: claimSigner{signer},
	}
	task := &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed, Message: &a2a.Message{Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("<b>&")}}}}
	if err := sender.Deliver(t.Context(), &a2a.PushConfig{URL: webhook.URL, Generation: a2a.V01}, task, "n"); err != nil {
		t.Fatal(err)
	}
	if err := <-checked; err != nil {
		t.Error(err)
	}
}

// TestWeBelieveTheirSender has trpc-a2a-go sign a notification for a webhook of
// ours, by the keys that it shows.
func TestWeBelieveTheirSender(t *testing.T) {
	table.Tries(t, serverRow, interop.Push)
	sender, stranger := auth.NewPushNotificationAuthenticator(), auth.NewPushNotificationAuthenticator()
	for _, s := range []*auth.PushNotificationAuthenticator{sender, stranger} {
		if err := s.GenerateKeyPair(); err != nil {
			t.Fatal(err)
		}
	}
	agent := http.NewServeMux()
	agent.HandleFunc("/.well-known/jwks.json", sender.HandleJWKS)
	theirs := httptest.NewServer(agent)
	t.Cleanup(theirs.Close)
	woken := make(chan string, 1)
	keys := &a2apush.Keys{Agent: theirs.URL, Now: time.Now}
	in := &a2apush.Inbox{
		Key: []byte("key"), Agents: allAgents{keys},
		Followers: followers(woken), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	ours := httptest.NewServer(in)
	t.Cleanup(ours.Close)
	in.URL = ours.URL
	news := map[string]any{"id": "t", "status": map[string]any{"state": "completed"}}
	if err := stranger.SendPushNotification(t.Context(), in.Config("agent", "task").URL, news); err == nil {
		t.Error("a stranger is believed")
	}
	if err := sender.SendPushNotification(t.Context(), in.Config("agent", "task").URL, news); err != nil {
		t.Fatal(err)
	}
	if handle := <-woken; handle != "task" {
		t.Errorf("woken %q", handle)
	}
}

// TestTheirClientKeepsAWebhook has their client set a webhook on a task of ours,
// and ask for it.
func TestTheirClientKeepsAWebhook(t *testing.T) {
	table.Tries(t, clientRow, interop.Push)
	agent := &a2atest.Webhooks{Agent: a2atest.NewAgent()}
	t.Cleanup(func() { agent.Close() })
	card := agent.Card()
	card.Capabilities.PushNotifications = true
	c, err := Dial(t.Context(), a2atest.Serve(t, agent, card), "", http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := c.Send(deadline(t), tour.Message{Text: "ask which?"})
	if err != nil {
		t.Fatal(err)
	}
	if err := tour.Keep(deadline(t), c, asked.ID); err != nil {
		t.Error(err)
	}
}

// claimSigner is an a2apush.Signer.
type claimSigner struct{ signer jose.Signer }

func (s claimSigner) Sign(_ context.Context, claims any) (string, error) {
	return jwt.Signed(s.signer).Claims(claims).Serialize()
}

// allAgents has the same keys for each agent.
type allAgents struct{ keys *a2apush.Keys }

func (a allAgents) Keys(string) *a2apush.Keys { return a.keys }

// followers gets the handles of the tasks that are to be polled.
type followers chan string

func (f followers) Wake(handle string) { f <- handle }
