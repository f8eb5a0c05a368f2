package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/server"
	"rialto/cmd/rialto/internal/tableexpert"
)

const (
	demoUser  = "demo"
	demoAgent = "tableexpert"

	demoPasswordEnv = "RIALTO_DEMO_PASSWORD"
)

func demoCommand() *cobra.Command {
	var listenAt, dir, address, tables string
	var agents []string
	cmd := command("demo", "Run a server, an account and the Table Expert on this machine")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		signal.Ignore(syscall.SIGHUP) // it may run without its terminal
		d := &demo{tables: tables}
		if err := d.configure(dir, listenAt, address, agents); err != nil {
			return err
		}
		return d.run(cmd)
	}
	dataFlag(cmd, &dir)
	cmd.Flags().StringVar(&listenAt, "listen", "127.0.0.1:8080", "`HOST:PORT` to listen on")
	textFlag(
		cmd,
		&address,
		"url",
		"public `address` of a tunnel to this server: https://…",
	)
	textFlag(
		cmd,
		&tables,
		"tables",
		"`directory` of CSV files and SQLite databases for the Table Expert, instead of its insurance data",
	)
	cmd.Flags().StringArrayVar(
		&agents,
		"agent",
		nil,
		"another A2A agent, as `NAME=URL` (repeatable)",
	)
	return cmd
}

// demo is a server without a configuration.
type demo struct {
	cfg    *config.Config
	dir    string
	tables string

	password     string
	passwordFrom string // the file or the variable
}

func (d *demo) configure(dir, listenAt, address string, agents []string) (err error) {
	d.dir, err = demoDir(dir)
	if err != nil {
		return err
	}

	d.cfg = config.Demo(d.dir)
	d.cfg.Listen = listenAt
	d.cfg.URL = address
	d.cfg.Serving.DrainTimeout = 0 // a person at a terminal waits
	d.cfg.Calls.DefaultAgent = demoAgent
	if address != "" { // a tunnel on this machine: without this, its visitors share one address
		d.cfg.TrustedProxies = []string{"127.0.0.0/8", "::1/128"}
	}

	d.cfg.Log.Level = cmp.Or(os.Getenv("RIALTO_LOG__LEVEL"), d.cfg.Log.Level)
	d.cfg.Agents = []config.Agent{demoTables()}
	for _, a := range agents {
		name, url, ok := strings.Cut(a, "=")
		if !ok {
			return fmt.Errorf("--agent %s: write it as NAME=URL", a)
		}
		d.cfg.Agents = append(d.cfg.Agents, config.Agent{Name: name, URL: url})
	}

	if err = d.cfg.Check(); err == nil {
		return nil
	}

	for i, a := range agents { // name the flag instead of the key
		if why, ok := strings.CutPrefix(err.Error(), fmt.Sprintf("agents[%d].", i+1)); ok {
			return fmt.Errorf("--agent %s: %s", a, why)
		}
	}

	return err
}

// demoTables returns the Table Expert of the demo. Its port is known once it listens.
func demoTables() config.Agent {
	return config.Agent{
		Name:          demoAgent,
		URL:           "http://127.0.0.1",
		SkillsAsTools: true,
		Local:         true,
	}
}

// run starts the agent and the server. It returns when one of them ends or the user stops it.
func (d *demo) run(cmd *cobra.Command) error {
	l, err := server.Listen(d.cfg.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	d.cfg.ListensOn(l.Addr())
	lock, err := lockDir(d.dir)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if err := d.prepare(); err != nil {
		return err
	}

	ctx, fail := context.WithCancelCause(cmd.Context())
	defer fail(nil)
	agent, s, err := d.start(ctx, fail)
	if err != nil {
		return server.UnlessStopped(cmd.Context(), err)
	}
	defer agent.Close()
	defer s.Close()
	d.banner(cmd.OutOrStdout(), server.AgentStates(ctx, s))
	if err := s.Serve(ctx, l); err != nil || cmd.Context().Err() != nil {
		return err
	}

	return context.Cause(ctx)
}

// start starts the agent, then the server with its account. It calls fail if the agent
// stops. Close both, the server first.
func (d *demo) start(
	ctx context.Context, fail context.CancelCauseFunc,
) (*server.LocalAgent, *server.Server, error) {
	log := d.cfg.Log.Logger(new(slog.LevelVar))
	model, err := tableExpertModel()
	if err != nil {
		return nil, nil, err
	}

	agent, err := server.StartTableExpert(
		ctx, tableexpert.Config{Tables: d.tables, Model: model, Log: log}, fail,
	)
	if err != nil {
		return nil, nil, err
	}

	d.cfg.Agents[0] = agent.Settings(demoAgent)
	if err := writeDemoAgents(d.dir, d.cfg.Agents); err != nil {
		return nil, nil, errors.Join(err, agent.Close())
	}

	s, err := server.New(ctx, d.cfg, log)
	if err != nil {
		return nil, nil, errors.Join(err, agent.Close())
	}
	if err := s.SetDemoAccount(ctx, demoUser, d.password); err != nil {
		return nil, nil, errors.Join(
			fmt.Errorf("the password of %s, from %s: %w", demoUser, d.passwordFrom, err),
			s.Close(),
			agent.Close(),
		)
	}

	return agent, s, nil
}

// lockDir creates the directory and locks it, because two demos would overwrite each
// other's address. The system releases the lock when the process ends.
func lockDir(dir string) (*flock.Flock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}

	lock := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
	switch taken, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("--data: %w", err)
	case !taken:
		return nil, fmt.Errorf("another demo uses %s: give --data another directory", dir)
	}

	return lock, nil
}

// prepare reads or creates the password, and writes the address for "rialto token".
func (d *demo) prepare() error {
	d.password = os.Getenv(demoPasswordEnv)
	d.passwordFrom = demoPasswordEnv
	if d.password == "" {
		var err error
		d.passwordFrom = filepath.Join(d.dir, "password")
		d.password, err = config.ReadOrCreate(
			d.passwordFrom, func() string { return strings.ToLower(rand.Text()[:16]) },
		)
		if err != nil {
			return fmt.Errorf("--data: %w", err)
		}
		if d.password == "" {
			return fmt.Errorf(
				"%s is empty: write a password into it, delete it to get a new one, or set %s",
				d.passwordFrom,
				demoPasswordEnv,
			)
		}
	}

	return os.WriteFile(filepath.Join(d.dir, "url"), []byte(d.cfg.URL+"\n"), 0o600)
}
