package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/internal/cli/term"
)

// switchAgentCommand returns the command enable or disable.
func switchAgentCommand(verb, short string, do func(operator.Agents, context.Context, operator.Actor, string) (bool, error)) *cobra.Command {
	return withOperator(&cobra.Command{Use: verb + " NAME", Short: short, Args: cobra.ExactArgs(1), ValidArgsFunction: completeNames("agents")},
		func(cmd *cobra.Command, s *operator.Service, args []string) error {
			did, err := do(s.Agents, cmd.Context(), operator.CommandLine, args[0])
			if err != nil {
				return agentError(args[0], err)
			}
			already := ""
			if !did {
				already = " already"
			}
			now, err := s.Agents.Agent(cmd.Context(), args[0])
			if err != nil {
				return agentError(args[0], err)
			}
			return done(cmd, now, "%s is%s %sd.", args[0], already, verb)
		})
}

func testAgentCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "test NAME [MESSAGE]", Short: "Send a message to an agent and show the answer", Args: cobra.RangeArgs(1, 2), ValidArgsFunction: completeNames("agents")}
	user := cmd.Flags().String("user", "operator", "user `name` for agents that get the caller's identity")
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		message := "Hello. What can you do?"
		if len(args) == 2 {
			message = args[1]
		}
		bar := term.Start(cmd.ErrOrStderr(), "Waiting for "+args[0])
		defer bar.Stop()
		trial, err := s.Agents.Test(cmd.Context(), *user, args[0], message)
		if err != nil {
			return agentError(args[0], err)
		}
		bar.Stop()
		if wantsJSON(cmd) {
			err = writeJSON(cmd.OutOrStdout(), trial)
		} else {
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s after %s, over %s\n%s\n", trial.State, trial.Took.Round(time.Millisecond), trial.Interface, trial.Answer)
		}
		if err == nil && trial.State != a2a.Completed && !trial.State.Interrupted() {
			err = fmt.Errorf("agent %s: the task is %s", args[0], trial.State)
		}
		return err
	})
}

func agentError(name string, err error) error {
	if errors.Is(err, operator.ErrNotFound) {
		return fmt.Errorf("there is no agent named %q: \"%s agents list\" lists the agents", name, program())
	}
	return fmt.Errorf("agent %s: %w", name, err)
}

func addAgentCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add URL",
		Short: "Add an agent by its address or the address of its card",
		Long:  "Reads the agent's card, prints a summary and adds the agent. It returns when a running server offers it.",
		Args:  cobra.ExactArgs(1),
	}
	var f agentFlags
	f.add(cmd)
	cmd.Flags().StringVar(&f.name, "name", "", "`name` of the agent in tools and addresses (default: derived from its card)")
	unseen := cmd.Flags().Bool("unseen", false, "add the agent even if its card cannot be read now")
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		a, err := f.over(cmd.Flags(), directory.AgentConfig{Name: f.name, URL: args[0]})
		if err != nil {
			return err
		}
		return addAgent(cmd, s, a, *unseen)
	})
}

func previewAgentCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "preview URL", Short: "Read the card of an agent without adding it, and show how it would be called", Args: cobra.ExactArgs(1)}
	var f agentFlags
	f.add(cmd)
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		a, err := f.over(cmd.Flags(), directory.AgentConfig{Name: f.name, URL: args[0]})
		if err != nil {
			return err
		}
		defer term.Start(cmd.ErrOrStderr(), "Reading the card").Stop()
		seen, err := s.Agents.Preview(cmd.Context(), a)
		switch {
		case err != nil:
			return fmt.Errorf("%s cannot be used like this: %w", a.URL, err)
		case wantsJSON(cmd):
			return writeJSON(cmd.OutOrStdout(), seen)
		}
		writePreview(cmd.OutOrStdout(), seen)
		return nil
	})
}

func addAgent(cmd *cobra.Command, s *operator.Service, a directory.AgentConfig, unseen bool) error {
	bar := term.Start(cmd.ErrOrStderr(), "Reading the card")
	added, seen, err := s.Agents.Add(cmd.Context(), operator.CommandLine, operator.NewAgent{AgentConfig: a, Unseen: unseen})
	bar.Stop()
	if wrong, ok := errors.AsType[*operator.AgentError](err); ok && !unseen {
		return fmt.Errorf("%s cannot be used like this: %w (add it all the same with --unseen and --name)", added.URL, wrong.Err)
	}
	if err != nil {
		return agentError(cmp.Or(added.Name, added.URL), err)
	}
	if wantsJSON(cmd) {
		return writeJSON(cmd.OutOrStdout(), struct {
			directory.AgentConfig
			Preview *directory.Preview `json:"preview,omitempty"`
		}{added, seen})
	}
	if seen != nil {
		writePreview(cmd.OutOrStdout(), seen)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "Agent added as %s.\n", added.Name)
	return nil
}

// writePreview prints a preview: all texts of the card that models see.
func writePreview(out io.Writer, p *directory.Preview) {
	fmt.Fprintf(out, "%s %s, over %s\n", p.Name, p.Version, p.Interface)
	said := func(indent, what string) {
		if what = strings.Join(strings.Fields(what), " "); what != "" {
			fmt.Fprintf(out, "%s%s\n", indent, what)
		}
	}
	said("  ", p.Description)
	for _, s := range p.Skills {
		fmt.Fprintf(out, "  %s: %s\n", s.ID, s.Name)
		said("    ", s.Description)
		for _, e := range s.Examples {
			said("    e.g. ", e)
		}
	}
	for _, problem := range p.Problems {
		fmt.Fprintf(out, "Note: %s\n", problem)
	}
}
