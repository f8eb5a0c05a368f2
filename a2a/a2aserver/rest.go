package a2aserver

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// serveREST answers a call over HTTP+JSON, if r is one.
func (s *Server) serveREST(w http.ResponseWriter, r *http.Request) bool {
	at, ok := wire.RESTRoute(r.Method, r.URL.EscapedPath())
	if !ok {
		return false
	}

	c, err := s.decodeREST(w, r, at)
	s.serve(w, r, c, err)
	return true
}

// decodeREST reads the call that r carries. With an error it returns what is known of the call.
func (s *Server) decodeREST(
	w http.ResponseWriter, r *http.Request, at wire.RESTCall,
) (call, error) {
	asked := version(r)
	old := at.V03 && asked != a2a.V10
	c := call{
		binding: rest{},
		op:      at.Op,
		dialect: wire.RESTDialect(old, nil),
		agent:   s.Agent,
		path:    wire.PushID{Task: at.Task, ID: at.Push},
	}
	if strings.Contains(r.Header.Get("Accept"), a2aType) {
		c.json = a2aType
	}
	if asked != "" && asked != c.dialect.Generation {
		return c, a2a.Errorf(
			a2a.VersionNotSupported,
			"A2A version %q is not supported here; this path is one of %s",
			asked,
			c.dialect.Generation,
		)
	}

	var err error
	switch at.Op {
	case wire.Send, wire.Stream, wire.PushSet: // their parameters are the body
	case wire.List:
		c.params, err = filter(r)
		return c, err
	default:
		c.params, err = query(r, at.Task)
		return c, err
	}

	body, err := s.readJSON(w, r)
	if err != nil {
		return c, err
	}

	c.params = body
	if at.Op != wire.PushSet {
		c.dialect = wire.RESTDialect(old, body)
	}
	if !json.Valid(body) {
		return c, a2a.Errorf(a2a.ParseFailed, "the body is not JSON")
	}

	return c, nil
}

// parameters returns the query of r with its names in lowerCamelCase: transcoders of protocol
// buffers send the original field names, such as page_size, too.
func parameters(r *http.Request) url.Values {
	q := url.Values{}
	for name, values := range r.URL.Query() {
		name = wire.LowerCamelName(name)
		q[name] = append(q[name], values...)
	}

	return q
}

// query returns what r says of a task as the parameters of a call about it.
func query(r *http.Request, id a2a.TaskID) ([]byte, error) {
	q := struct {
		ID            a2a.TaskID `json:"id"`
		HistoryLength *int       `json:"historyLength,omitempty"`
	}{ID: id}
	if h := parameters(r).Get("historyLength"); h != "" {
		n, err := strconv.Atoi(h)
		if err != nil {
			return nil, a2a.InvalidParam("historyLength", "must be a number")
		}
		q.HistoryLength = &n
	}

	return json.Marshal(q)
}

// filter returns the query of r as the parameters of a call that lists tasks.
func filter(r *http.Request) ([]byte, error) {
	params := map[string]any{}
	for k, vs := range parameters(r) {
		switch k {
		case "pageSize", "historyLength":
			n, err := strconv.Atoi(vs[0])
			if err != nil {
				return nil, a2a.InvalidParam(k, "must be a number")
			}
			params[k] = n
		case "includeArtifacts":
			if vs[0] != "true" && vs[0] != "false" {
				return nil, a2a.InvalidParam(k, "must be true or false")
			}
			params[k] = vs[0] == "true"
		case "contextId", "status", "pageToken", "statusTimestampAfter":
			params[k] = vs[0]
		}
	}

	return json.Marshal(params)
}

// rest is the binding HTTP+JSON: a result is the whole body, and an error has an HTTP status.
type rest struct{}

func (rest) contentType(c call) string { return cmp.Or(c.json, jsonType) }

func (rest) events(w http.ResponseWriter) events { return newSSE(w) }

func (rest) result(_ call, result []byte) []byte {
	if result == nil {
		return []byte("{}") // a google.protobuf.Empty
	}

	return result
}

func (rest) refusal(c call, status int, err error) (int, []byte) {
	var e *a2a.Error
	if !errors.As(err, &e) {
		e = a2a.Errorf(a2a.Internal, "internal error")
	}

	return c.dialect.EncodeRESTError(e, status)
}
