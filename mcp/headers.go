package mcp

import (
	"errors"
	"net/http"
	"strings"

	gomcp "github.com/mark3labs/mcp-go/mcp"
)

// checkHeaders refuses a request whose headers say something else than its
// body: whatever stands in front of us has routed and judged by the headers
// (2026-07-28, basic/transports/streamable-http, "Server Validation"). Of the
// lenient, headers may be absent.
func (x *exchange) checkHeaders(lenient bool) error {
	if err := headerSays(x.r.Header, gomcp.HeaderMethod, x.req.Method, lenient, asItIs); err != nil {
		return err
	}
	if name, ok := x.named(); ok {
		if err := headerSays(x.r.Header, gomcp.HeaderName, name, lenient, gomcp.DecodeHeaderValue); err != nil {
			return err
		}
	}
	if x.req.Method != "tools/call" {
		return nil
	}
	return x.checkParamHeaders(lenient)
}

// named returns what the request is about, for methods that are about
// something with a name.
func (x *exchange) named() (string, bool) {
	switch x.req.Method {
	case "tools/call":
		return x.params.Name, true
	case "prompts/get":
		return x.params.Name, true
	case "resources/read":
		return x.params.other().URI, true
	case "tasks/get", "tasks/update", "tasks/cancel": // SEP-2663, "Routing Headers"
		return x.params.other().TaskID, x.s.Tasks != nil
	}
	return "", false
}

func asItIs(s string) (string, bool) { return s, true }

func headerSays(h http.Header, name, want string, lenient bool, decode func(string) (string, bool)) error {
	values := h[name]
	if len(values) == 0 && lenient {
		return nil
	}
	if len(values) == 0 {
		return mismatch("%s is missing", name)
	}
	for _, v := range values {
		switch got, ok := decode(v); {
		case !ok:
			return mismatch("%s is not valid base64", name)
		case got != want:
			return mismatch("%s says %q and the body says %q", name, clip(got), clip(want))
		}
	}
	return nil
}

// checkParamHeaders checks the headers that mirror arguments, for the few
// tools that ask for some with x-mcp-header.
func (x *exchange) checkParamHeaders(lenient bool) error {
	t := x.s.ready.tool(x.params.Name)
	if t == nil || t.params == nil || lenient && !hasParamHeader(x.r.Header) {
		return nil
	}
	lookUp := func(name string) (string, bool) {
		v := x.r.Header.Values(name)
		return x.r.Header.Get(name), len(v) > 0
	}
	err := gomcp.ValidateParamHeadersLookup(lookUp, t.params, x.req.Params)
	if m := (gomcp.HeaderMismatchError{}); errors.As(err, &m) {
		return mismatch("%s: %s", m.Header, m.Reason)
	}
	return err
}

func hasParamHeader(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, gomcp.HeaderParamPrefix) {
			return true
		}
	}
	return false
}
