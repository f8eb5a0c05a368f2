package directory

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"slices"
	"strings"
)

const maxSuggestions = 3

// suggestion is an agent that may fit a message.
type suggestion struct {
	agent, skill string
	words        []string // of the message that the skill is about
	score        float64
}

// suggest returns the agents whose skills fit a message best, at most maxProposals. It proposes
// none where no word fits: which agent gets a message is for its sender to say.
func (d *Directory) suggest(ctx context.Context, skill, message string) []suggestion {
	var all []suggestion
	for _, p := range d.Reachable(ctx) {
		card := d.CardFor(ctx, p.Agent, p.Card())
		for _, s := range card.Skills[:min(len(card.Skills), MaxSkills)] {
			all = append(all, suggestion{agent: p.Name, skill: s.ID, words: wordsOfSkill(card, s)})
		}
	}
	return best(all, skill, ledger.MessageWords(message))
}

func wordsOfSkill(card *a2a.Card, s a2a.Skill) []string {
	text := append([]string{card.Name, s.ID, s.Name, s.Description}, s.Tags...)
	text = append(text, s.Examples[:min(len(s.Examples), 10)]...)
	return ledger.MessageWords(strings.Join(text, " "))
}

// common are words that do not show the subject of a text.
var common = strings.Fields("the and for with from into this that these those what which who whom how when where why are was were has have had can could would should will does did not you your our their its all any many much more most some give show tell make get agent please")

// best ranks what is offered: each has the words of its skill, and comes back
// with those that the message shares. A word counts the more the fewer skills
// have it; the skill that is asked for counts more than any.
func best(offered []suggestion, skill string, message []string) []suggestion {
	var found []suggestion
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
	slices.SortStableFunc(found, func(x, y suggestion) int { return cmp.Compare(y.score, x.score) })
	seen := map[string]bool{}
	found = slices.DeleteFunc(found, func(p suggestion) bool {
		again := seen[p.agent]
		seen[p.agent] = true
		return again
	})
	return found[:min(len(found), maxSuggestions)]
}

// HintSkill adds to err, if it is about a skill that an agent does not have, which of
// the caller's agents have it.
func (d *Directory) HintSkill(ctx context.Context, skill string, err error) error {
	none, ok := err.(noSkill)
	if !ok {
		return err
	}
	var have []string
	for _, p := range d.Reachable(ctx) {
		if _, ok := d.CardFor(ctx, p.Agent, p.Card()).Skill(skill); ok && len(have) < maxSuggestions {
			have = append(have, fmt.Sprintf("%q", p.Name))
		}
	}
	if len(have) == 0 {
		return err
	}
	return ledger.InputError{Text: none.Error() + " This skill is there with \"agent\": " + strings.Join(have, ", or ") + "."}
}

// why says in words what speaks for an agent.
func (p suggestion) why() string {
	why := fmt.Sprintf("its skill %s", sanitize.Label(p.skill))
	if len(p.words) > 0 {
		why += fmt.Sprintf(" is about: %s", strings.Join(p.words[:min(len(p.words), 5)], ", "))
	}
	return why
}
