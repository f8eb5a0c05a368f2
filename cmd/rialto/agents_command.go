package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"rialto/a2a/a2aauth"
	"rialto/bridge"
	"rialto/bridge/admin"

	"github.com/spf13/cobra"
)

func agentsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "agents", Short: "See, add, change and remove agents, try them, and look after their cards"}
	cmd.AddCommand(
		listAgentsCommand(), previewAgentCommand(), addAgentCommand(), changeAgentCommand(), removeAgentCommand(), testAgentCommand(),
		switchAgentCommand("enable", "Offer an agent again that was disabled", (*admin.Service).EnableAgent),
		switchAgentCommand("disable", "Take an agent out of every list; what runs there goes on", (*admin.Service).DisableAgent),
		onCards(&cobra.Command{Use: "cards NAME", Short: "List the cards that an agent has shown, the latest first"}, listCards),
		onCards(&cobra.Command{Use: "accept NAME", Short: "Put the card that an agent has shown last in force"}, acceptCard),
	)
	return cmd
}

// onCards completes a command about the cards of one agent.
func onCards(cmd *cobra.Command, do func(context.Context, io.Writer, *admin.Service, string) error) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = cobra.ExactArgs(1), completeNames(agentNames)
	return onOperator(cmd, func(cmd *cobra.Command, s *admin.Service, args []string) error {
		return do(cmd.Context(), cmd.OutOrStdout(), s, args[0])
	})
}

// listCards writes a line for each card: when it was shown, and what is another
// than in the card in force.
func listCards(ctx context.Context, out io.Writer, s *admin.Service, agent string) error {
	cards, err := s.Cards(ctx, agent)
	if err != nil {
		return err
	}
	valid, known := bridge.InForce(cards)
	if !known {
		return fmt.Errorf("the agent %q has not shown a card yet", agent)
	}
	for i, c := range cards {
		state := "was shown before"
		switch {
		case c.Digest == valid.Digest:
			state = "in force"
		case i == 0:
			state = "waits for: rialto agents accept " + agent
		}
		fmt.Fprintf(out, "%.16s  from %s to %s  %s\n", c.Digest, c.First.Format(time.RFC3339), c.Last.Format(time.RFC3339), state)
		if c.Digest != valid.Digest {
			fmt.Fprintf(out, "  differs in %s\n", strings.Join(bridge.Changes(valid.Card, c.Card), ", "))
		}
	}
	return nil
}

func acceptCard(ctx context.Context, out io.Writer, s *admin.Service, agent string) error {
	err := s.AcceptCard(ctx, admin.CommandLine, agent)
	if errors.Is(err, bridge.ErrNoCard) {
		return fmt.Errorf("the agent %q has no card that waits", agent)
	}
	if err == nil {
		fmt.Fprintf(out, "The card that %s has shown last is in force. Servers that run take it up within ten minutes.\n", agent)
	}
	return err
}

// visitTimeout bounds how long the cards of all agents may take.
const visitTimeout = 10 * time.Second

// visit reads the cards of all agents and says what is wrong with them, or what
// they ask for that the configuration does not have. It keeps nothing.
func (c *config) visit(ctx context.Context, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, visitTimeout)
	defer cancel()
	lines := make([]string, len(c.Agents))
	var all sync.WaitGroup
	for i, a := range c.Agents {
		all.Go(func() { lines[i] = a.visit(ctx) })
	}
	all.Wait()
	var faults int
	for i, a := range c.Agents {
		if lines[i] != "" {
			faults++
			fmt.Fprintf(out, "agent %s: %s\n", a.Name, lines[i])
		}
	}
	if faults > 0 {
		return fmt.Errorf("%d of %d agents cannot be used like this", faults, len(c.Agents))
	}
	return nil
}

// visit says what is wrong with an agent, or "".
func (a agentConfig) visit(ctx context.Context) string {
	says := func(context.Context, string, string) (string, error) {
		return "", errors.New("no user")
	}
	dialer, err := a.dialer(slog.New(slog.DiscardHandler), says, nil, nil)
	if err != nil {
		return err.Error()
	}
	client, err := dialer.Dial(ctx, a.URL)
	if err != nil {
		return err.Error()
	}
	ways := a2aauth.Unmet(client.Card(), a.Credentials.means())
	if len(ways) == 0 {
		return ""
	}
	return "its card asks for credentials that are not configured: " + strings.Join(ways, "; or ")
}
