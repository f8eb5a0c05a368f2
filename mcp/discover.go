package mcp

import "encoding/json"

// discover answers server/discover. It does so for clients of every era, for
// there are some that ask before they know which they want.
func (x *exchange) discover() (json.RawMessage, error) { return x.s.ready.discover, nil }

// capabilities returns what the server can do, as the revision declares it.
func (p *prepared) capabilities(revision string) json.RawMessage {
	b := []byte(`{"tools":{}`)
	switch {
	case p.tasks && modern(revision):
		b = append(b, `,"extensions":{"`+TasksExtension+`":{}}`...)
	case p.tasks && revision == Revision20251125:
		b = append(b, `,"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}`...)
	}
	return append(b, '}')
}
