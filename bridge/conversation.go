package bridge

import (
	"context"
	"fmt"

	"rialto/bridge/directory"
)

// inConversation returns the arguments with the agent of the conversation that they go
// on with, where they name only that. Of several agents that call one so, the default one
// is meant.
func (b *Bridge) inConversation(ctx context.Context, caller directory.Caller, args *sendArgs) (*sendArgs, error) {
	if args.Agent != "" || args.ContextID == "" {
		return args, nil
	}
	named := *args
	for _, p := range b.Directory.Visible(ctx) {
		if named.Agent != "" && p.Name != b.Directory.Default {
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
