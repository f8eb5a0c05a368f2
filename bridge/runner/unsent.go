package runner

import (
	"context"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// Messages to the owner of an unsent message: which agent, and where to connect it.
const (
	toConnect = "The agent %s wants to know who you are. Connect it with your own account at %s; then it gets your message."
	toChange  = "The agent %s does not accept what you have connected it with. Connect it anew at %s; then it gets your message."
	toRepeat  = "The agent %s has not got your message yet: it could not be reached when you had connected it. Try again in a moment, at %s."
)

// unsentReason returns what to tell the owner of a message that the agent certainly did
// not take, if the message is to be kept instead of failing the task, and "" otherwise.
// A message that was unsent before is kept if the agent is away.
func (f *Follower) unsentReason(ctx context.Context, err error) string {
	switch {
	case f.record.Task != nil || f.message == nil:
		return ""
	case f.r.Directory.MustConnect(f.record.Agent, err):
		if has, err := f.r.Directory.Connections.Connected(ctx, f.record.Owner, f.record.Agent); err == nil && has {
			return toChange
		}
		return toConnect
	case f.record.Resent && ledger.Refused(err) && (a2a.Is(err, a2a.Unavailable) || a2a.Is(err, a2a.RateLimited)):
		return toRepeat
	}
	return ""
}
