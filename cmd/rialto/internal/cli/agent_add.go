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
)

// switchAgentCommand returns the command enable or disable.
func switchAgentCommand(
	verb, short string,
	do func(operator.Agents, context.Context, operator.Actor, string) (bool, error),
) *cobra.Command {
	return withOperator(onEntry("agents", verb+" NAME", short),
		func(r *request) error {
			did, err := do(r.Agents, r.ctx, operator.CommandLine, r.name)
			if err != nil {
				return agentError(r.name, err)
			}
			is := verb + "d"
			if !did {
				is = "already " + is
			}
			return r.agentDone(r.name, is)
		})
}

func testAgentCommand() *cobra.Command {
	cmd := onEntry(
		"agents", "test NAME [MESSAGE]", "Send a message to an agent and show the answer",
	)
	cmd.Args = cobra.RangeArgs(1, 2)
	user := cmd.Flags().String(
		"user", "operator", "user `name` for agents that get the caller's identity",
	)
	return withOperator(cmd, func(r *request) error {
		message := "Hello. What can you do?"
		if len(r.args) == 2 {
			message = r.args[1]
		}
		bar := r.progress("Waiting for " + r.name)
		defer bar.Stop()
		trial, err := r.Agents.Test(r.ctx, *user, r.name, message)
		if err != nil {
			return agentError(r.name, err)
		}
		bar.Stop()
		if r.asJSON {
			err = writeJSON(r.out, trial)
		} else {
			_, err = fmt.Fprintf(
				r.out,
				"%s after %s, over %s\n%s\n",
				trial.State,
				trial.Took.Round(time.Millisecond),
				trial.Interface,
				trial.Answer,
			)
		}
		if err == nil && trial.State != a2a.Completed && !trial.State.Interrupted() {
			err = fmt.Errorf("agent %s: the task is %s", r.name, trial.State)
		}
		return err
	})
}

// agentDone shows an agent as it is now, or says what was done to it.
func (r *request) agentDone(name, is string) error {
	now, err := r.Agents.Agent(r.ctx, name)
	if err != nil {
		return agentError(name, err)
	}
	return r.done(now, "%s is %s.", name, is)
}

func agentError(name string, err error) error {
	if errors.Is(err, operator.ErrNotFound) {
		return fmt.Errorf(
			"there is no agent named %q: \"%s agents list\" lists the agents", name, program(),
		)
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
	textFlag(
		cmd,
		&f.name,
		"name",
		"`name` of the agent in tools and addresses (default: derived from its card)",
	)
	unseen := cmd.Flags().Bool("unseen", false, "add the agent even if its card cannot be read now")
	return withOperator(cmd, func(r *request) error {
		a, err := f.over(r.cmd.Flags(), directory.AgentConfig{Name: f.name, URL: r.name})
		if err != nil {
			return err
		}
		return r.addAgent(a, *unseen)
	})
}

func previewAgentCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "preview URL",
		Short: "Read the card of an agent without adding it, and show how it would be called",
		Args:  cobra.ExactArgs(1),
	}
	var f agentFlags
	f.add(cmd)
	return withOperator(cmd, func(r *request) error {
		a, err := f.over(r.cmd.Flags(), directory.AgentConfig{Name: f.name, URL: r.name})
		if err != nil {
			return err
		}
		defer r.progress("Reading the card").Stop()
		seen, err := r.Agents.Preview(r.ctx, a)
		switch {
		case err != nil:
			return fmt.Errorf("couldn't use the agent at %s: %w", a.URL, err)
		case r.asJSON:
			return writeJSON(r.out, seen)
		}
		writePreview(r.out, seen)
		return nil
	})
}

func (r *request) addAgent(a directory.AgentConfig, unseen bool) error {
	bar := r.progress("Reading the card")
	added, seen, err := r.Agents.Add(
		r.ctx, operator.CommandLine, operator.NewAgent{AgentConfig: a, Unseen: unseen},
	)
	bar.Stop()
	if wrong, ok := errors.AsType[*operator.AgentError](err); ok && !unseen {
		return fmt.Errorf(
			"couldn't add the agent at %s: %w (--unseen and --name add it all the same)",
			added.URL, wrong.Err,
		)
	}
	if err != nil {
		return agentError(cmp.Or(added.Name, added.URL), err)
	}
	if r.asJSON {
		return writeJSON(r.out, struct {
			directory.AgentConfig
			Preview *directory.Preview `json:"preview,omitempty"`
		}{added, seen})
	}
	if seen != nil {
		writePreview(r.out, seen)
	}

	fmt.Fprintf(r.out, "Agent added as %s.\n", added.Name)
	return nil
}

// writePreview prints a preview: all texts of the card that models see.
func writePreview(out io.Writer, p *directory.Preview) {
	fmt.Fprintf(out, "%s %s, over %s\n", p.Name, p.Version, p.Interface)
	said := func(indent, what string) {
		what = strings.Join(strings.Fields(what), " ")
		if what != "" {
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
