package doctor

import (
	"encoding/json"
	"fmt"
	"net/http"

	"rialto/internal/jsonrpc"
)

// The revisions that the doctor speaks.
const (
	rev202506 = "2025-06-18"
	rev202511 = "2025-11-25"
	rev202607 = "2026-07-28"
)

func handshakeSteps() []step {
	return []step{
		{"mcp-discover", "server/discover answers (2026-07-28)", []Client{Claude}, "a result with supportedVersions and capabilities",
			"Serve the current revision beside the older ones (MCP 2026-07-28, basic/versioning).", (*visit).checkDiscover},
		{"mcp-initialize-2025-06-18", "initialize answers (2025-06-18)", []Client{Codex}, "a result with the same protocolVersion",
			"Serve this revision: Codex begins with it (MCP 2025-06-18, basic/lifecycle).", initializeWith(rev202506)},
		{"mcp-initialize-2025-11-25", "initialize answers (2025-11-25)", []Client{ChatGPT, Claude, Inspector}, "a result with the same protocolVersion",
			"Serve this revision: hosted clients and the Inspector use it (MCP 2025-11-25, basic/lifecycle).", initializeWith(rev202511)},
		{"mcp-initialized", "The session begins", nil, "status 202 for notifications/initialized",
			"Answer notifications with 202 and no body (MCP 2025-11-25, basic/transports).", (*visit).checkInitialized},
		{"mcp-session-list", "tools/list answers in the session", []Client{Codex, Inspector}, "a result with tools",
			"Serve requests that carry the session's id (MCP 2025-11-25, basic/transports).", (*visit).checkSessionList},
		{"mcp-get", "GET opens a stream or says 405", []Client{Codex}, "status 200 with text/event-stream, or 405",
			"Open the stream, or answer 405 (MCP 2025-11-25, basic/transports, \"Listening for Messages from the Server\").", (*visit).checkStream},
		{"mcp-dead-session", "An unknown session is answered 404", nil, "status 404",
			"Answer 404, on which clients begin a new session; without it a restart strands them (MCP 2025-11-25, basic/transports, \"Session Management\").", (*visit).checkDeadSession},
		{"mcp-origin", "A foreign page is refused", nil, "status 403 for a foreign Origin",
			"Compare Origin with a list; let requests without one pass (MCP 2025-11-25, basic/transports, \"Security Warning\").", (*visit).checkForeign},
		{"mcp-version", "An unknown revision is refused with the known ones (2026-07-28)", nil, "status 400 with the code -32022 and data.supported",
			"Say which revisions there are (MCP 2026-07-28, basic/versioning).", (*visit).checkVersion},
		{"mcp-method", "An unknown method is refused (2026-07-28)", nil, "status 404 with the code -32601",
			"Answer 404 and the code (MCP 2026-07-28, basic/transports/streamable-http).", (*visit).checkMethod},
	}
}

// session is a session of the older revisions.
type session struct {
	id       string
	response *jsonrpc.Response
	answer   *answer
	err      error
}

// authorization returns the header that lets the doctor in.
func (v *visit) authorization() http.Header {
	return http.Header{"Authorization": {"Bearer " + v.token()}}
}

// initializeAt sends the opening of a client of 2025-06-18, with no more
// headers than are given.
func (v *visit) initializeAt(address string, h http.Header) *answer {
	return v.message(address, h, "initialize", initializeParams(rev202506))
}

func initializeParams(revision string) map[string]any {
	return map[string]any{
		"protocolVersion": revision, "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "rialto-doctor", "version": "1"},
	}
}

// message posts a JSON-RPC request with the id 1, or a notification.
func (v *visit) message(address string, h http.Header, method string, params any) *answer {
	b, _ := json.Marshal(params) // only our own values
	r := jsonrpc.Request{Method: method, Params: b}
	if method != "notifications/initialized" {
		r.ID = jsonrpc.IntID(1)
	}
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	for name, values := range h {
		header[name] = values
	}
	return v.send(request{method: http.MethodPost, url: address, header: header, body: r.Append(nil)})
}

// call sends a message with the token and reads the response.
func (v *visit) call(h http.Header, method string, params any) (*jsonrpc.Response, *answer, error) {
	all := v.authorization()
	for name, values := range h {
		all[name] = values
	}
	a := v.message(v.address, all, method, params)
	if a.err != nil {
		return nil, a, a.err
	}
	resp, err := jsonrpc.DecodeResponse(a.body)
	switch {
	case err != nil:
		return nil, a, fmt.Errorf("status %d with a body that is no JSON-RPC response", a.status)
	case resp.Error != nil:
		return resp, a, fmt.Errorf("status %d with the error %d, %s", a.status, resp.Error.Code, resp.Error.Message)
	case a.status != http.StatusOK:
		return resp, a, fmt.Errorf("status %d with a result", a.status)
	}
	return resp, a, nil
}

