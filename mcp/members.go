package mcp

import (
	"encoding/json"

	"rialto/internal/jsonrpc"
)

// member is one member of a JSON object.
type member struct {
	name  []byte // without quotes and escapes
	value json.RawMessage
}

// membersOf appends the members of v to few, which has room for those that most
// objects have.
func membersOf(few []member, v json.RawMessage) []member {
	for name, value := range jsonrpc.Members(v) {
		few = append(few, member{name, value})
	}
	return few
}

// find returns the value of the member, nil if there is none. Messages in which
// a name occurs twice have been refused.
func find(members []member, name string) json.RawMessage {
	for _, m := range members {
		if string(m.name) == name {
			return m.value
		}
	}
	return nil
}
