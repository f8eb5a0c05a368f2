package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"rialto/a2a/a2aserver"
	"rialto/internal/tableexpert"

	"github.com/spf13/cobra"
)

const (
	demoUser  = "demo"
	demoAgent = "tableexpert"
)

func demoCommand() *cobra.Command {
	var listenAt, dir, address, tables string
	var agents []string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run everything on this machine: a server, an account and an agent that works on tables",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &demo{tables: tables}
			if err := d.configure(dir, listenAt, address, agents); err != nil {
				return err
			}
			return d.run(cmd)
		},
	}
	dataFlag(cmd, &dir)
	cmd.Flags().StringVar(&listenAt, "listen", "127.0.0.1:8080", "`HOST:PORT` to listen on")
	cmd.Flags().StringVar(&address, "url", "", "public `address`, when a tunnel leads here: https://…")
	cmd.Flags().StringVar(&tables, "tables", "", "`directory` of CSV files and SQLite databases for the Table Expert, instead of its insurance data")
	cmd.Flags().StringArrayVar(&agents, "agent", nil, "an A2A agent of your own, as `NAME=URL` (repeatable)")
	return cmd
}

// demo is a server that needs no configuration.
type demo struct {
	cfg      *config
	dir      string
	tables   string
	password string
}

func (d *demo) configure(dir, listenAt, address string, agents []string) (err error) {
	if d.dir, err = demoDir(dir); err != nil {
		return err
	}
	d.cfg = demoConfig(d.dir)
	d.cfg.Listen, d.cfg.URL, d.cfg.DefaultAgent = listenAt, address, demoAgent
	d.cfg.Log.Level = cmp.Or(os.Getenv("RIALTO_LOG__LEVEL"), d.cfg.Log.Level)
	d.cfg.Agents = []agentConfig{{Name: demoAgent, URL: "http://127.0.0.1"}} // its port is known when it listens
	for _, a := range agents {
		name, url, ok := strings.Cut(a, "=")
		if !ok {
			return fmt.Errorf("--agent %s: write it as NAME=URL", a)
		}
		d.cfg.Agents = append(d.cfg.Agents, agentConfig{Name: name, URL: url})
	}
	return d.cfg.check()
}

// run starts the agent and the server, and ends when one of them does or the
// user stops it.
func (d *demo) run(cmd *cobra.Command) error {
	l, err := listen(d.cfg.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	d.cfg.listensOn(l.Addr())
	if err := d.prepare(); err != nil {
		return err
	}
	log := d.cfg.Log.logger()
	agent, err := startTableExpert(cmd.Context(), d.tables, log)
	if err != nil {
		return err
	}
	defer agent.Close()
	d.cfg.Agents[0].URL = agent.url
	d.cfg.Agents[0].Credentials = credentialsConfig{value: agent.token}

	s, err := newServer(cmd.Context(), d.cfg, log)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.oauth.SetPassword(cmd.Context(), demoUser, d.password); err != nil {
		return err
	}
	d.banner(cmd.OutOrStdout())
	return s.run(cmd.Context(), l)
}

// prepare makes the directory and what is kept in it: the password, so that it
// stays the same from start to start, and the address, for "rialto token".
func (d *demo) prepare() error {
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	d.password = os.Getenv("RIALTO_DEMO_PASSWORD")
	if d.password == "" {
		var err error
		d.password, err = readOrCreate(filepath.Join(d.dir, "password"), func() string { return strings.ToLower(rand.Text()[:16]) })
		if err != nil {
			return fmt.Errorf("--data: %w", err)
		}
	}
	return os.WriteFile(filepath.Join(d.dir, "url"), []byte(d.cfg.URL+"\n"), 0o600)
}

// localAgent is a Table Expert that this process serves over A2A on loopback,
// to be reached as any agent is. It answers only those who know its token, so
// that web pages and other users of the machine do not reach the tables.
type localAgent struct {
	url, token string
	expert     *tableexpert.Expert
	server     *http.Server
}

func startTableExpert(ctx context.Context, tables string, log *slog.Logger) (*localAgent, error) {
	expert, err := tableexpert.Open(ctx, tableexpert.Config{Tables: tables, Log: log})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting the Table Expert: %w", err), expert.Close())
	}
	a := &localAgent{url: "http://" + l.Addr().String(), token: rand.Text(), expert: expert}
	a.server = agentServer(expert, a.url, a.token, log)
	go a.server.Serve(l)
	return a, nil
}

func agentServer(expert *tableexpert.Expert, url, token string, log *slog.Logger) *http.Server {
	face := &a2aserver.Server{Agent: expert.Agent(), Card: expert.Card(), URL: url, Log: log}
	return newHTTPServer(bounded(withToken(token, face)), log)
}

// Close stops serving and closes the tables.
func (a *localAgent) Close() error {
	return errors.Join(a.server.Close(), a.expert.Close())
}
