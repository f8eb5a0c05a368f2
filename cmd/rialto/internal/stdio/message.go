package stdio

import (
	"context"
	"encoding/json"
	"sync/atomic"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

// message is a message as it was written, and what the proxy has to know of it.
type message struct {
	raw    []byte
	rpc    bool       // it says that it is JSON-RPC
	id     jsonrpc.ID // "" of a notification
	method string     // "" of a response
	params json.RawMessage
	result json.RawMessage
	err    json.RawMessage
}

// parse reads a message. Whether it is a good one is for its receiver to judge.
func parse(raw []byte) (*message, *jsonrpc.Error) {
	if !json.Valid(raw) {
		return nil, jsonrpc.Errorf(jsonrpc.CodeParse, "the message is not JSON")
	}

	m := &message{raw: raw}
	known := false
	for name, value := range jsonrpc.Members(raw) {
		known = true
		switch string(name) {
		case "jsonrpc":
			m.rpc = true
		case "id":
			_ = m.id.UnmarshalJSON(value) // else it has none
		case "method":
			m.method, _ = jsonrpc.Text(value)
		case "params":
			m.params = value
		case "result":
			m.result = value
		case "error":
			m.err = value
		}
	}

	if !known {
		return nil, jsonrpc.Errorf(
			jsonrpc.CodeInvalidRequest, "the message is no object; batches are not supported",
		)
	}

	return m, nil
}

func (m *message) isRequest() bool {
	return m.id != "" && m.id != jsonrpc.Null && m.method != ""
}

func (m *message) isResponse() bool {
	return m.rpc && m.method == "" && (m.result != nil || m.err != nil)
}

// code returns the code of an error, 0 of anything else.
func (m *message) code() int {
	var e jsonrpc.Error
	_ = json.Unmarshal(m.err, &e) // nothing if there is none
	return e.Code
}

// meta returns the _meta of the params.
func (m *message) meta() (meta json.RawMessage, version string) {
	for name, value := range jsonrpc.Members(m.params) {
		if string(name) == "_meta" {
			meta = value
		}
	}

	for name, value := range jsonrpc.Members(meta) {
		if string(name) == gomcp.MetaKeyProtocolVersion {
			version, _ = jsonrpc.Text(value)
		}
	}

	return meta, version
}

// modern tells whether a message belongs to the era of 2026-07-28.
func (m *message) modern() bool {
	_, version := m.meta()
	return gomcp.IsModernProtocol(version)
}

// call is a request that waits for its answer.
type call struct {
	*message
	end      context.CancelFunc
	canceled atomic.Bool // the host has ended it, and gets no answer
}
