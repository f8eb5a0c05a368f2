package runner

import (
	"context"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// What a person is told whose message is held: of which agent, and where to go.
const (
	toConnect = "The agent %s wants to know who you are. Connect it with your own account at %s; then it gets your message."
	toChange  = "The agent %s does not accept what you have connected it with. Connect it anew at %s; then it gets your message."
	toRepeat  = "The agent %s has not got your message yet: it could not be reached when you had connected it. Try again in a moment, at %s."
)

// unsentReason returns what to tell the owner of a message that the agent has certainly
// not taken, if it is to be held instead of failing the task; "" if it is not. A
// message that was held is not lost because the agent is away when its turn has
// come.
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
