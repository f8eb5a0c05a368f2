package mcp

import (
	"encoding/json"
	"slices"

	"rialto/internal/jsonrpc"
)

// Level says how much a log message matters.
type Level string

// levels are the levels that there are, as in syslog, the least first.
func levels() []Level {
	return []Level{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// The levels that tools mostly want.
const (
	LevelDebug   Level = "debug"
	LevelInfo    Level = "info"
	LevelWarning Level = "warning"
	LevelError   Level = "error"
)

// rank returns how much the level matters, -1 if there is no such level.
func (l Level) rank() int { return slices.Index(levels(), l) }

// Log tells the client's developers something, on the stream of this very
// request, if the Server has Logging and the client wants messages of the
// level. Data is anything that has a JSON form; the logger may be empty.
// Nothing secret belongs there. It may be called from several goroutines, and
// does nothing once the call is answered.
func (c *Call) Log(level Level, logger string, data any) {
	if c.asker == nil || !c.asker.x.wants(level) {
		return
	}
	x := c.asker.x
	text, err := json.Marshal(data)
	if err != nil {
		x.s.log().Error("log message has no JSON form", "tool", c.Tool, "err", err)
		return
	}
	b := []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"` + string(level) + `"`)
	if logger != "" {
		b = jsonrpc.AppendString(append(b, `,"logger":`...), logger)
	}
	x.answer.notify(append(append(append(b, `,"data":`...), text...), "}}"...))
}

// wants tells whether the client wants messages of the level. Since 2026-07-28
// each request says so, and one that does not wants none; before, a session
// did, and one that did not left it to the server.
func (x *exchange) wants(level Level) bool {
	if !x.s.Logging || level.rank() < 0 {
		return false
	}
	least := LevelInfo
	if modern(x.client.Revision) {
		if least = x.params.Meta.LogLevel; least.rank() < 0 {
			return false
		}
	} else if set, ok := x.s.levels.get(x.nonce); ok {
		least = set
	}
	return level.rank() >= least.rank()
}

// setLevel answers logging/setLevel, which clients sent before 2026-07-28.
// Without a session it is forgotten at once.
func (x *exchange) setLevel() (json.RawMessage, error) {
	if x.params.other().Level.rank() < 0 {
		return nil, invalidParams("there is no level %q", clip(string(x.params.other().Level)))
	}
	if x.nonce != "" {
		x.s.levels.put(x.nonce, x.params.other().Level)
	}
	return x.empty(), nil
}
