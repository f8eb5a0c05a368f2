package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/server"
	"rialto/cmd/rialto/internal/term"
)

func serveCommand(delay func(time.Duration)) *cobra.Command {
	var path string
	cmd := command("serve", "Run the server with a configuration file")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load(path, os.Environ(), cmd.Flags())
		if err != nil {
			return err
		}
		delay(cfg.Serving.Grace())
		hangup := make(chan os.Signal, 1)
		signal.Notify(hangup, syscall.SIGHUP) // from here on it does not end the program
		defer signal.Stop(hangup)
		level := new(slog.LevelVar)
		log := cfg.Log.Logger(level)
		limitMemory(log)
		go releaseMemory(cmd.Context())
		l, err := listen(cfg.Listen)
		if err != nil {
			return err
		}
		defer l.Close()
		cfg.ListensOn(l.Addr())
		calls, err := server.ListenGRPC(cfg)
		if err != nil {
			return err
		}
		if calls != nil {
			defer calls.Close()
		}
		s, err := server.New(cmd.Context(), cfg, log)
		if err != nil {
			return server.UnlessStopped(cmd.Context(), err)
		}
		defer s.Close()
		s.Source = server.Source{
			Level: level,
			Path:  path,
			Read:  func() (*config.Config, error) { return config.Load(path, os.Environ(), cmd.Flags()) },
		}
		go reloadAt(cmd.Context(), hangup, func(ctx context.Context) {
			notifyReload(log, func() { _, _ = s.Reload(ctx) }) // it logs what happens
		})
		f, _ := cmd.ErrOrStderr().(*os.File)
		if err := s.AnnounceSetup(
			cmd.Context(), cmd.ErrOrStderr(), f != nil && term.Is(f),
		); err != nil {
			return err
		}
		logReady(log, cfg, l.Addr())
		notifySupervisor(cmd.Context(), log)
		return s.ServeBoth(cmd.Context(), l, calls)
	}
	configFlags(cmd, &path)
	return cmd
}

// logReady logs where the server listens, and what its operator should know.
func logReady(log *slog.Logger, cfg *config.Config, at net.Addr) {
	for _, note := range cfg.Warnings() {
		log.Warn(note)
	}

	if cfg.SignIn.AutoApprove.Enabled {
		log.Warn(
			"sign_in.auto_approve is on: all callers of this server are approved without a question",
			"connector", cfg.URL+"/mcp",
		)
	}

	log.Info(
		"rialto is ready",
		"version", server.Version(),
		"connector", cfg.URL+"/mcp",
		"listen", at,
		"agents", len(cfg.Agents),
	)
}

// configFlags adds the flags of commands with a configuration. Their names are keys of the file.
func configFlags(cmd *cobra.Command, path *string) {
	textFlag(cmd, path, "config", "configuration `file` (YAML)")
	cmd.Flags().String("listen", "", "`HOST:PORT` to listen on")
	cmd.Flags().String("url", "", "public `address` of the server, https://…")
	cmd.Flags().String("database", "", "SQLite `file`, postgres://…, or memory")
}

// reloadAt calls reload at each signal until ctx ends.
func reloadAt(ctx context.Context, signals <-chan os.Signal, reload func(context.Context)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			reload(ctx)
		}
	}
}

// withConfig gives a command the flags of a configuration, and runs do with it.
func withConfig(cmd *cobra.Command, do func(*cobra.Command, *config.Config) error) *cobra.Command {
	var path string
	configFlags(cmd, &path)
	jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load(path, os.Environ(), cmd.Flags())
		if err != nil {
			return err
		}
		return do(cmd, cfg)
	}
	return cmd
}

func configCommand() *cobra.Command {
	cmd := command("config", "Work with the configuration")
	cmd.AddCommand(checkConfigCommand(), showConfigCommand(), reloadConfigCommand())
	return cmd
}

// checkedAgent is an agent of a configuration that was checked.
type checkedAgent struct {
	Name    string `json:"name"`
	URL     string `json:"url"`
	Problem string `json:"problem,omitempty"`
}

func checkConfigCommand() *cobra.Command {
	var probe bool
	cmd := command("check", "Check a configuration and print a summary")
	boolFlag(
		cmd,
		&probe,
		"agents",
		"read the agents' cards, and report missing credentials",
	)
	return withConfig(cmd, func(cmd *cobra.Command, cfg *config.Config) error {
		problems := make([]string, len(cfg.Agents))
		faults := 0
		if probe {
			problems = server.ProbeAgents(cmd.Context(), cfg)
		}
		connector := cfg.URL + "/mcp"
		database := config.Redacted(cfg.Storage.Database)
		methods := cfg.SignIn.SignInMethods(cfg.URL)
		text := fmt.Sprintf(
			"The configuration is valid.\nconnector  %s\nlisten     %s\ndatabase   %s",
			connector,
			cfg.Listen,
			database,
		)
		for _, method := range methods {
			text += "\nsign-in    " + method
		}
		agents := make([]checkedAgent, len(cfg.Agents))
		for i, a := range cfg.Agents {
			agents[i] = checkedAgent{a.Name, a.URL, problems[i]}
			text += fmt.Sprintf("\nagent      %s at %s", a.Name, a.URL)
			if problems[i] != "" {
				faults++
				text += ": " + problems[i]
			}
		}
		err := done(
			cmd,
			map[string]any{
				"connector": connector,
				"listen":    cfg.Listen,
				"database":  database,
				"sign_in":   methods,
				"agents":    agents,
			},
			"%s",
			text,
		)
		if err == nil && faults > 0 {
			err = fmt.Errorf("%d of %d agents cannot be used like this", faults, len(cfg.Agents))
		}
		return err
	})
}

func showConfigCommand() *cobra.Command {
	cmd := command("show", "Show the settings in force, without secrets")
	return withConfig(cmd, func(cmd *cobra.Command, cfg *config.Config) error {
		if wantsJSON(cmd) {
			return writeJSON(cmd.OutOrStdout(), cfg.Settings())
		}
		t := &term.Table{Head: []string{"SETTING", "VALUE"}}
		for _, s := range cfg.Settings() {
			t.Add(s.Key, s.Value)
		}
		return t.Write(cmd.OutOrStdout())
	})
}
