package doctor

import "net/http"

func hybridSteps() []step {
	return []step{
		{"hybrid-older-header", "A header older than the body is understood", []Client{Claude}, "a result with tools",
			"Serve a request whose _meta says 2026-07-28 and whose header says 2025-11-25, if it has no session: Claude's connectors send it.", (*visit).checkOlderHeader},
		{"hybrid-meta", "Client info without a revision is understood", []Client{ChatGPT}, "a result with tools",
			"Let the header decide, if _meta names a client but no revision: ChatGPT sends it.", (*visit).checkMetaOnly},
		{"hybrid-newer-header", "A header newer than the session is understood", []Client{Claude}, "a result with tools",
			"Let the session decide, if the header says 2026-07-28 inside a session: Claude's proxy sends it.", (*visit).checkNewerHeader},
		{"hybrid-no-header", "A request without a revision is understood", []Client{Claude}, "a result with tools",
			"Take a request without MCP-Protocol-Version as one of 2025-03-26 (MCP 2025-11-25, basic/transports, \"Protocol Version Header\").", (*visit).checkNoHeader},
		{"hybrid-doubled", "A doubled header is understood", nil, "a result with tools",
			"Take equal values as one: some proxies send the header twice.", (*visit).checkDoubled},
		{"accept-any", "Accept: */* is understood", []Client{Claude}, "a result with tools",
			"Take */* for both kinds of answer (RFC 9110 section 12.5.1).", (*visit).checkAccept},
	}
}

func (v *visit) checkOlderHeader() finding {
	return v.inside(func() finding {
		return v.listsTools(http.Header{"Mcp-Protocol-Version": {rev202511}}, meta(nil, rev202607))
	})
}

func (v *visit) checkMetaOnly() finding {
	return v.within(func(h http.Header) finding { return v.listsTools(h, meta(nil, "")) })
}

func (v *visit) checkNewerHeader() finding {
	return v.within(func(h http.Header) finding {
		if v.session.id == "" {
			return skip("the server has no sessions")
		}
		h.Set("Mcp-Protocol-Version", rev202607)
		return v.listsTools(h, map[string]any{})
	})
}

func (v *visit) checkNoHeader() finding {
	return v.within(func(h http.Header) finding {
		h.Del("Mcp-Protocol-Version")
		return v.listsTools(h, map[string]any{})
	})
}

func (v *visit) checkDoubled() finding {
	return v.within(func(h http.Header) finding {
		h.Set("Mcp-Protocol-Version", rev202511+", "+rev202511)
		return v.listsTools(h, map[string]any{})
	})
}

func (v *visit) checkAccept() finding {
	return v.within(func(h http.Header) finding {
		h.Set("Accept", "*/*")
		return v.listsTools(h, map[string]any{})
	})
}
