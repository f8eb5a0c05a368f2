package a2aserver

import (
	"encoding/json"
	"net/http"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// ServeGRPC answers a call that came over gRPC, as package a2agrpc hands it over:
// a POST whose path ends in the full name of the method, with the JSON form of
// the message. Its answers are those of HTTP+JSON.
func (s *Server) ServeGRPC(w http.ResponseWriter, r *http.Request) {
	c := call{binding: overGRPC{}, dialect: wire.Dialects()[0], agent: s.Agent}
	d, op, ok := wire.GRPCRoute(r.URL.Path)
	if d != nil {
		c.dialect, c.op = d, op
	}
	if !ok {
		s.writeError(w, r, c, a2a.Errorf(a2a.UnsupportedOperation, "this agent does not offer %s", r.URL.Path))
		return
	}
	body, err := s.readBody(w, r)
	if err == nil && !json.Valid(body) {
		err = a2a.Errorf(a2a.ParseFailed, "the body is not JSON")
	}
	if err != nil {
		s.writeError(w, r, c, err)
		return
	}
	c.params = body
	s.serve(w, r, c)
}

// overGRPC is the binding GRPC.
type overGRPC struct{ rest }

func (overGRPC) name() a2a.Binding { return a2a.GRPC }
