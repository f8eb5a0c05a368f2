package a2aserver

import (
	"context"

	"rialto/a2a"
)

// list answers with a page of the agent's tasks, if it can list them.
func (s *Server) list(ctx context.Context, c call) ([]byte, error) {
	lister, ok := s.Agent.(a2a.Lister)
	if !ok || !s.Lists {
		return nil, a2a.Errorf(a2a.UnsupportedOperation, "this agent does not list its tasks")
	}
	f, err := c.dialect.DecodeList(c.params)
	if err != nil {
		return nil, err
	}
	p, err := lister.Tasks(ctx, f)
	if err != nil {
		return nil, err
	}
	for i, t := range p.Tasks {
		p.Tasks[i] = t.WithHistory(f.HistoryLength)
	}
	return c.dialect.EncodePage(p)
}
