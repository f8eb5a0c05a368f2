// Package wire names what MCP messages consist of: the members of the parameters of
// every method, and errors with their codes and HTTP statuses. It does not know what
// the methods do, nor how messages travel.
package wire

import (
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"rialto/internal/jsonrpc"
)

// Params holds the parameters of a request of any method.
type Params struct {
	Meta      Meta            `json:"_meta"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`

	// Others are the parameters that tools/call does not have; nil if there are none.
	// They are separate because most requests are calls.
	Others *OtherParams `json:",embed"`
}

// OtherParams are the parameters that tools/call does not have, or rarely.
type OtherParams struct {
	Cursor    string     `json:"cursor"`
	URI       string     `json:"uri"`
	RequestID jsonrpc.ID `json:"requestId"`

	InputResponses map[string]json.RawMessage `json:"inputResponses"`
	RequestState   *string                    `json:"requestState"`

	Ref struct {
		Type string `json:"type"`
		Name string `json:"name"`
		URI  string `json:"uri"`
	} `json:"ref"`
	Argument struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"argument"`
	Context struct {
		Arguments map[string]string `json:"arguments"`
	} `json:"context"`

	Level string `json:"level"`

	TaskID        string          `json:"taskId"`
	Task          json.RawMessage `json:"task"`
	Notifications Notifications   `json:"notifications"`

	ProtocolVersion string          `json:"protocolVersion"`
	Capabilities    json.RawMessage `json:"capabilities"`
	ClientInfo      Implementation  `json:"clientInfo"`
}

// Notifications says which notifications subscriptions/listen asks for.
type Notifications struct {
	Tools     bool     `json:"toolsListChanged"`
	Resources bool     `json:"resourcesListChanged"`
	URIs      []string `json:"resourceSubscriptions"`
	TaskIDs   []string `json:"taskIds"`
}

var noOthers OtherParams

// Other returns the parameters that tools/call does not have, for reading.
func (p *Params) Other() *OtherParams {
	if p.Others == nil {
		return &noOthers
	}
	return p.Others
}

// Meta is the part of a request's _meta that the server reads.
type Meta struct {
	Revision      string          `json:"io.modelcontextprotocol/protocolVersion"`
	Client        *Implementation `json:"io.modelcontextprotocol/clientInfo"`
	Capabilities  json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
	ProgressToken json.RawMessage `json:"progressToken"`
	LogLevel      string          `json:"io.modelcontextprotocol/logLevel"`

	// The trace of the caller (SEP-414). Baggage is not read: callers are not trusted.
	TraceParent string `json:"traceparent"`
	TraceState  string `json:"tracestate"`
}

// Implementation is the name and version of a program.
type Implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Read reads the params of a message that has been validated.
func (p *Params) Read(v json.RawMessage) error {
	return jsonv2.Unmarshal(v, p, jsontext.AllowInvalidUTF8(true))
}

// Truncate bounds what a client says of itself: it is kept in its session id and in logs.
func Truncate(s string) string { return s[:min(len(s), 64)] }
