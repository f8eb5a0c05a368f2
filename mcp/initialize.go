package mcp

import (
	"encoding/json"
	"fmt"

	"rialto/mcp/internal/revision"
	"rialto/mcp/internal/wire"
)

// initialize answers the handshake with which clients before 2026-07-28 begin.
func (r *request) initialize() (json.RawMessage, error) {
	p := r.Params.Other()
	err := r.StartSession(Client{
		Name: wire.Truncate(p.ClientInfo.Name), Version: wire.Truncate(p.ClientInfo.Version),
		Revision: revision.Negotiate(p.ProtocolVersion), Capabilities: p.Capabilities,
	})
	if err != nil {
		return nil, err
	}

	rev := r.Client.Revision
	return fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":%s,"serverInfo":%s%s}`,
		rev, r.s.capabilities(rev), r.identity.info, r.identity.instructions), nil
}
