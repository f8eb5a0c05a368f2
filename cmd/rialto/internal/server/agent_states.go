package server

import (
	"context"
	"fmt"

	"rialto/bridge/directory"
	"rialto/bridge/sanitize"
)

// AgentState says whether an agent answers.
type AgentState struct {
	Name, URL string
	Title     string // the name in its card, if it answers
	Problem   string // why it does not
}

// String says so in a line.
func (a AgentState) String() string {
	if a.Problem != "" {
		return fmt.Sprintf("%s at %s does not answer: %s", a.Name, a.URL, a.Problem)
	}
	return fmt.Sprintf("%s at %s answers: %s", a.Name, a.URL, a.Title)
}

// AgentStates asks all agents of s for their cards, which takes at most a few seconds.
func AgentStates(ctx context.Context, s *Server) (list []AgentState) {
	everybody := s.bridge.Directory.AccessOf(directory.Caller{AllUseCases: true})
	s.bridge.Directory.Reachable(ctx, everybody)
	for _, a := range s.bridge.Directory.All() {
		state := AgentState{Name: a.Name, URL: a.URL}
		h, _ := s.bridge.Directory.Health(a.Name)
		state.Problem = h.Problem
		if h.Card != nil {
			state.Title = sanitize.Label(h.Card.Name)
		}
		list = append(list, state)
	}

	return list
}
