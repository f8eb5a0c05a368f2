package server

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"rialto/a2a/a2asign"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/store"
	"rialto/store/storetest"
)

const plainCard = `{"name":"One","description":"","version":"1","skills":[],"capabilities":{},"defaultInputModes":[],"defaultOutputModes":[],
"supportedInterfaces":[{"url":"/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`

// cardAgent is an agent that shows a card.
type cardAgent struct {
	atomic.Pointer[string]
	url string
	log bytes.Buffer
	db  *store.DB
}

func newCardAgent(t *testing.T, card string) *cardAgent {
	s := &cardAgent{}
	s.Store(&card)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(*s.Load())) }))
	t.Cleanup(web.Close)
	s.url = web.URL
	var err error
	if s.db, err = store.Open(t.Context(), storetest.File(t, store.Open)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.db.Close() })
	return s
}

// dial connects as the server does, and returns the name on the card and what
// was logged.
func (s *cardAgent) dial(t *testing.T, a config.Agent) (name, logged string, err error) {
	t.Helper()
	s.log.Reset()
	a.Name, a.URL = "one", s.url
	log := slog.New(slog.NewTextHandler(&s.log, nil))
	var cfg atomic.Pointer[config.Config]
	cfg.Store(&config.Config{Agents: []config.Agent{a}})
	d := &dialers{cfg: &cfg, agents: agentSettings{&cfg, &directory.Registry{}}, log: log, cards: &directory.Cards{Store: s.db.Records, Now: time.Now, Log: log}}
	dialled, err := d.Dial(t.Context(), directory.AgentConfig{Name: "one", URL: s.url})
	if err != nil {
		return "", s.log.String(), err
	}
	return dialled.Card().Name, s.log.String(), nil
}

// TestAnAgentThatIsSetUpElsewhereIsCalledThere gives an agent whose cards are looked at
// another address: it was called at the old one until an operator accepted the new card.
func TestAnAgentThatIsSetUpElsewhereIsCalledThere(t *testing.T) {
	there := newCardAgent(t, plainCard)
	spaced := strings.Replace(plainCard, `{"name":"One",`, `{ "name" : "One", `, 1)
	elsewhere := newCardAgent(t, strings.ReplaceAll(plainCard, "One", "Two"))
	elsewhere.db = there.db
	a := config.Agent{Review: true}
	for _, card := range []string{plainCard, spaced} {
		there.Store(&card)
		if got, logged, err := there.dial(t, a); err != nil || got != "One" || logged != "" {
			t.Fatalf("got %s, %v, log %s", got, err, logged)
		}
	}
	if got, logged, err := elsewhere.dial(t, a); err != nil || got != "Two" || logged != "" {
		t.Errorf("got %s, %v, log %s", got, err, logged)
	}
	other := strings.ReplaceAll(plainCard, "One", "Three")
	elsewhere.Store(&other)
	if got, logged, err := elsewhere.dial(t, a); err != nil || got != "Two" || logged == "" {
		t.Errorf("got %s, %v, log %s", got, err, logged)
	}
}

func TestACardMustBeSignedWhereKeysAreConfigured(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private := jose.JSONWebKey{Key: key, KeyID: "k1"}
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{private.Public()}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(file, set, 0o600); err != nil {
		t.Fatal(err)
	}
	signed, err := a2asign.Sign([]byte(plainCard), jose.SigningKey{Algorithm: jose.ES256, Key: private}, "")
	if err != nil {
		t.Fatal(err)
	}
	s := newCardAgent(t, string(signed))
	a := config.Agent{Card: directory.CardKeys{Keys: file}}
	if got, _, err := s.dial(t, a); err != nil || got != "One" {
		t.Errorf("got %s, %v", got, err)
	}
	forged := strings.Replace(string(signed), `"One"`, `"Evil"`, 1)
	for card, want := range map[string]string{plainCard: "the card is not signed", forged: `it names the keys "k1"`} {
		s.Store(&card)
		if got, _, err := s.dial(t, a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	if cards, err := s.db.Records.SeenCards(t.Context(), "one"); err != nil || len(cards) != 1 {
		t.Errorf("got %d cards, %v: a forged one was noted", len(cards), err)
	}
}

// TestAMissingFileKeepsAnAgentFromBeingCalled dials an agent when a file is gone
// that was there when the configuration was checked. Its card was then believed without
// a signature, and calls went out with an empty secret.
func TestAMissingFileKeepsAnAgentFromBeingCalled(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	for name, a := range map[string]config.Agent{
		"the keys of its card":      {Card: directory.CardKeys{Keys: gone}},
		"whom to believe":           {Credentials: directory.Credentials{CAFile: gone}},
		"a certificate":             {Credentials: directory.Credentials{CertFile: gone, KeyFile: gone}},
		"a secret":                  {Credentials: directory.Credentials{Type: "bearer", File: gone}},
		"a secret in a header":      {Credentials: directory.Credentials{Header: "X-Key", File: gone}},
		"the secret of a client":    {Credentials: directory.Credentials{Type: config.TypeClientCredentials, File: gone}},
		"the secret of users' apps": {Credentials: directory.Credentials{Type: config.TypeUser, File: gone}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newCardAgent(t, plainCard)
			if got, _, err := s.dial(t, a); err == nil || !strings.Contains(err.Error(), gone) {
				t.Errorf("got %q, %v, want an error that says there is no %s", got, err, gone)
			}
		})
	}
}

func TestACertificateOfTheConfigurationIsShown(t *testing.T) {
	var shown int
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown = len(r.TLS.PeerCertificates)
		_, _ = w.Write([]byte(plainCard))
	}))
	web.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	web.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	web.StartTLS()
	t.Cleanup(web.Close)
	pair := web.TLS.Certificates[0]
	private, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	file := func(kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), "file.pem")
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	c := directory.Credentials{CAFile: file("CERTIFICATE", pair.Certificate[0])}
	if why := probeAgent(t.Context(), config.Agent{Name: "one", URL: web.URL, Credentials: c}); !strings.Contains(why, "certificate required") {
		t.Errorf("without a certificate: got %q", why)
	}
	c.CertFile, c.KeyFile = c.CAFile, file("PRIVATE KEY", private)
	a := config.Agent{Name: "one", URL: web.URL, Credentials: c}
	if err := config.CheckAgent(a); err != nil {
		t.Fatal(err)
	}
	if why := probeAgent(t.Context(), a); why != "" || shown != 1 {
		t.Errorf("got %q, and the agent was shown %d certificates", why, shown)
	}
}
