package server

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"rialto/cmd/rialto/internal/config"
	"rialto/store"
)

// reloadPath is where "rialto config reload" makes the server reload. It has no token of an
// account: the command proves that it can read the secret that seals the database.
const reloadPath = "/config/reload"

const (
	reloadScheme  = "Rialto-Reload "
	reloadProofOK = time.Minute // that the clocks of the command and the server may differ
	reloadTimeout = 30 * time.Second
	maxReloadSize = 4 << 20 // bytes of the answer
)

// reloadProof returns the value of the Authorization header at a time.
func reloadProof(key []byte, at time.Time) string {
	text := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return reloadScheme + text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// provesReload reports whether a header is a proof of about this time.
func provesReload(key []byte, header string, now time.Time) bool {
	text, _, _ := strings.Cut(strings.TrimPrefix(header, reloadScheme), ".")
	seconds, err := strconv.ParseInt(text, 10, 64)
	at := time.Unix(seconds, 0)
	return err == nil && now.Sub(at).Abs() <= reloadProofOK &&
		hmac.Equal([]byte(header), []byte(reloadProof(key, at)))
}

// reloadAnswer is what the command gets.
type reloadAnswer struct {
	Changes []config.Change `json:"changes"`
	Error   string          `json:"error,omitempty"`
}

// serveReload answers POST /config/reload.
func serveReload(s *Server, key []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !provesReload(key, r.Header.Get("Authorization"), time.Now()) {
			writeStatus(w, http.StatusForbidden, reloadAnswer{
				Error: "this configuration has another secret than the server's, or the clocks differ by more than a minute",
			})
			return
		}
		changes, err := s.Reload(context.WithoutCancel(r.Context()))
		if err != nil {
			writeStatus(w, http.StatusConflict, reloadAnswer{changes, err.Error()})
			return
		}
		writeStatus(w, http.StatusOK, reloadAnswer{Changes: changes})
	}
}

// AskReload makes the server that listens at the address of cfg reload, and returns what changed there.
func AskReload(ctx context.Context, cfg *config.Config) ([]config.Change, error) {
	if cfg.Storage.Database == store.Memory {
		return nil, errors.New(
			"a server with its database in memory cannot be reached by this command: send it SIGHUP",
		)
	}

	secret, err := config.ReadSecret(cfg)
	if err != nil {
		return nil, err
	}

	address := cfg.Serving.TLS.Scheme() + "://" + LocalAddress(cfg.Listen) + reloadPath
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		return nil, err
	}

	req.Header.Set("Authorization", reloadProof(deriveKey(secret, "reload"), time.Now()))
	// Another program that got the proof could do no more than reload.
	resp, err := LocalClient(reloadTimeout).Do(req)
	if err != nil {
		return nil, fmt.Errorf("no server answers at \"listen\" (%s): %w", cfg.Listen, err)
	}
	defer resp.Body.Close()
	var answer reloadAnswer
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxReloadSize)).Decode(&answer); err != nil {
		return nil, fmt.Errorf(
			"what listens at %s is not this server: it answers %s", cfg.Listen, resp.Status,
		)
	}
	if answer.Error != "" {
		return nil, errors.New("the server has changed nothing: " + answer.Error)
	}

	return answer.Changes, nil
}

// LocalAddress returns where a server that listens at an address is reached from its own machine.
func LocalAddress(listen string) string {
	host, port, err := net.SplitHostPort(cmp.Or(listen, config.Defaults().Listen))
	if err != nil {
		return listen
	}

	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}

	return net.JoinHostPort(host, port)
}

// LocalClient calls a server of this machine: without a proxy of the environment, and without a check
// of the certificate, which names the public host and not this machine.
func LocalClient(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout:   timeout,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	}
}
