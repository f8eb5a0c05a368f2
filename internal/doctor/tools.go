package doctor

import (
	"slices"
)

func checkTools(v *examination) finding {
	l := v.mcp.tools()
	if l.err != nil {
		return fail("{}", l.err)
	}
	return expect(len(l.tools) > 0, "{} tools", len(l.tools))
}

func checkSchemas(v *examination) finding {
	for _, t := range v.mcp.tools().tools {
		if t.text("name") == "" || t.object("inputSchema").text("type") != "object" {
			return fail("the tool \"{}\" has none", t.text("name"))
		}
	}
	return pass("all have")
}

func checkHints(v *examination) finding {
	for _, t := range v.mcp.tools().tools {
		hints := t.object("annotations")
		if t.text("title") == "" && hints.text("title") == "" {
			return fail("the tool \"{}\" has no title", t.text("name"))
		}
		for _, name := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := hints[name].(bool); !ok {
				return fail("the tool \"{}\" has no {}", t.text("name"), name)
			}
		}
	}
	return pass("all have")
}

func checkOrder(v *examination) finding {
	r := v.mcp.call(v.mcp.session(), "tools/list", map[string]any{})
	if r.err != nil {
		return skip("the second list failed")
	}

	again := objects(r.result["tools"])
	same := slices.EqualFunc(
		v.mcp.tools().tools,
		again,
		func(a, b document) bool { return a.text("name") == b.text("name") },
	)
	return expect(same, "another order")
}

func checkCache(v *examination) finding {
	l := v.mcp.tools()
	if !l.modern {
		return skip("the revision is not served")
	}

	for _, name := range []string{"resultType", "ttlMs", "cacheScope"} {
		if l.result[name] == nil {
			return fail("{} is missing", name)
		}
	}

	return pass("it does")
}

func checkCall(v *examination) finding {
	t := v.mcp.tools().tool(
		func(t document) bool { return len(t.object("inputSchema").list("required")) == 0 },
	)
	if t == nil {
		return skip("no tool is read-only and wants no arguments")
	}

	result, err := v.mcp.use(t.text("name"), map[string]any{})
	if err != nil {
		return fail("{}: {}", t.text("name"), err)
	}

	return expect(!result.flag("isError"), "{} answered with an error", t.text("name"))
}

func checkInput(v *examination) finding {
	t := v.mcp.tools().tool(
		func(t document) bool { return len(t.object("inputSchema").list("required")) > 0 },
	)
	if t == nil {
		return skip("no tool is read-only and wants arguments")
	}

	result, err := v.mcp.use(t.text("name"), map[string]any{})
	if err != nil {
		return fail("{}: {}", t.text("name"), err)
	}

	return expect(
		result.flag("isError") && len(objects(result["content"])) > 0,
		"{} answered without isError",
		t.text("name"),
	)
}

func checkSearch(v *examination) finding {
	l := v.mcp.tools()
	if l.tool(named("search")) == nil {
		return skip("there is no read-only tool search")
	}

	d, bad := v.mcp.callForChatGPT("search", map[string]any{"query": "a"})
	if bad != nil {
		return *bad
	}
	if _, ok := d["results"].([]any); !ok {
		return fail("{} is missing", "results")
	}

	hits := objects(d["results"])
	for _, hit := range hits {
		if hit.text("id") == "" || hit.text("title") == "" || !absolute(hit.text("url")) {
			return fail("a result without id, title or a url that can be opened")
		}
		l.hit = hit
	}

	return pass("{} results", len(hits))
}

func checkFetch(v *examination) finding {
	l := v.mcp.tools()
	if l.tool(named("fetch")) == nil || l.hit == nil {
		return skip("there is no read-only tool fetch, or nothing was found")
	}

	d, bad := v.mcp.callForChatGPT("fetch", map[string]any{"id": l.hit.text("id")})
	if bad != nil {
		return *bad
	}

	for _, name := range []string{"id", "title"} {
		if d.text(name) == "" {
			return fail("{} is missing", name)
		}
	}

	if _, ok := d["text"].(string); !ok { // a document may be empty
		return fail("{} is missing", "text")
	}

	return expect(absolute(d.text("url")), "{} is \"{}\"", "url", d.text("url"))
}
