package mcp

import "encoding/json"

// discover answers server/discover. It does so for clients of every era, for
// there are some that ask before they know which they want.
func (x *exchange) discover() (json.RawMessage, error) { return x.s.ready.discover, nil }
