package a2aserver

import (
	"context"
	"net/http"
	"time"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// ServeGRPC answers a call that came over gRPC, as package a2agrpc hands it over: a POST whose path
// ends in the full name of the method, with its message, as protocol buffers. It answers with a
// message or, where the call streams, with the frames of gRPC; it refuses as over HTTP+JSON.
func (s *Server) ServeGRPC(w http.ResponseWriter, r *http.Request) {
	c, err := s.decodeGRPC(w, r)
	s.serve(w, r, c, err)
}

// decodeGRPC reads the call that r carries. With an error it returns what is known of the call.
func (s *Server) decodeGRPC(w http.ResponseWriter, r *http.Request) (call, error) {
	c := call{binding: overGRPC{}, dialect: wire.GRPCDialects()[0], agent: s.Agent}
	d, op, ok := wire.GRPCRoute(r.URL.Path)
	if d != nil {
		c.dialect = d
		c.op = op
	}
	if !ok {
		return c, a2a.Errorf(
			a2a.UnsupportedOperation, "this agent does not offer %s", r.URL.Path,
		)
	}
	if asked := version(r); asked != "" && asked != d.Generation {
		return c, a2a.Errorf(
			a2a.VersionNotSupported,
			"A2A version %q is not supported here; this service is one of %s",
			asked,
			d.Generation,
		)
	}

	var err error
	c.params, err = s.readBody(w, r)
	return c, err
}

// overGRPC is the binding GRPC: it refuses as HTTP+JSON does.
type overGRPC struct{ rest }

// contentType is that of a message. Only the card is not made into one here: it is signed as JSON.
func (overGRPC) contentType(c call) string {
	if c.op == wire.ExtendedCard {
		return jsonType
	}

	return wire.ProtobufType
}

// result is the message itself; that of a call without a result is empty.
func (overGRPC) result(_ call, result []byte) []byte { return result }

func (overGRPC) events(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", wire.GRPCType)
	return frames{w}
}

// frames are the events of a stream over gRPC, which keeps idle connections alive.
type frames struct{ w http.ResponseWriter }

func (frames) begin() error { return nil }

func (f frames) event(_ string, data []byte) error { return f.write(data, false) }

func (f frames) refuse(data []byte) error { return f.write(data, true) }

func (f frames) keepAlive(context.Context, time.Duration) {}

func (f frames) write(data []byte, refused bool) error {
	_, err := f.w.Write(wire.AppendFrame(nil, data, refused))
	return err
}
