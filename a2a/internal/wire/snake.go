package wire

import (
	"encoding/json"
	"regexp"
	"strings"
)

// snakeDepth is how deep the members of requests lie. Below it names stay as they are.
const snakeDepth = 8

var snakeStep = regexp.MustCompile(`_[a-z]`)

// LowerCamelName returns a name such as message_id in lowerCamelCase.
func LowerCamelName(name string) string {
	return snakeStep.ReplaceAllStringFunc(
		name, func(s string) string { return strings.ToUpper(s[1:]) },
	)
}

// lowerCamel returns params with the names of their members in lowerCamelCase. Parsers of the JSON
// form of protocol buffers accept the original field names, such as message_id, too. Names in
// metadata and data are the caller's own.
func lowerCamel(params []byte) []byte {
	for i := 1; i < len(params)-1; i++ {
		if params[i] == '_' && params[i-1] >= 'a' && params[i+1] >= 'a' {
			return renamed(params, snakeDepth)
		}
	}
	return params // as most are
}

func renamed(b json.RawMessage, depth int) json.RawMessage {
	var members map[string]json.RawMessage
	var list []json.RawMessage
	switch {
	case depth == 0:
		return b
	case json.Unmarshal(b, &members) == nil && members != nil:
		out := make(map[string]json.RawMessage, len(members))
		for name, value := range members {
			if name != "metadata" && name != "data" && name != "params" {
				value = renamed(value, depth-1)
			}
			out[LowerCamelName(name)] = value
		}
		b, _ = json.Marshal(out) // what was read from JSON has a JSON form
	case json.Unmarshal(b, &list) == nil && list != nil:
		for i := range list {
			list[i] = renamed(list[i], depth-1)
		}
		b, _ = json.Marshal(list)
	}

	return b
}
