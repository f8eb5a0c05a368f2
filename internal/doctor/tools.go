package doctor

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

func toolSteps() []step {
	return []step{
		{"tools-list", "The server lists its tools", Clients(), "a result with at least one tool",
			"Answer tools/list (MCP 2026-07-28, server/tools).", (*visit).checkTools},
		{"tools-schema", "Each tool has a name and a schema", Clients(), `a name, and an inputSchema of type "object"`,
			"Give each tool a JSON Schema of an object, if an empty one (MCP 2026-07-28, server/tools, \"Tool\").", (*visit).checkSchemas},
		{"tools-hints", "Each tool has a title and all four hints", []Client{ChatGPT, Claude}, "title, readOnlyHint, destructiveHint, idempotentHint and openWorldHint",
			"Set them all: what is missing is taken for the worst, and refused in reviews (MCP 2026-07-28, server/tools, \"Tool Annotations\").", (*visit).checkHints},
		{"tools-order", "The order of the tools stays", nil, "the same order twice",
			"Sort the list (MCP 2026-07-28, server/tools, \"Listing Tools\").", (*visit).checkOrder},
		{"tools-cache", "The list says how long it holds (2026-07-28)", nil, "resultType, ttlMs and cacheScope",
			"Send the three members (MCP 2026-07-28, server/utilities/caching).", (*visit).checkCache},
	}
}

func callSteps() []step {
	return []step{
		{"call", "A harmless call is answered", Clients(), "a result that is no error",
			"Answer tools/call (MCP 2026-07-28, server/tools, \"Calling Tools\").", (*visit).checkCall},
		{"call-input", "Wrong arguments are an error for the model", nil, "a result with isError, and words that say what is missing",
			"Answer with a result, so that the model can correct itself (MCP 2025-11-25, server/tools, \"Error Handling\").", (*visit).checkInput},
		{"search", "search has the shape that ChatGPT reads", []Client{ChatGPT}, `one text item with {"results":[{"id","title","url"}]}, and the same as structuredContent`,
			"Follow the shape to the letter; deep research and company knowledge use no other tools (OpenAI, \"Building MCP servers\").", (*visit).checkSearch},
		{"fetch", "fetch has the shape that ChatGPT reads", []Client{ChatGPT}, `one text item with {"id","title","text","url"}, and the same as structuredContent`,
			"Follow the shape to the letter (OpenAI, \"Building MCP servers\").", (*visit).checkFetch},
		{"mcp-delete", "The session can be ended", nil, "status 2xx, or 405",
			"End the session, or answer 405 (MCP 2025-11-25, basic/transports, \"Session Management\").", (*visit).checkDelete},
	}
}

// listing is what tools/list answered.
type listing struct {
	result document
	tools  []document
	modern bool
	err    error
	found  document // the first search result
}

// tools lists the tools, as the current revision or else as an older one does.
func (v *visit) tools() *listing {
	if v.listed != nil {
		return v.listed
	}
	v.listed = &listing{modern: true}
	resp, _, err := v.modern("tools/list", "", nil)
	if err != nil {
		v.listed.modern = false
		resp, _, err = v.call(v.older(), "tools/list", map[string]any{})
	}
	if v.listed.err = err; err == nil {
		v.listed.result = object(resp.Result)
		v.listed.tools = objects(v.listed.result["tools"])
	}
	return v.listed
}

// older returns the headers of a request of 2025-11-25.
func (v *visit) older() http.Header {
	h := http.Header{"Mcp-Protocol-Version": {rev202511}}
	if v.session == nil {
		v.begin(rev202511)
	}
	if v.session.id != "" {
		h.Set("Mcp-Session-Id", v.session.id)
	}
	return h
}

func objects(v any) []document {
	var list []document
	all, _ := v.([]any)
	for _, o := range all {
		m, _ := o.(map[string]any)
		list = append(list, m)
	}
	return list
}

// withTools runs a check of the list.
func (v *visit) withTools(f func(*listing) finding) finding {
	return v.inside(func() finding {
		l := v.tools()
		if len(l.tools) == 0 {
			return skip("there are no tools")
		}
		return f(l)
	})
}

func (v *visit) checkTools() finding {
	return v.inside(func() finding {
		l := v.tools()
		if l.err != nil {
			return fail("%v", l.err)
		}
		return check(len(l.tools) > 0, "%d tools", len(l.tools))
	})
}

func (v *visit) checkSchemas() finding {
	return v.withTools(func(l *listing) finding {
		for _, t := range l.tools {
			if t.text("name") == "" || t.object("inputSchema").text("type") != "object" {
				return fail("the tool %q has none", t.text("name"))
			}
		}
		return pass("all have")
	})
}

func (v *visit) checkHints() finding {
	return v.withTools(func(l *listing) finding {
		for _, t := range l.tools {
			hints := t.object("annotations")
			if t.text("title") == "" && hints.text("title") == "" {
				return fail("the tool %q has no title", t.text("name"))
			}
			for _, name := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
				if _, ok := hints[name].(bool); !ok {
					return fail("the tool %q has no %s", t.text("name"), name)
				}
			}
		}
		return pass("all have")
	})
}

