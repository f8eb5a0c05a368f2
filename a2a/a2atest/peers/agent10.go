package peers

import (
	"context"
	"iter"
	"net"
	"net/http"
	"os"
	"strings"

	theirs "github.com/a2aproject/a2a-go/v2/a2a"
	grpc10 "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
	"google.golang.org/grpc"

	"rialto/a2a/a2atest/tour"
)

// Serve10 returns an agent of a2a-go 2.4.0, which is reached over gRPC: what is at url is its card.
func Serve10(_ string, gate *tour.Gate) (http.Handler, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	calls := grpc.NewServer()
	grpc10.NewHandler(handler10(gate)).RegisterWith(calls)
	go calls.Serve(l) // until the process ends
	card := card10()
	iface := theirs.NewAgentInterface(l.Addr().String(), theirs.TransportProtocolGRPC)
	card.SupportedInterfaces = []*theirs.AgentInterface{iface}
	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	return mux, nil
}

// card10 is a card without interfaces.
func card10() *theirs.AgentCard {
	capabilities := theirs.AgentCapabilities{Streaming: true, PushNotifications: true}
	if extension := os.Getenv("RIALTO_REQUIRES"); extension != "" {
		capabilities.Extensions = []theirs.AgentExtension{{URI: extension, Required: true}}
	}
	return &theirs.AgentCard{Name: "theirs", Description: "a2a-go", Version: "1",
		Capabilities:      capabilities,
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"}, Skills: []theirs.AgentSkill{}}
}

func handler10(gate *tour.Gate) a2asrv.RequestHandler {
	return a2asrv.NewHandler(executor{gate}, a2asrv.WithCapabilityChecks(&card10().Capabilities), a2asrv.WithPushNotifications(push.NewInMemoryStore(), push.NewHTTPPushSender(&push.HTTPSenderConfig{AllowPrivateNetworks: true})))
}

// executor is an agent in the manner of a2a-go: the first word of a message says what it does.
type executor struct{ gate *tour.Gate }

func (a executor) Execute(ctx context.Context, x *a2asrv.ExecutorContext) iter.Seq2[theirs.Event, error] {
	return func(yield func(theirs.Event, error) bool) {
		verb, words, _ := strings.Cut(x.Message.Parts[0].Text(), " ")
		if verb == "say" {
			yield(theirs.NewMessage(theirs.MessageRoleAgent, theirs.NewTextPart(words)), nil)
			return
		}
		if verb == "refuse" {
			yield(nil, theirs.ErrUnsupportedContentType)
			return
		}
		if x.StoredTask == nil && !yield(theirs.NewSubmittedTask(x, x.Message), nil) {
			return
		}
		passed, state := a.gate.Passed(), map[string]theirs.TaskState{"wait": theirs.TaskStateWorking, "auth": theirs.TaskStateAuthRequired}[verb]
		if state != "" {
			if !yield(theirs.NewStatusUpdateEvent(x, state, said(x, words)), nil) {
				return
			}
			select { // an agent of a2a-go continues automatically after a sign-in
			case <-passed:
			case <-ctx.Done():
				return
			}
		}
		for _, e := range a.work(ctx, x, verb, words) {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (a executor) work(ctx context.Context, x *a2asrv.ExecutorContext, verb, words string) []theirs.Event {
	switch verb {
	case "ask":
		return []theirs.Event{theirs.NewStatusUpdateEvent(x, theirs.TaskStateInputRequired, said(x, words))}
	case "files":
		return []theirs.Event{theirs.NewArtifactEvent(x, x.Message.Parts[1:]...), theirs.NewStatusUpdateEvent(x, theirs.TaskStateCompleted, nil)}
	case "hang":
		<-ctx.Done()
		return nil
	}
	events := []theirs.Event{theirs.NewStatusUpdateEvent(x, theirs.TaskStateWorking, said(x, words))}
	var artifact theirs.ArtifactID
	for i, word := range strings.Fields(words) {
		e := theirs.NewArtifactEvent(x, theirs.NewTextPart(word))
		if i > 0 {
			e = theirs.NewArtifactUpdateEvent(x, artifact, theirs.NewTextPart(word))
		}
		artifact = e.Artifact.ID
		events = append(events, e)
	}
	return append(events, theirs.NewStatusUpdateEvent(x, theirs.TaskStateCompleted, nil))
}

func said(x *a2asrv.ExecutorContext, words string) *theirs.Message {
	return theirs.NewMessageForTask(theirs.MessageRoleAgent, x, theirs.NewTextPart(words))
}

func (executor) Cancel(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[theirs.Event, error] {
	return func(yield func(theirs.Event, error) bool) {
		yield(theirs.NewStatusUpdateEvent(x, theirs.TaskStateCanceled, nil), nil)
	}
}
