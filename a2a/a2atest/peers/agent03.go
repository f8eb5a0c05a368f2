package peers

import (
	"context"
	"net/http"
	"strings"

	old "github.com/a2aproject/a2a-go/a2a"
	oldsrv "github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
	oldpush "github.com/a2aproject/a2a-go/a2asrv/push"

	"rialto/a2a/a2atest/tour"
)

// Serve03 returns an agent at url, served as a2a-go 0.3.15 does: its errors have
// objects as data, and its JSON says that it is text.
func Serve03(url string, gate *tour.Gate) (http.Handler, error) {
	mux := http.NewServeMux()
	mux.Handle("/rpc", oldsrv.NewJSONRPCHandler(oldHandler(gate)))
	mux.Handle(oldsrv.WellKnownAgentCardPath, oldsrv.NewStaticAgentCardHandler(&old.AgentCard{Name: "old", URL: url + "/rpc",
		PreferredTransport: old.TransportProtocolJSONRPC, Capabilities: old.AgentCapabilities{Streaming: true, PushNotifications: true}}))
	return mux, nil
}

// oldExecutor is an agent in the manner of a2a-go 0.3.15.
type oldExecutor struct{ gate *tour.Gate }

func (a oldExecutor) Execute(ctx context.Context, x *oldsrv.RequestContext, q eventqueue.Queue) error {
	verb, words, _ := strings.Cut(x.Message.Parts[0].(old.TextPart).Text, " ")
	said := old.NewMessage(old.MessageRoleAgent, old.TextPart{Text: words})
	switch verb {
	case "say":
		return q.Write(ctx, said)
	case "hang", "wait":
		var passed <-chan struct{}
		if verb == "wait" {
			passed = a.gate.Passed() // before a client knows that the task waits
		}
		// Writing the task itself first is what makes it one that can be looked at.
		if err := q.Write(ctx, old.NewSubmittedTask(x, x.Message)); err != nil {
			return err
		}
		if err := q.Write(ctx, old.NewStatusUpdateEvent(x, old.TaskStateWorking, said)); err != nil {
			return err
		}
		select {
		case <-passed:
		case <-ctx.Done():
			return ctx.Err()
		}
	case "ask", "auth":
		state := map[string]old.TaskState{"ask": old.TaskStateInputRequired, "auth": old.TaskStateAuthRequired}[verb]
		u := old.NewStatusUpdateEvent(x, state, said)
		u.Final = true
		return q.Write(ctx, u)
	}
	made := []old.Part{old.TextPart{Text: words}}
	if verb == "files" {
		made = x.Message.Parts[1:]
	}
	done := old.NewStatusUpdateEvent(x, old.TaskStateCompleted, nil)
	done.Final = true
	for _, e := range []old.Event{old.NewStatusUpdateEvent(x, old.TaskStateWorking, said), old.NewArtifactEvent(x, made...), done} {
		if err := q.Write(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (oldExecutor) Cancel(ctx context.Context, x *oldsrv.RequestContext, q eventqueue.Queue) error {
	u := old.NewStatusUpdateEvent(x, old.TaskStateCanceled, nil)
	u.Final = true // without it the server waits forever (a2asrv/agentexec.go)
	return q.Write(ctx, u)
}

func oldHandler(gate *tour.Gate) oldsrv.RequestHandler {
	return oldsrv.NewHandler(oldExecutor{gate}, oldsrv.WithPushNotifications(oldpush.NewInMemoryStore(), oldpush.NewHTTPPushSender(&oldpush.HTTPSenderConfig{})))
}
