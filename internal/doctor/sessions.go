package doctor

import (
	"errors"
	"net/http"
	"slices"

	"rialto/internal/jsonrpc"
)

func sessionChecks() []check {
	return []check{
		{
			"mcp-discover",
			"server/discover answers (2026-07-28)",
			[]Client{Claude},
			"a result with supportedVersions and capabilities",
			"Serve the current revision beside the older ones (MCP 2026-07-28, basic/versioning).",
			needToken,
			checkDiscover,
		},
		{
			"mcp-initialize-2025-06-18",
			"initialize answers (2025-06-18)",
			[]Client{Codex},
			"a result with the same protocolVersion",
			"Serve this revision: Codex begins with it (MCP 2025-06-18, basic/lifecycle).",
			needToken,
			checkInitialize(rev202506),
		},
		{
			"mcp-initialize-2025-11-25",
			"initialize answers (2025-11-25)",
			[]Client{ChatGPT, Claude, Inspector},
			"a result with the same protocolVersion",
			"Serve this revision: hosted clients and the Inspector use it (MCP 2025-11-25, basic/lifecycle).",
			needToken,
			checkInitialize(rev202511),
		},
		{
			"mcp-initialized",
			"The session begins",
			nil,
			"status 202 for notifications/initialized",
			"Answer notifications with 202 and no body (MCP 2025-11-25, basic/transports).",
			needSession,
			checkInitialized,
		},
		{
			"mcp-session-list",
			"tools/list answers in the session",
			[]Client{Codex, Inspector},
			"a result with tools",
			"Serve requests that carry the session's id (MCP 2025-11-25, basic/transports).",
			needSession,
			checkSessionList,
		},
		{
			"mcp-get",
			"GET opens a stream or says 405",
			[]Client{Codex},
			"status 200 with text/event-stream, or 405",
			"Open the stream, or answer 405 (MCP 2025-11-25, basic/transports, \"Listening for Messages from the Server\").",
			needSession,
			checkStream,
		},
		{
			"mcp-dead-session",
			"An unknown session is answered 404",
			nil,
			"status 404",
			"Answer 404, on which clients begin a new session; without it a restart strands them (MCP 2025-11-25, basic/transports, \"Session Management\").",
			needSessionID,
			checkDeadSession,
		},
		{
			"mcp-origin",
			"A foreign page is refused",
			nil,
			"status 403 for a foreign Origin",
			"Compare Origin with a list; let requests without one pass (MCP 2025-11-25, basic/transports, \"Security Warning\").",
			needToken,
			checkForeign,
		},
		{
			"mcp-version",
			"An unknown revision is refused with the known ones (2026-07-28)",
			nil,
			"status 400 with the code -32022 and data.supported",
			"Say which revisions there are (MCP 2026-07-28, basic/versioning).",
			needToken,
			checkVersion,
		},
		{
			"mcp-method",
			"An unknown method is refused (2026-07-28)",
			nil,
			"status 404 with the code -32601",
			"Answer 404 and the code (MCP 2026-07-28, basic/transports/streamable-http).",
			needToken,
			checkMethod,
		},
	}
}

func hybridChecks() []check {
	return []check{
		{
			"hybrid-older-header",
			"A header older than the body is understood",
			[]Client{Claude},
			"a result with tools",
			"Serve a request whose _meta says 2026-07-28 and whose header says 2025-11-25, if it has no session: Claude's connectors send it.",
			needToken,
			checkOlderHeader,
		},
		{
			"hybrid-meta",
			"Client info without a revision is understood",
			[]Client{ChatGPT},
			"a result with tools",
			"Let the header decide, if _meta names a client but no revision: ChatGPT sends it.",
			needSession,
			checkMetaOnly,
		},
		{
			"hybrid-newer-header",
			"A header newer than the session is understood",
			[]Client{Claude},
			"a result with tools",
			"Let the session decide, if the header says 2026-07-28 inside a session: Claude's proxy sends it.",
			needSessionID,
			checkListWith("Mcp-Protocol-Version", rev202607),
		},
		{
			"hybrid-no-header",
			"A request without a revision is understood",
			[]Client{Claude},
			"a result with tools",
			"Take a request without MCP-Protocol-Version as one of 2025-03-26 (MCP 2025-11-25, basic/transports, \"Protocol Version Header\").",
			needSession,
			checkListWith("Mcp-Protocol-Version", ""),
		},
		{
			"hybrid-doubled",
			"A doubled header is understood",
			nil,
			"a result with tools",
			"Take equal values as one: some proxies send the header twice.",
			needSession,
			checkListWith("Mcp-Protocol-Version", rev202511+", "+rev202511),
		},
		{
			"accept-any",
			"Accept: */* is understood",
			[]Client{Claude},
			"a result with tools",
			"Take */* for both kinds of answer (RFC 9110 section 12.5.1).",
			needSession,
			checkListWith("Accept", "*/*"),
		},
	}
}

