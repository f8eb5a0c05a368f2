package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"rialto/bridge/directory"
	"rialto/bridge/operator"

	"github.com/spf13/cobra"
)

func agentsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "agents", Short: "See, add, change and remove agents, try them, and look after their cards"}
	cmd.AddCommand(
		listAgentsCommand(), previewAgentCommand(), addAgentCommand(), changeAgentCommand(), removeAgentCommand(), testAgentCommand(),
		switchAgentCommand("enable", "Offer an agent again that was disabled", (*operator.Service).EnableAgent),
		switchAgentCommand("disable", "Take an agent out of every list; what runs there goes on", (*operator.Service).DisableAgent),
		withCards(&cobra.Command{Use: "cards NAME", Short: "List the cards that an agent has shown, the latest first, and what has changed in one that waits", Args: cobra.ExactArgs(1)}, listCards),
		withCards(&cobra.Command{
			Use: "accept NAME [CARD]", Short: "Put the card that an agent has shown last in force",
			Long: "Put the card that an agent has shown last in force. With the beginning of the card's digest, as `rialto agents cards` shows it, no other is accepted that the agent may have shown since.",
			Args: cobra.RangeArgs(1, 2),
		}, acceptCard),
	)
	return cmd
}

// withCards completes a command about the cards of one agent.
func withCards(cmd *cobra.Command, do func(context.Context, io.Writer, *operator.Service, []string) error) *cobra.Command {
	cmd.ValidArgsFunction = completeNames(agentNames)
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		return do(cmd.Context(), cmd.OutOrStdout(), s, args)
	})
}

// listCards writes a line for each card: when it was shown, and what is another
// than in the card in force.
func listCards(ctx context.Context, out io.Writer, s *operator.Service, args []string) error {
	agent := args[0]
	cards, err := s.Cards(ctx, agent)
	if err != nil {
		return err
	}
	valid, known := directory.InForce(cards)
	if !known {
		return fmt.Errorf("the agent %q has not shown a card yet", agent)
	}
	for i, c := range cards {
		state := "was shown before"
		switch {
		case c.Digest == valid.Digest:
			state = "in force"
		case i == 0:
			state = fmt.Sprintf("waits for: rialto agents accept %s %.16s", agent, c.Digest)
		}
		fmt.Fprintf(out, "%.16s  from %s to %s  %s\n", c.Digest, c.First.Format(time.RFC3339), c.Last.Format(time.RFC3339), state)
		if c.Digest != valid.Digest {
			fmt.Fprintf(out, "  differs in %s\n", strings.Join(directory.Changes(valid.Card, c.Card), ", "))
		}
		if i == 0 && c.Digest != valid.Digest {
			writeDifferences(out, valid.Card, c.Card)
		}
	}
	return nil
}

// maxDifferences is how many differences of two cards are written.
const maxDifferences = 1000

// writeDifferences writes where a card differs from the one before, with what was
// there and what is there now.
func writeDifferences(out io.Writer, was, is []byte) {
	list, more := directory.Differences(was, is, maxDifferences)
	for _, d := range list {
		fmt.Fprintf(out, "    %s\n", d.Path)
		if d.Was != "" {
			fmt.Fprintf(out, "      - %s\n", d.Was)
		}
		if d.Is != "" {
			fmt.Fprintf(out, "      + %s\n", d.Is)
		}
	}
	if more > 0 {
		fmt.Fprintf(out, "    and in %d more places\n", more)
	}
}

func acceptCard(ctx context.Context, out io.Writer, s *operator.Service, args []string) error {
	agent, digest := args[0], ""
	if len(args) > 1 {
		digest = args[1]
	}
	accepted, err := s.AcceptCard(ctx, operator.CommandLine, agent, digest)
	if err != nil {
		return agentError(agent, err)
	}
	fmt.Fprintf(out, "The card %.16s of %s is in force. Servers that run take it up within seconds.\n", accepted, agent)
	return nil
}
