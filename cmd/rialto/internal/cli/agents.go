package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rialto/bridge/directory"
	"rialto/bridge/operator"
)

const cardsShort = "List the cards of an agent, latest first, with the changes in a card that waits"

func agentsCommand() *cobra.Command {
	cmd := command("agents", "Manage agents and their cards")
	cmd.AddCommand(
		listCommand("agents", "List the agents of the configuration and those that were added"),
		previewAgentCommand(),
		addAgentCommand(),
		changeAgentCommand(),
		removeCommand("agents"),
		testAgentCommand(),
		switchAgentCommand("enable", "Enable an agent that was disabled", operator.Agents.Enable),
		switchAgentCommand(
			"disable",
			"Hide an agent from all lists; its running tasks continue",
			operator.Agents.Disable,
		),
		withOperator(onEntry("agents", "cards NAME", cardsShort), (*request).listCards),
		acceptCardCommand(),
	)
	return cmd
}

func acceptCardCommand() *cobra.Command {
	cmd := onEntry("agents", "accept NAME [CARD]", "Accept the latest card of an agent")
	cmd.Args = cobra.RangeArgs(1, 2)
	cmd.Long = "Accept the latest card of an agent. Give the beginning of the card's digest, as `rialto agents cards` " +
		"shows it, to accept no later card."
	return withOperator(cmd, (*request).acceptCard)
}

// listCards prints a line for each card: when it was shown, and how it differs from the
// card in force.
func (r *request) listCards() error {
	agent := r.name
	out := r.out
	cards, err := r.Agents.Cards(r.ctx, agent)
	if err != nil {
		return err
	}
	if r.asJSON {
		return writeJSON(out, cards)
	}

	return writeCards(out, agent, cards)
}

func writeCards(out io.Writer, agent string, cards []directory.SeenCard) error {
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
		fmt.Fprintf(
			out,
			"%.16s  from %s to %s  %s\n",
			c.Digest, c.First.Format(time.RFC3339), c.Last.Format(time.RFC3339), state,
		)
		if c.Digest != valid.Digest {
			fmt.Fprintf(out, "  differs in %s\n", strings.Join(directory.Changes(valid.Card, c.Card), ", "))
		}
		if i == 0 && c.Digest != valid.Digest {
			writeDifferences(out, valid.Card, c.Card)
		}
	}

	return nil
}

// maxDifferences is how many differences of two cards are printed.
const maxDifferences = 1000

// writeDifferences prints the differences of two cards.
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

func (r *request) acceptCard() error {
	agent := r.name
	digest := ""
	if len(r.args) > 1 {
		digest = r.args[1]
	}

	accepted, err := r.Agents.AcceptCard(r.ctx, operator.CommandLine, agent, digest)
	if err != nil {
		return agentError(agent, err)
	}

	return r.done(
		map[string]string{"digest": accepted},
		"The card %.16s of %s is in force.",
		accepted,
		agent,
	)
}
