package mcp

import (
	"encoding/json"
	"fmt"
	"slices"

	"rialto/mcp/internal/wire"
)

// Level is the severity of a log message.
type Level string

// levels are all levels, as in syslog, the least severe first.
func levels() []Level {
	return []Level{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// The levels that tools usually need.
const (
	LevelDebug   Level = "debug"
	LevelInfo    Level = "info"
	LevelWarning Level = "warning"
	LevelError   Level = "error"
)

// severity returns the rank of the level, -1 if there is no such level.
func (l Level) severity() int { return slices.Index(levels(), l) }

// Log sends a log message to the client, on the stream of this request, if the Server
// has Logging and the client wants messages of the level. Data is anything that has a
// JSON form, and must not hold secrets; the logger may be empty. Log may be called from
// several goroutines, and does nothing once the call is answered.
func (c *Call) Log(level Level, logger string, data any) {
	if c.elicitor == nil || !c.elicitor.r.wants(level) {
		return
	}

	r := c.elicitor.r
	text, err := json.Marshal(data)
	if err != nil {
		r.s.Log.ErrorContext(
			r.HTTP.Context(), "log message has no JSON form",
			"tool", c.Tool,
			"err", err,
		)
		return
	}

	params := fmt.Appendf(nil, `"level":%q`, level)
	if logger != "" {
		params = fmt.Appendf(params, `,"logger":%s`, quoted(logger))
	}

	r.Notify(wire.Notification("notifications/message", fmt.Appendf(params, `,"data":%s`, text)))
}

// wants tells whether the client wants messages of the level. Since 2026-07-28 each
// request names the least severe one, and a request that does not gets none. Before, a
// session did, and the server decides for a session that did not.
func (r *request) wants(level Level) bool {
	if !r.s.Logging || level.severity() < 0 {
		return false
	}
	if r.Modern() {
		least := Level(r.Params.Meta.LogLevel).severity()
		return least >= 0 && level.severity() >= least
	}

	least, ok := r.s.built.levels.Get(r.Session)
	if !ok {
		least = LevelInfo
	}

	return level.severity() >= least.severity()
}

// setLevel answers logging/setLevel, which clients send before 2026-07-28. Without a
// session it has no effect.
func (r *request) setLevel() (json.RawMessage, error) {
	level := Level(r.Params.Other().Level)
	if level.severity() < 0 {
		return nil, wire.InvalidParams("there is no level %q", wire.Truncate(string(level)))
	}
	if r.Session != "" {
		r.s.built.levels.Put(r.Session, level)
	}
	return r.empty(), nil
}
