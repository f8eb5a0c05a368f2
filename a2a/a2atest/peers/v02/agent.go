package v02

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
	streams := true
	card := server.AgentCard{Name: "theirs", URL: url + "/", Version: "1", Capabilities: server.AgentCapabilities{Streaming: &streams}}
	s, err := server.NewA2AServer(card, tasks)
	if err != nil {
		return nil, err
	}
	return s.Handler(), nil
}

// processor is an agent in the manner of trpc-a2a-go: the first word of a
// message says what it does.
type processor struct{ gate *tour.Gate }

func (p processor) ProcessMessage(_ context.Context, m theirs.Message, o taskmanager.ProcessOptions, h taskmanager.TaskHandler) (*taskmanager.MessageProcessingResult, error) {
	verb, words, _ := strings.Cut(textOf(m.Parts), " ")
	said := theirs.NewMessage(theirs.MessageRoleAgent, []theirs.Part{theirs.NewTextPart(words)})
	if verb == "say" && !o.Streaming {
		return &taskmanager.MessageProcessingResult{Result: &said}, nil
	}
	id, err := taskOf(h, m)
	if err != nil {
		return nil, err
	}
	if !o.Streaming {
		if err := p.work(h, id, verb, &said, m.Parts[1:]); err != nil {
			return nil, err
		}
		task, err := h.GetTask(&id)
		if err != nil {
			return nil, err
		}
		return &taskmanager.MessageProcessingResult{Result: task.Task()}, nil
	}
	events, err := h.SubscribeTask(&id)
	if err != nil {
		return nil, err
	}
	go func() {
		defer events.Close()
		_ = p.work(h, id, verb, &said, m.Parts[1:]) // the stream is gone
	}()
	return &taskmanager.MessageProcessingResult{StreamingEvents: events}, nil
}

func taskOf(h taskmanager.TaskHandler, m theirs.Message) (string, error) {
	if m.TaskID != nil && *m.TaskID != "" {
		_, err := h.GetTask(m.TaskID)
		return *m.TaskID, err
	}
	return h.BuildTask(nil, m.ContextID)
}

func (p processor) work(h taskmanager.TaskHandler, id, verb string, said *theirs.Message, files []theirs.Part) error {
	switch verb {
	case "ask":
		return h.UpdateTaskState(&id, theirs.TaskStateInputRequired, said)
	case "auth":
		return h.UpdateTaskState(&id, theirs.TaskStateAuthRequired, said)
	case "hang":
		return h.UpdateTaskState(&id, theirs.TaskStateWorking, said)
	case "wait":
		passed := p.gate.Passed() // before a client knows that the task waits
		if err := h.UpdateTaskState(&id, theirs.TaskStateWorking, said); err != nil {
			return err
		}
		<-passed
	}
	if err := h.UpdateTaskState(&id, theirs.TaskStateWorking, said); err != nil {
		return err
	}
	made := said.Parts
	if verb == "files" {
		made = files
	}
	if err := h.AddArtifact(&id, theirs.Artifact{ArtifactID: "a", Parts: made}, true, false); err != nil {
		return err
	}
	return h.UpdateTaskState(&id, theirs.TaskStateCompleted, nil)
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
