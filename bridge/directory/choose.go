package directory

import (
	"context"
	"fmt"
	"strings"

	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

// Choose returns the agent of a call: the named one, or the default or only one. An
// agent that the caller may not see does not exist. If the choice is unclear, the error
// names the agents with the skill.
func (d *Directory) Choose(ctx context.Context, name, skill string) (*Entry, error) {
	agents := d.Visible(ctx)
	if name == "" {
		name = d.InForce().Default
	}
	if name == "" && len(agents) == 1 {
		return agents[0], nil
	}
	names := make([]string, len(agents))
	for i, p := range agents {
		if names[i] = p.Name; p.Name == name {
			return p, nil
		}
	}
	known := strings.Join(names, ", ")
	switch p := d.Known(ctx, name); {
	case name == "":
		return nil, d.missingAgent(ctx, skill, known)
	case p != nil:
		return nil, ledger.InputError{Text: fmt.Sprintf("The agent %s is disabled and takes no messages now. Choose one of: %s.", name, known)}
	}
	return nil, ledger.InputError{Text: fmt.Sprintf("There is no agent named %q. Choose one of: %s.", sanitize.Truncate(sanitize.Text(name), 100), known)}
}

// Offered returns an agent that a call must name and that the caller may use.
func (d *Directory) Offered(ctx context.Context, name string) (*Entry, error) {
	p := d.Known(ctx, name)
	if p == nil || p.Disabled {
		return nil, ledger.InputError{Text: fmt.Sprintf("There is no agent named %q. Call list_agents for the names.", sanitize.Short(name, 100))}
	}
	return p, nil
}

// ConnectNamed connects to an agent that a call must name, on behalf of user.
func (d *Directory) ConnectNamed(ctx context.Context, name, user string) (Conn, error) {
	p, err := d.Offered(ctx, name)
	if err != nil {
		return nil, err
	}
	return d.ConnectFor(ctx, p, user)
}

// missingAgent is the error for a call that names no agent when there are several.
func (d *Directory) missingAgent(ctx context.Context, skill, known string) error {
	text := "The argument \"agent\" is missing."
	if skill != "" {
		if have := d.withSkill(ctx, skill); len(have) > 0 {
			text += " The skill is there with \"agent\": " + strings.Join(have, ", or ") + "."
		}
	}
	return ledger.InputError{Text: text + " Choose one of: " + known + ". list_agents tells what each can do."}
}
