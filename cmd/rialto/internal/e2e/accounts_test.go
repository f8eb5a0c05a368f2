package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rialto/store"
)

// TestPasskeysInABrowser takes an invited administrator through what a person does with a passkey, in
// Chromium with a virtual authenticator: see passkeys.mjs.
func TestPasskeysInABrowser(t *testing.T) {
	t.Parallel()
	path, err := chromium()
	Need(t, err)
	addr := strings.Replace(freeAddress(t), "127.0.0.1", "localhost", 1) // browsers have passkeys at a host name
	dir := t.TempDir()
	config, database := filepath.Join(dir, "rialto.yaml"), filepath.Join(dir, "rialto.db")
	if err := os.WriteFile(config, fmt.Appendf(nil, "url: http://%s\ndatabase: %s\n", addr, database), 0o600); err != nil {
		t.Fatal(err)
	}
	invitation := strings.TrimSpace(output(t, "", "user", "invite", "eve", "--admin", "--config", config))
	p := start(t, addr, "serve", "--config", config, "--listen", addr)
	stale := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := age(r, database); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	defer stale.Close()
	script{"passkeys.mjs", nil, []string{
		"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_CHROMIUM=" + path, "RIALTO_INVITATION=" + invitation, "RIALTO_STALE=" + stale.URL,
	}}.run(t, p)
}

// age lets the sign-ins of eve be eleven minutes ago.
func age(r *http.Request, database string) error {
	db, err := store.Open(r.Context(), database)
	if err != nil {
		return err
	}
	defer db.Close()
	eve, err := db.OAuth.Accounts.Account(r.Context(), "eve")
	if err != nil {
		return err
	}
	sessions, err := db.OAuth.Sessions.Sessions(r.Context(), eve.ID, time.Now())
	for _, s := range sessions {
		if err == nil {
			err = db.OAuth.Sessions.ProveSession(r.Context(), s.Hash, time.Now().Add(-11*time.Minute))
		}
	}
	return err
}
