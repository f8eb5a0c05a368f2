package bridge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

const maxProposals = 3

// proposal is an agent that may fit a message.
type proposal struct {
	agent, skill string
	words        []string // of the message that the skill is about
	score        float64
}

// propose returns the agents whose skills fit a message best, at most
// maxProposals. It proposes none where no word fits: which agent gets a message
// is for its sender to say.
func (b *Bridge) propose(ctx context.Context, args *sendArgs) []proposal {
	var all []proposal
	for _, p := range b.reach(ctx) {
		card := b.cardFor(ctx, p.Agent, p.card())
		for _, s := range card.Skills[:min(len(card.Skills), maxSkills)] {
			all = append(all, proposal{agent: p.Name, skill: s.ID, words: wordsOfSkill(card, s)})
		}
	}
	return best(all, args.Skill, ledger.MessageWords(args.Message))
}

// wordsOfSkill returns the words by which a card tells what a skill is about.
func wordsOfSkill(card *a2a.Card, s a2a.Skill) []string {
	text := append([]string{card.Name, s.ID, s.Name, s.Description}, s.Tags...)
	text = append(text, s.Examples[:min(len(s.Examples), 10)]...)
	return ledger.MessageWords(strings.Join(text, " "))
}

// common are words that say nothing of what a text is about.
var common = strings.Fields("the and for with from into this that these those what which who whom how when where why are was were has have had can could would should will does did not you your our their its all any many much more most some give show tell make get agent please")

// best ranks what is offered: each has the words of its skill, and comes back
// with those that the message shares. A word counts the more the fewer skills
// have it; the skill that is asked for counts more than any.
func best(offered []proposal, skill string, message []string) []proposal {
	var found []proposal
	for _, p := range offered {
		var shared []string
		if skill != "" && p.skill == skill {
			p.score = 1000
		}
		for _, word := range message {
			if len(word) < 3 || slices.Contains(common, word) || !slices.Contains(p.words, word) {
				continue
			}
			have := 0
			for _, other := range offered {
				if slices.Contains(other.words, word) {
					have++
				}
			}
			p.score += math.Log(1 + float64(len(offered))/float64(have))
			shared = append(shared, word)
		}
		if p.words = shared; p.score > 0 {
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(x, y proposal) int { return cmp.Compare(y.score, x.score) })
	seen := map[string]bool{}
	found = slices.DeleteFunc(found, func(p proposal) bool {
		again := seen[p.agent]
		seen[p.agent] = true
		return again
	})
	return found[:min(len(found), maxProposals)]
}

// inConversation returns the arguments with the agent of the conversation that they go
// on with, where they name only that. Of several agents that call one so, the default one
// is meant.
func (b *Bridge) inConversation(ctx context.Context, caller Caller, args *sendArgs) (*sendArgs, error) {
	if args.Agent != "" || args.ContextID == "" {
		return args, nil
	}
	named := *args
	for _, p := range b.visible(ctx) {
		if named.Agent != "" && p.Name != b.Default {
			continue
		}
		has, err := b.Lists.HasContext(ctx, caller.User, p.Name, args.ContextID)
		if err != nil {
			return nil, fmt.Errorf("looking the conversation up: %w", err)
		}
		if has {
			named.Agent = p.Name
		}
	}
	return &named, nil
}

// noSkill is what a caller learns of a skill that is not for them.
type noSkill struct{ ledger.InputError }

// Unwrap lets it be read as what it is.
func (e noSkill) Unwrap() error { return e.InputError }

// withSkill adds to err, if it is about a skill that an agent does not have, which of
// the caller's agents have it.
func (b *Bridge) withSkill(ctx context.Context, skill string, err error) error {
	none, ok := err.(noSkill)
	if !ok {
		return err
	}
	var have []string
	for _, p := range b.reach(ctx) {
		if _, ok := b.cardFor(ctx, p.Agent, p.card()).Skill(skill); ok && len(have) < maxProposals {
			have = append(have, fmt.Sprintf("%q", p.Name))
		}
	}
	if len(have) == 0 {
		return err
	}
	return ledger.InputError{Text: none.Error() + " This skill is there with \"agent\": " + strings.Join(have, ", or ") + "."}
}

// why says in words what speaks for an agent.
func (p proposal) why() string {
	why := fmt.Sprintf("its skill %s", sanitize.Label(p.skill))
	if len(p.words) > 0 {
		why += fmt.Sprintf(" is about: %s", strings.Join(p.words[:min(len(p.words), 5)], ", "))
	}
	return why
}

// missingAgent is what a call is told that names no agent where there are
// several.
func (b *Bridge) missingAgent(ctx context.Context, args *sendArgs, known string) error {
	text := "The argument \"agent\" is missing."
	if found := b.propose(ctx, args); len(found) > 0 {
		text += " By their skills these fit best: "
		for i, p := range found {
			if i > 0 {
				text += "; "
			}
			text += fmt.Sprintf("%s (%s)", p.agent, p.why())
		}
		text += fmt.Sprintf(". If that is right, call again with \"agent\": %q.", found[0].agent)
	}
	return ledger.InputError{Text: text + " Choose one of: " + known + ". list_agents tells what each can do."}
}
