package a2aserver

import (
	"context"

	"rialto/a2a"
)

// maxGRPCPage is the largest page over gRPC that has artifacts and history, or then messages: by
// default, clients of gRPC take messages of 4 MiB. Without the page they would not get the token of
// the next one either.
const maxGRPCPage = 4<<20 - 64<<10

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

	body, err := c.dialect.EncodePage(p)
	for _, shorten := range []func(*a2a.Task){
		func(t *a2a.Task) {
			t.Artifacts = nil
			t.History = nil
		},
		func(t *a2a.Task) {
			t.Status.Message = nil
			t.Metadata = nil
		},
	} {
		if err != nil || len(body) <= maxGRPCPage || c.binding != (overGRPC{}) {
			break
		}
		for i, t := range p.Tasks {
			short := *t
			shorten(&short)
			p.Tasks[i] = &short
		}
		body, err = c.dialect.EncodePage(p)
	}

	return body, err
}
