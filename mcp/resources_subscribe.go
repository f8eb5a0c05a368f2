package mcp

import (
	"encoding/json"
	"slices"
)

// watch answers resources/subscribe and resources/unsubscribe, by which a
// session of before 2026-07-28 said what it wanted to be told of on its
// stream. It is noted in this process: when replicas share the load, a session
// has to stay with one of them to be told. Without a session there is no such
// stream, and nothing to note.
func (x *exchange) watch() (json.RawMessage, error) {
	uri := x.params.other().URI
	if x.nonce == "" || uri == "" {
		return nil, invalidParams("a subscription needs a uri, and a session")
	}
	full := false
	x.s.watched.update(x.nonce, func(uris []string) []string {
		rest := slices.DeleteFunc(slices.Clone(uris), func(u string) bool { return u == uri })
		switch {
		case x.req.Method == "resources/unsubscribe":
			return rest
		case len(rest) >= mostFollowed:
			full = true
			return uris
		}
		return append(rest, uri)
	})
	if full {
		return nil, invalidParams("a session can be subscribed to %d resources", mostFollowed)
	}
	return x.empty(), nil
}
