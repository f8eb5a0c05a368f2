package revision

import (
	"errors"
	"net/http"
	"strings"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/mcp/internal/wire"
)

// Header returns the MCP-Protocol-Version header. Some proxies send it twice; equal
// values count as one, and doubled reports that.
func Header(h http.Header) (value string, doubled bool) {
	values := h[gomcp.HeaderProtocolVersion]
	if len(values) == 1 && !strings.Contains(values[0], ",") {
		return values[0], false
	}

	all := strings.Join(values, ",")
	first, rest, doubled := strings.Cut(all, ",")
	value = strings.TrimSpace(first)
	for v := range strings.SplitSeq(rest, ",") {
		if doubled && strings.TrimSpace(v) != value {
			return all, false
		}
	}

	return value, doubled
}

// CheckHeaders refuses a request whose headers contradict its body: a gateway may have routed by
// the headers (2026-07-28, basic/transports/streamable-http, "Server Validation"). If lenient,
// headers may be absent. Tasks says that methods of tasks are served.
func CheckHeaders(h http.Header, method string, p *wire.Params, lenient, tasks bool) error {
	if err := checkHeader(h, gomcp.HeaderMethod, method, lenient, verbatim); err != nil {
		return err
	}
	if name, ok := named(method, p, tasks); ok {
		return checkHeader(h, gomcp.HeaderName, name, lenient, gomcp.DecodeHeaderValue)
	}
	return nil
}

// named returns what a request of the method is about, if Mcp-Name has to say it.
func named(method string, p *wire.Params, tasks bool) (string, bool) {
	switch method {
	case "tools/call", "prompts/get":
		return p.Name, true
	case "resources/read":
		return p.Other().URI, true
	case "tasks/get", "tasks/update", "tasks/cancel": // SEP-2663, "Routing Headers"
		return p.Other().TaskID, tasks
	}
	return "", false
}

func verbatim(s string) (string, bool) { return s, true }

func checkHeader(h http.Header, name, want string, lenient bool, decode func(string) (string, bool)) error {
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
			return mismatch(
				"%s says %q and the body says %q",
				name,
				wire.Truncate(got),
				wire.Truncate(want),
			)
		}
	}

	return nil
}

// ParamHeaders are the headers that mirror arguments of a tool, for the few tools that
// ask for some with x-mcp-header.
type ParamHeaders struct{ tool gomcp.Tool }

// NewParamHeaders returns those that an input schema asks for, nil if it asks for none.
func NewParamHeaders(tool string, inputSchema []byte) (*ParamHeaders, error) {
	t := gomcp.NewToolWithRawSchema(tool, "", inputSchema)
	if err := gomcp.ValidateParamHeaderAnnotations(&t); err != nil {
		return nil, err
	}
	if len(gomcp.ExtractParamHeaderBindings(&t)) == 0 {
		return nil, nil
	}
	return &ParamHeaders{t}, nil
}

// Check compares the headers with the params of a call. If lenient, all of them may be absent.
func (p *ParamHeaders) Check(h http.Header, params []byte, lenient bool) error {
	if lenient && !hasParamHeader(h) {
		return nil
	}

	err := gomcp.ValidateParamHeadersLookup(func(name string) (string, bool) {
		return h.Get(name), len(h.Values(name)) > 0
	}, &p.tool, params)
	if m, ok := errors.AsType[gomcp.HeaderMismatchError](err); ok {
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
