package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"rialto/internal/config"
	"rialto/internal/server"
)

func serveCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server with a configuration file",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load(path, os.Environ(), cmd.Flags())
			if err != nil {
				return err
			}
			log := cfg.Log.Logger()
			l, err := server.Listen(cfg.Listen)
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
			if err := s.AnnounceSetup(cmd.Context(), cmd.ErrOrStderr()); err != nil {
				return err
			}
			for _, note := range cfg.Warnings() {
				log.Warn(note)
			}
			if cfg.SignIn.AutoApprove.Enabled {
				log.Warn("sign_in.auto_approve is on: all callers of this server are approved without a question", "connector", cfg.URL+"/mcp")
			}
			log.Info("rialto is ready", "version", server.Version(), "connector", cfg.URL+"/mcp", "listen", l.Addr(), "agents", len(cfg.Agents))
			return s.ServeBoth(cmd.Context(), l, calls)
		},
	}
	configFlags(cmd, &path)
	return cmd
}

// configFlags adds the flags of commands with a configuration. Their names are keys of the file.
func configFlags(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "config", "", "configuration `file` (YAML)")
	cmd.Flags().String("listen", "", "`HOST:PORT` to listen on")
	cmd.Flags().String("url", "", "public `address` of the server, https://…")
	cmd.Flags().String("database", "", "SQLite `file`, postgres://…, or memory")
}

func configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Work with the configuration"}
	var path string
	var agents bool
	check := &cobra.Command{
		Use:   "check",
		Short: "Check a configuration and print a summary",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load(path, os.Environ(), cmd.Flags())
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "The configuration is valid.\nconnector  %s/mcp\nlisten     %s\ndatabase   %s\n", cfg.URL, cfg.Listen, config.Redacted(cfg.Database))
			for _, way := range cfg.SignIn.Ways(cfg.URL) {
				fmt.Fprintf(cmd.OutOrStdout(), "sign-in    %s\n", way)
			}
			for _, a := range cfg.Agents {
				fmt.Fprintf(cmd.OutOrStdout(), "agent      %s at %s\n", a.Name, a.URL)
			}
			if agents {
				return server.ProbeAgents(cmd.Context(), cfg, cmd.OutOrStdout())
			}
			return nil
		},
	}
	configFlags(check, &path)
	check.Flags().BoolVar(&agents, "agents", false, "read the agents' cards, and report missing credentials")
	cmd.AddCommand(check, showConfigCommand())
	return cmd
}

func showConfigCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "show", Short: "Show the settings in force, without secrets", Args: cobra.NoArgs}
	var path string
	configFlags(cmd, &path)
	asJSON := cmd.Flags().Bool("json", false, "write JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load(path, os.Environ(), cmd.Flags())
		if err != nil {
			return err
		}
		if *asJSON {
			return writeJSON(cmd.OutOrStdout(), cfg.Settings())
		}
		t := &table{head: []string{"SETTING", "VALUE"}}
		for _, s := range cfg.Settings() {
			t.add(s.Key, s.Value)
		}
		return t.write(cmd.OutOrStdout())
	}
	return cmd
}