func checkDiscover(v *examination) finding {
	r := v.mcp.modern("server/discover", "", nil)
	if r.err != nil {
		return fail("{}", r.err)
	}
	versions := r.result.list("supportedVersions")
	ok := slices.Contains(versions, rev202607) && r.result.object("capabilities") != nil
	return expect(ok, "{} is {}", "supportedVersions", versions)
}

func checkInitialize(revision string) func(*examination) finding {
	return func(v *examination) finding {
		v.mcp.begin(revision)
		if err := v.mcp.began.err; err != nil {
			return fail("{}", err)
		}
		got := v.mcp.began.result.text("protocolVersion")
		return expect(got == revision, "{} is \"{}\"", "protocolVersion", got)
	}
}

func checkInitialized(v *examination) finding {
	r := v.mcp.call(v.mcp.session(), "notifications/initialized", map[string]any{})
	return expectStatus(r.answer, http.StatusAccepted)
}

func checkSessionList(v *examination) finding {
	return v.mcp.listsTools(v.mcp.session(), map[string]any{})
}

func (c *mcpClient) listsTools(h http.Header, params any) finding {
	r := c.call(h, "tools/list", params)
	if r.err != nil {
		return fail("{}", r.err)
	}
	tools, _ := r.result["tools"].([]any)
	return expect(len(tools) > 0, "{} tools", len(tools))
}

func checkStream(v *examination) finding {
	h := v.mcp.session()
	h.Set("Accept", "text/event-stream")
	a := v.once("stream", func() *answer { return v.mcp.send(http.MethodGet, h) })
	return expect(
		a.status == http.StatusMethodNotAllowed ||
			a.status == http.StatusOK && a.contentType() == "text/event-stream",
		"{}",
		a,
	)
}

func checkDeadSession(v *examination) finding {
	h := v.mcp.session()
	h.Set("Mcp-Session-Id", "no-session-of-anybody")
	return expectStatus(v.mcp.call(h, "tools/list", map[string]any{}).answer, http.StatusNotFound)
}

func checkDelete(v *examination) finding {
	a := v.mcp.send(http.MethodDelete, v.mcp.session())
	return expect(a.status/100 == 2 || a.status == http.StatusMethodNotAllowed, "{}", a)
}

func checkForeign(v *examination) finding {
	h := v.mcp.authorization()
	h.Set("Origin", "https://rialto-doctor.invalid")
	return expectStatus(v.initialize(v.address, h), http.StatusForbidden)
}

func checkVersion(v *examination) finding {
	h := http.Header{"Mcp-Protocol-Version": {"2099-01-01"}, "Mcp-Method": {"tools/list"}}
	r := v.mcp.call(h, "tools/list", meta(nil, "2099-01-01"))
	refusal, ok := errors.AsType[*jsonrpc.Error](r.err)
	if !ok {
		return fail("{}, {}", r.answer, r.err)
	}
	known := object(refusal.Data).list("supported")
	return expect(r.status == 400 && refusal.Code == -32022 && len(known) > 0, "{}", r.err)
}

func checkMethod(v *examination) finding {
	r := v.mcp.modern("rialto/doctor", "", nil)
	refusal, ok := errors.AsType[*jsonrpc.Error](r.err)
	if !ok {
		return fail("{}, {}", r.answer, r.err)
	}
	return expect(r.status == 404 && refusal.Code == jsonrpc.CodeMethodNotFound, "{}", r.err)
}

func checkOlderHeader(v *examination) finding {
	return v.mcp.listsTools(http.Header{"Mcp-Protocol-Version": {rev202511}}, meta(nil, rev202607))
}

func checkMetaOnly(v *examination) finding {
	return v.mcp.listsTools(v.mcp.session(), meta(nil, ""))
}

// checkListWith lists the tools in the session with another value of a header; "" leaves it out.
func checkListWith(name, value string) func(*examination) finding {
	return func(v *examination) finding {
		h := v.mcp.session()
		h.Set(name, value)
		if value == "" {
			h.Del(name)
		}
		return v.mcp.listsTools(h, map[string]any{})
	}
}
