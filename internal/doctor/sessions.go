package doctor

import (
	"errors"
	"net/http"
	"slices"

	"rialto/internal/jsonrpc"
)

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