func (v *visit) checkOrder() finding {
	return v.withTools(func(l *listing) finding {
		resp, _, err := v.call(v.older(), "tools/list", map[string]any{})
		if err != nil {
			return skip("the second list failed")
		}
		again := objects(object(resp.Result)["tools"])
		same := slices.EqualFunc(l.tools, again, func(a, b document) bool { return a.text("name") == b.text("name") })
		return check(same, "another order")
	})
}

func (v *visit) checkCache() finding {
	return v.withTools(func(l *listing) finding {
		if !l.modern {
			return skip("the revision is not served")
		}
		for _, name := range []string{"resultType", "ttlMs", "cacheScope"} {
			if l.result[name] == nil {
				return fail("%s is missing", name)
			}
		}
		return pass("it does")
	})
}

// tool returns a tool by name, if it declares itself read-only: no other is
// called.
func (l *listing) tool(name string) document {
	for _, t := range l.tools {
		if t.text("name") == name && readOnly(t) {
			return t
		}
	}
	return nil
}

func readOnly(t document) bool { return t.object("annotations").flag("readOnlyHint") }

// use calls a tool in the era that lists it.
func (v *visit) use(name string, arguments map[string]any) (document, error) {
	params := map[string]any{"name": name, "arguments": arguments}
	if v.tools().modern {
		resp, _, err := v.modern("tools/call", name, params)
		if err != nil {
			return nil, err
		}
		return object(resp.Result), nil
	}
	resp, _, err := v.call(v.older(), "tools/call", params)
	if err != nil {
		return nil, err
	}
	return object(resp.Result), nil
}

func (v *visit) checkCall() finding {
	return v.withTools(func(l *listing) finding {
		for _, t := range l.tools {
			if !readOnly(t) || len(t.object("inputSchema").list("required")) > 0 {
				continue
			}
			result, err := v.use(t.text("name"), map[string]any{})
			if err != nil {
				return fail("%s: %v", t.text("name"), err)
			}
			return check(!result.flag("isError"), "%s answered with an error", t.text("name"))
		}
		return skip("no tool is read-only and wants no arguments")
	})
}

func (v *visit) checkInput() finding {
	return v.withTools(func(l *listing) finding {
		for _, t := range l.tools {
			if !readOnly(t) || len(t.object("inputSchema").list("required")) == 0 {
				continue
			}
			result, err := v.use(t.text("name"), map[string]any{})
			if err != nil {
				return fail("%s: %v", t.text("name"), err)
			}
			return check(result.flag("isError") && len(objects(result["content"])) > 0, "%s answered without isError", t.text("name"))
		}
		return skip("no tool is read-only and wants arguments")
	})
}

func (v *visit) checkSearch() finding {
	return v.withTools(func(l *listing) finding {
		if l.tool("search") == nil {
			return skip("there is no read-only tool search")
		}
		d, bad := v.exact("search", map[string]any{"query": "a"})
		if bad != nil {
			return *bad
		}
		if _, ok := d["results"].([]any); !ok {
			return fail("results is missing")
		}
		for _, hit := range objects(d["results"]) {
			if hit.text("id") == "" || hit.text("title") == "" || !absolute(hit.text("url")) {
				return fail("a result without id, title or a url that can be opened")
			}
			l.found = hit
		}
		return pass("%d results", len(objects(d["results"])))
	})
}

func (v *visit) checkFetch() finding {
	return v.withTools(func(l *listing) finding {
		if l.tool("fetch") == nil || l.found == nil {
			return skip("there is no read-only tool fetch, or nothing was found")
		}
		d, bad := v.exact("fetch", map[string]any{"id": l.found.text("id")})
		if bad != nil {
			return *bad
		}
		for _, name := range []string{"id", "title", "text"} {
			if d.text(name) == "" {
				return fail("%s is missing", name)
			}
		}
		return check(absolute(d.text("url")), "url is %q", d.text("url"))
	})
}

// exact calls a tool that ChatGPT reads and returns the object in its one text
// item, or what is wrong.
func (v *visit) exact(name string, arguments map[string]any) (document, *finding) {
	bad := func(f finding) (document, *finding) { return nil, &f }
	result, err := v.use(name, arguments)
	if err != nil {
		return bad(fail("%v", err))
	}
	content := objects(result["content"])
	if result.flag("isError") || len(content) != 1 || content[0].text("type") != "text" {
		return bad(fail("%d content items, isError %v", len(content), result.flag("isError")))
	}
	var d document
	if json.NewDecoder(strings.NewReader(content[0].text("text"))).Decode(&d) != nil {
		return bad(fail("the text is no JSON object"))
	}
	if !reflect.DeepEqual(map[string]any(d), map[string]any(result.object("structuredContent"))) {
		return bad(fail("structuredContent is not the same object"))
	}
	return d, nil
}
