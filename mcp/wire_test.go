package mcp_test

import (
	"bytes"
	"net/http"
	"testing"

	"rialto/mcp/mcptest/wire"
)

// taken lists, by a part of it, what the tests send that violates the schema and is
// answered nevertheless.
var taken = []struct{ part, why string }{
	{`"method":"server/discover"`, "proxies ask for it in the era that had none, and must be answered"},
	{`"method":"initialize","params":{}}`, "a client that says nothing of itself gets the last revision of its era"},
	{`"method":"subscriptions/listen","params":{"_meta"`, "a client that asks for nothing gets nothing"},
	{`/logLevel":"loud"`, "an optional member must not fail the call"},
	{`"progressToken":{"a":1}`, "an optional member must not fail the call"},
	{`"inputResponses":{"user_name":12345`, "the question is asked again (2026-07-28, basic/utilities/mrtr)"},
	{`"user_name":{"action":"decline"},"other":1}`, "an answer that was not asked for is ignored"},
	{`1e400`, "a number that no float holds is of the schema, and explained to the model"},
	{`"arguments":"hello"`, "wrong arguments are an error that the model reads (SEP-1303)"},
}

func tolerated(_ *http.Request, request []byte) bool {
	for _, t := range taken {
		if bytes.Contains(request, []byte(t.part)) {
			return true
		}
	}
	return false
}

// observed checks every message that goes to a server and comes from it against
// the schema of its revision. Fuzz tests are not checked.
func observed(t testing.TB, s http.Handler) http.Handler {
	if _, fuzzing := t.(*testing.F); fuzzing {
		return s
	}
	o := &wire.Observer{Report: func(problem string) { t.Error(problem) }, Tolerated: tolerated}
	return o.Handler(s)
}
