package directory

import (
	"context"
	"fmt"
	"strings"

	"rialto/bridge/ledger"
)

// maxWithSkill bounds the agents with a skill that an error names.
const maxWithSkill = 3

// withSkill returns the names of the caller's agents that have a skill, as JSON strings.
func (d *Directory) withSkill(ctx context.Context, skill string) (names []string) {
	for _, p := range d.Reachable(ctx) {
		if _, ok := d.CardFor(ctx, p.Agent, p.Card()).Skill(skill); ok && len(names) < maxWithSkill {
			names = append(names, fmt.Sprintf("%q", p.Name))
		}
	}
	return names
}

// HintSkill adds to err, if it is about a skill that an agent does not have, which of
// the caller's agents have it.
func (d *Directory) HintSkill(ctx context.Context, skill string, err error) error {
	none, ok := err.(noSkill)
	if !ok {
		return err
	}
	have := d.withSkill(ctx, skill)
	if len(have) == 0 {
		return err
	}
	return ledger.InputError{Text: none.Error() + " This skill is there with \"agent\": " + strings.Join(have, ", or ") + "."}
}
