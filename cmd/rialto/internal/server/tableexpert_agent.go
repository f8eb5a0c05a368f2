package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"rialto/a2a/a2aserver"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/tableexpert"
)

// LocalAgent is a Table Expert that this process serves over A2A on loopback. It requires a token,
// so that web pages and other users of the machine cannot read the tables.
type LocalAgent struct {
	url, token string
	expert     *tableexpert.Expert
	server     *http.Server
}

// StartTableExpert starts one. It calls failed if the agent stops before Close.
func StartTableExpert(
	ctx context.Context, cfg tableexpert.Config, failed func(error),
) (*LocalAgent, error) {
	expert, err := tableexpert.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting the Table Expert: %w", err), expert.Close())
	}

	a := &LocalAgent{url: "http://" + l.Addr().String(), token: rand.Text(), expert: expert}
	a.server = agentServer(expert, a.url, a.token, cfg.Log)
	go func() {
		if err := a.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failed(fmt.Errorf("the Table Expert stopped: %w", err))
		}
	}()
	return a, nil
}

func agentServer(expert *tableexpert.Expert, url, token string, log *slog.Logger) *http.Server {
	srv := &a2aserver.Server{
		Agent: expert.Agent(),
		Card:  expert.Card(),
		URL:   url,
		Lists: true,
		Log:   log,
	}
	return newHTTPServer(withToken(token, srv), log)
}

// Settings returns the settings of the agent under a name.
func (a *LocalAgent) Settings(name string) config.Agent {
	return config.Agent{
		Name: name, URL: a.url, SkillsAsTools: true, Local: true,
		Credentials: directory.Credentials{Secret: a.token},
	}
}

// Close stops the server and closes the tables.
func (a *LocalAgent) Close() error {
	return errors.Join(a.server.Close(), a.expert.Close())
}

// ServeTableExpert serves a Table Expert on l until ctx ends.
func ServeTableExpert(
	ctx context.Context,
	l net.Listener,
	expert *tableexpert.Expert,
	url, token string,
	log *slog.Logger,
) error {
	return serveUntil(ctx, l, agentServer(expert, url, token, log), defaultShutdown, func() {})
}

// withToken requires a bearer token. With an empty token it requires a loopback address
// in the Host header, against DNS rebinding.
func withToken(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limitBodyTime(http.NewResponseController(w), r)
		switch {
		case token == "" && !namesLoopback(r.Host):
			http.Error(w, "call this agent by a loopback address", http.StatusForbidden)
		case token != "" && !presents(r, token):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "this agent needs a token", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// namesLoopback tells whether a Host header, with a port or without, names this machine.
func namesLoopback(header string) bool {
	u := url.URL{Host: header}
	return config.Loopback(u.Hostname())
}

// presents tells whether a request has a bearer token.
func presents(r *http.Request, token string) bool {
	sent := sha256.Sum256([]byte(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
	want := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(want[:], sent[:]) == 1
}
