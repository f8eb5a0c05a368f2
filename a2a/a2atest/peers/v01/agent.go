package v01

import (
	"context"
	"net/http"
	"strings"

	theirs "trpc.group/trpc-go/trpc-a2a-go/protocol"
	"trpc.group/trpc-go/trpc-a2a-go/server"
	"trpc.group/trpc-go/trpc-a2a-go/taskmanager"

	"rialto/a2a/a2atest/tour"
)

// Serve returns an agent at url, served as trpc-a2a-go does.
func Serve(url string, gate *tour.Gate) (http.Handler, error) {
	tasks, err := taskmanager.NewMemoryTaskManager(processor{gate})
	if err != nil {
		return nil, err
	}
	card := server.AgentCard{Name: "theirs", URL: url + "/", Version: "1", Capabilities: server.AgentCapabilities{Streaming: true}}
	s, err := server.NewA2AServer(card, tasks)
	if err != nil {
		return nil, err
	}
	return s.Handler(), nil
}

// processor is an agent in the manner of trpc-a2a-go: the first word of a
// message says what it does.
type processor struct{ gate *tour.Gate }

func (p processor) Process(ctx context.Context, _ string, m theirs.Message, h taskmanager.TaskHandle) error {
	verb, words, _ := strings.Cut(textOf(m.Parts), " ")
	said := theirs.NewMessage(theirs.MessageRoleAgent, []theirs.Part{theirs.NewTextPart(words)})
	switch verb {
	case "ask":
		return h.UpdateStatus(theirs.TaskStateInputRequired, &said)
	case "hang":
		if err := h.UpdateStatus(theirs.TaskStateWorking, &said); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	case "wait":
		passed := p.gate.Passed() // before a client knows that the task waits
		if err := h.UpdateStatus(theirs.TaskStateWorking, &said); err != nil {
			return err
		}
		<-passed // also when the stream is gone, with which ctx ends
	}
	if err := h.UpdateStatus(theirs.TaskStateWorking, &said); err != nil {
		return err
	}
	yes := true
	if verb == "files" {
		if err := h.AddArtifact(theirs.Artifact{Index: 0, Parts: m.Parts[1:], LastChunk: &yes}); err != nil {
			return err
		}
	}
	for i, word := range strings.Fields(words) {
		a := theirs.Artifact{Index: 0, Parts: []theirs.Part{theirs.NewTextPart(word)}, LastChunk: &yes}
		if i > 0 {
			a.Append = &yes
		}
		if err := h.AddArtifact(a); err != nil {
			return err
		}
	}
	return h.UpdateStatus(theirs.TaskStateCompleted, nil)
}

func textOf(parts []theirs.Part) string {
	var texts []string
	for _, p := range parts {
		switch p := p.(type) {
		case theirs.TextPart:
			texts = append(texts, p.Text)
		case *theirs.TextPart:
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