// meta adds to params what requests of 2026-07-28 carry.
func meta(params map[string]any, revision string) map[string]any {
	m := map[string]any{
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "rialto-doctor", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
	if revision != "" {
		m["io.modelcontextprotocol/protocolVersion"] = revision
	}
	all := map[string]any{"_meta": m}
	for name, value := range params {
		all[name] = value
	}
	return all
}

// modern calls a method as a client of 2026-07-28 does.
func (v *visit) modern(method, name string, params map[string]any) (*jsonrpc.Response, *answer, error) {
	h := http.Header{"Mcp-Protocol-Version": {rev202607}, "Mcp-Method": {method}}
	if name != "" {
		h.Set("Mcp-Name", name)
	}
	return v.call(h, method, meta(params, rev202607))
}

// inside runs a check if there is a token.
func (v *visit) inside(f func() finding) finding {
	if v.token() == "" {
		return skip("there is no token")
	}
	return f()
}

func object(raw json.RawMessage) document {
	var d document
	if json.Unmarshal(raw, &d) != nil {
		return nil
	}
	return d
}

func (v *visit) checkDiscover() finding {
	return v.inside(func() finding {
		resp, _, err := v.modern("server/discover", "", nil)
		if err != nil {
			return fail("%v", err)
		}
		d := object(resp.Result)
		return check(d.has("supportedVersions", rev202607) && d.object("capabilities") != nil, "supportedVersions is %q", d.list("supportedVersions"))
	})
}

func initializeWith(revision string) func(*visit) finding {
	return func(v *visit) finding {
		return v.inside(func() finding {
			s := v.begin(revision)
			if s.err != nil {
				return fail("%v", s.err)
			}
			got := object(s.response.Result).text("protocolVersion")
			return check(got == revision, "protocolVersion is %q", got)
		})
	}
}

// begin initializes a session; the latest is kept.
func (v *visit) begin(revision string) *session {
	s := &session{}
	s.response, s.answer, s.err = v.call(nil, "initialize", initializeParams(revision))
	if s.answer.header != nil {
		s.id = s.answer.header.Get("Mcp-Session-Id")
	}
	v.hide(s.id)
	v.session = s
	return s
}

// within runs a check in a session of 2025-11-25, with the headers of one.
func (v *visit) within(f func(http.Header) finding) finding {
	return v.inside(func() finding {
		if v.session == nil {
			v.begin(rev202511)
		}
		if v.session.err != nil {
			return skip("there is no session")
		}
		h := http.Header{"Mcp-Protocol-Version": {rev202511}}
		if v.session.id != "" {
			h.Set("Mcp-Session-Id", v.session.id)
		}
		return f(h)
	})
}

func (v *visit) checkInitialized() finding {
	return v.within(func(h http.Header) finding {
		h.Set("Authorization", "Bearer "+v.token())
		a := v.message(v.address, h, "notifications/initialized", map[string]any{})
		return check(a.status == http.StatusAccepted, "%s", a)
	})
}

// listsTools calls tools/list and checks that there are tools.
func (v *visit) listsTools(h http.Header, params any) finding {
	resp, _, err := v.call(h, "tools/list", params)
	if err != nil {
		return fail("%v", err)
	}
	tools, _ := object(resp.Result)["tools"].([]any)
	return check(len(tools) > 0, "%d tools", len(tools))
}

func (v *visit) checkSessionList() finding {
	return v.within(func(h http.Header) finding { return v.listsTools(h, map[string]any{}) })
}

func (v *visit) checkStream() finding {
	return v.within(func(h http.Header) finding {
		h.Set("Authorization", "Bearer "+v.token())
		h.Set("Accept", "text/event-stream")
		a := v.send(request{method: http.MethodGet, url: v.address, header: h, bare: true})
		ok := a.status == http.StatusMethodNotAllowed || a.status == http.StatusOK && a.contentType() == "text/event-stream"
		return check(ok, "%s", a)
	})
}

func (v *visit) checkDeadSession() finding {
	return v.within(func(h http.Header) finding {
		if v.session.id == "" {
			return skip("the server has no sessions")
		}
		h.Set("Mcp-Session-Id", "no-session-of-anybody")
		_, a, _ := v.call(h, "tools/list", map[string]any{})
		return check(a.status == http.StatusNotFound, "%s", a)
	})
}

func (v *visit) checkDelete() finding {
	return v.within(func(h http.Header) finding {
		if v.session.id == "" {
			return skip("the server has no sessions")
		}
		h.Set("Authorization", "Bearer "+v.token())
		a := v.send(request{method: http.MethodDelete, url: v.address, header: h})
		return check(a.status/100 == 2 || a.status == http.StatusMethodNotAllowed, "%s", a)
	})
}

func (v *visit) checkForeign() finding {
	return v.inside(func() finding {
		h := v.authorization()
		h.Set("Origin", "https://rialto-doctor.invalid")
		a := v.initializeAt(v.address, h)
		return check(a.status == http.StatusForbidden, "%s", a)
	})
}

func (v *visit) checkVersion() finding {
	return v.inside(func() finding {
		h := http.Header{"Mcp-Protocol-Version": {"2099-01-01"}, "Mcp-Method": {"tools/list"}}
		resp, a, err := v.call(h, "tools/list", meta(nil, "2099-01-01"))
		if resp == nil || resp.Error == nil {
			return fail("%s, %v", a, err)
		}
		known := object(resp.Error.Data).list("supported")
		return check(a.status == 400 && resp.Error.Code == -32022 && len(known) > 0, "%v", err)
	})
}

func (v *visit) checkMethod() finding {
	return v.inside(func() finding {
		resp, a, err := v.modern("rialto/doctor", "", nil)
		if resp == nil || resp.Error == nil {
			return fail("%s, %v", a, err)
		}
		return check(a.status == 404 && resp.Error.Code == jsonrpc.CodeMethodNotFound, "%v", err)
	})
}
