package mcp

import (
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

// params are the parameters that any of the methods has.
type params struct {
	Meta      meta            `json:"_meta"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`

	// Others are those that a call does not have; nil if there are none. They
	// are apart because most messages are calls.
	Others *otherParams `json:",embed"`
}

type otherParams struct {
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

	Level Level `json:"level"`

	TaskID        string          `json:"taskId"`
	Task          json.RawMessage `json:"task"`
	Notifications notifications   `json:"notifications"`

	ProtocolVersion string          `json:"protocolVersion"`
	Capabilities    json.RawMessage `json:"capabilities"`
	ClientInfo      program         `json:"clientInfo"`
}

var noOthers otherParams

// other returns the parameters that a call does not have, for reading.
func (p *params) other() *otherParams {
	if p.Others == nil {
		return &noOthers
	}
	return p.Others
}

// meta is the part of a request's _meta that is ours to know.
type meta struct {
	Revision      string          `json:"io.modelcontextprotocol/protocolVersion"`
	Client        *program        `json:"io.modelcontextprotocol/clientInfo"`
	Capabilities  json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
	ProgressToken json.RawMessage `json:"progressToken"`
	LogLevel      Level           `json:"io.modelcontextprotocol/logLevel"`

	program program // room for the Client
}

type program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// read takes the params out of a message that has been validated.
func (p *params) read(v json.RawMessage) error {
	if p.readCall(v) {
		return nil
	}
	*p = params{}
	return jsonv2.Unmarshal(v, p, jsontext.AllowInvalidUTF8(true))
}

// readCall reads the params of a call, which most messages are, at a quarter of
// what reflection costs. It tells whether it has understood all of them.
func (p *params) readCall(v json.RawMessage) bool {
	for name, v := range jsonrpc.Members(v) {
		ok := false
		switch string(name) {
		case "name":
			p.Name, ok = jsonrpc.Text(v)
		case "arguments":
			p.Arguments, ok = v, true
		case "_meta":
			ok = p.Meta.read(v)
		}
		if !ok {
			return false
		}
	}
	return v[0] == '{'
}

// read does the same for _meta, in which anybody may put what they like.
func (m *meta) read(v json.RawMessage) bool {
	for name, v := range jsonrpc.Members(v) {
		ok := true
		switch string(name) {
		case gomcp.MetaKeyProtocolVersion:
			m.Revision, ok = jsonrpc.Text(v)
		case gomcp.MetaKeyClientInfo:
			m.Client = &m.program
			ok = m.Client.read(v)
		case gomcp.MetaKeyClientCapabilities:
			m.Capabilities = v
		case "progressToken":
			m.ProgressToken = v
		case gomcp.MetaKeyLogLevel:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return v[0] == '{'
}

func (p *program) read(v json.RawMessage) bool {
	for name, v := range jsonrpc.Members(v) {
		ok := true
		switch string(name) {
		case "name":
			p.Name, ok = jsonrpc.Text(v)
		case "version":
			p.Version, ok = jsonrpc.Text(v)
		}
		if !ok {
			return false
		}
	}
	return v[0] == '{'
}
