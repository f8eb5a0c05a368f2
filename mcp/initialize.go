package mcp

import (
	"encoding/json"

	gomcp "github.com/mark3labs/mcp-go/mcp"
)

// initialize answers the handshake that clients before 2026-07-28 begin with.
// It agrees to the revision they propose if it is one of that era, and else
// proposes the era's last (2025-11-25, basic/lifecycle, "Version
// Negotiation").
func (x *exchange) initialize() (json.RawMessage, error) {
	p := x.params.other()
	x.client = Client{
		Name: clip(p.ClientInfo.Name), Version: clip(p.ClientInfo.Version),
		Revision:     gomcp.NegotiateLegacyVersion(p.ProtocolVersion),
		Capabilities: p.Capabilities,
	}
	if len(x.s.SessionKey) > 0 && x.pair == nil && !x.door {
		id, err := x.s.newSession(x.principal, x.client)
		if err != nil {
			return nil, err
		}
		x.answer.w.Header().Set(gomcp.HeaderSessionID, id)
	}
	ready := &x.s.ready
	b := append([]byte(`{"protocolVersion":"`), x.client.Revision...)
	b = append(append(b, `","capabilities":`...), ready.capabilities(x.client.Revision)...)
	b = append(append(b, `,"serverInfo":`...), ready.info...)
	if ready.instructions != nil {
		b = append(append(b, `,"instructions":`...), ready.instructions...)
	}
	return append(b, '}'), nil
}

// clip bounds what a client says of itself: it is kept in its session id and
// in logs.
func clip(s string) string {
	const most = 64
	if len(s) > most {
		return s[:most]
	}
	return s
}
