package runner

import (
	"strings"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// RetryRequest returns the request of a task, to be sent again as a new task. It is nil if the task
// has not ended without success, or if its request is not kept. The ID makes a form that was sent
// twice find the first new task.
func RetryRequest(e *ledger.Record) *Request {
	m := e.Request()
	if !e.State().Terminal() || e.State() == a2a.Completed || strings.TrimSpace(m.Text()) == "" {
		return nil
	}

	args := &Request{Message: m.Text(), Agent: e.Agent, MessageID: "retry-" + e.Handle}
	args.Skill, _ = m.Metadata[directory.SkillKey].(string)
	for _, p := range m.Parts {
		switch c := p.Content.(type) {
		case a2a.Data:
			args.Data = []byte(c)
		case a2a.Raw, a2a.URL:
			args.Files = append(args.Files, fileOf(p))
		}
	}

	return args
}
