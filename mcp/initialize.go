package mcp

import (
	"encoding/json"

	"rialto/mcp/internal/revision"
	"rialto/mcp/internal/wire"
)

// initialize answers the handshake with which clients before 2026-07-28 begin.
func (r *request) initialize() (json.RawMessage, error) {
	p := r.Params.Other()
	err := r.StartSession(Client{
		Name: wire.Clip(p.ClientInfo.Name), Version: wire.Clip(p.ClientInfo.Version),
		Revision: revision.Negotiate(p.ProtocolVersion), Capabilities: p.Capabilities,
	})
	if err != nil {
		return nil, err
	}
	b := append([]byte(`{"protocolVersion":"`), r.Client.Revision...)
	b = append(append(b, `","capabilities":`...), r.s.capabilities(r.Client.Revision)...)
	b = append(append(b, `,"serverInfo":`...), r.s.built.info...)
	if r.s.built.instructions != nil {
		b = append(append(b, `,"instructions":`...), r.s.built.instructions...)
	}
	return append(b, '}'), nil
}
