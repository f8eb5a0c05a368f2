package doctor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"

	"rialto/internal/jsonrpc"
)

// The revisions that the doctor speaks.
const (
	rev202506 = "2025-06-18"
	rev202511 = "2025-11-25"
	rev202607 = "2026-07-28"
)

// mcpClient calls methods behind the login, in both eras.
type mcpClient struct {
	*target
	grant      *grant
	givenToken string // an access token that was given; the grant's is used otherwise

	id       string  // of the latest session
	began    *reply  // to the latest initialize; nil before the first
	answered *answer // to the first initialize

	listed  *listing
	offered map[string]document // see capabilities
	pages   []appPage
}

// token returns the access token, or "".
func (c *mcpClient) token() string {
	if c.givenToken != "" || !c.grant.app.login {
		return c.givenToken
	}
	return c.grant.accessToken()
}

func (c *mcpClient) authorization() http.Header {
	if c.token() == "" {
		return http.Header{}
	}
	return http.Header{"Authorization": {"Bearer " + c.token()}}
}

func initializeParams(revision string) map[string]any {
	return map[string]any{
		"protocolVersion": revision, "capabilities": extensions(),
		"clientInfo": map[string]any{"name": "rialto-doctor", "version": "1"},
	}
}

// extensions are capabilities of a client with events and apps.
func extensions() map[string]any {
	return map[string]any{"extensions": map[string]any{
		eventsExtension: map[string]any{},
		appsExtension:   map[string]any{"mimeTypes": []string{appType}},
	}}
}

// reply is the answer to a message.
type reply struct {
	*answer
	result document
	err    error // why there is no result
}

// call sends a message with the token and reads the response.
func (c *mcpClient) call(h http.Header, method string, params any) *reply {
	all := c.authorization()
	maps.Copy(all, h)
	a := c.message(c.address, all, method, params)
	if a.err != nil {
		return &reply{answer: a, err: a.err}
	}

	resp, err := jsonrpc.DecodeResponse(a.body)
	switch {
	case err != nil:
		err = fmt.Errorf("status %d with a body that is no JSON-RPC response", a.status)
	case resp.Error != nil:
		err = fmt.Errorf("status %d with the error %w", a.status, resp.Error)
	case a.status != http.StatusOK:
		err = fmt.Errorf("status %d with a result", a.status)
	default:
		return &reply{answer: a, result: object(resp.Result)}
	}

	return &reply{answer: a, err: err}
}

// meta adds to params the _meta of requests of 2026-07-28; without a revision if that is "".
func meta(params map[string]any, revision string) map[string]any {
	m := map[string]any{
		"io.modelcontextprotocol/clientInfo": map[string]any{
			"name":    "rialto-doctor",
			"version": "1",
		},
		"io.modelcontextprotocol/clientCapabilities": extensions(),
	}
	if revision != "" {
		m["io.modelcontextprotocol/protocolVersion"] = revision
	}

	all := map[string]any{"_meta": m}
	maps.Copy(all, params)
	return all
}

// modern calls a method as a client of 2026-07-28 does.
func (c *mcpClient) modern(method, name string, params map[string]any) *reply {
	h := http.Header{"Mcp-Protocol-Version": {rev202607}, "Mcp-Method": {method}}
	if name != "" {
		h.Set("Mcp-Name", name)
	}
	return c.call(h, method, meta(params, rev202607))
}

// begin initializes a session; the latest is kept.
func (c *mcpClient) begin(revision string) {
	c.began = c.call(nil, "initialize", initializeParams(revision))
	c.answered = cmp.Or(c.answered, c.began.answer)
	c.id = c.began.header.Get("Mcp-Session-Id")
	c.addSecret(c.id)
}

// session returns the headers of a session of 2025-11-25, which it begins if there is none.
func (c *mcpClient) session() http.Header {
	if c.began == nil {
		c.begin(rev202511)
	}
	h := http.Header{"Mcp-Protocol-Version": {rev202511}}
	if c.id != "" {
		h.Set("Mcp-Session-Id", c.id)
	}
	return h
}

// send sends a request of the session that is no message.
func (c *mcpClient) send(method string, h http.Header) *answer {
	maps.Copy(h, c.authorization())
	return c.do(method, c.address, h, "", method == http.MethodGet)
}

// listing is the answer to tools/list.
type listing struct {
	result document
	tools  []document
	modern bool
	err    error
	hit    document // the first search result
}

// tools lists the tools, in the current era or else in the older one, once.
func (c *mcpClient) tools() *listing {
	if c.listed != nil {
		return c.listed
	}

	l := &listing{modern: true}
	c.listed = l
	r := c.modern("tools/list", "", nil)
	if r.err != nil {
		l.modern = false
		r = c.call(c.session(), "tools/list", map[string]any{})
	}

	l.result = r.result
	l.err = r.err
	l.tools = objects(l.result["tools"])
	return l
}

// tool returns the first tool that matches and declares itself read-only: no other is called.
func (l *listing) tool(match func(document) bool) document {
	for _, t := range l.tools {
		if t.object("annotations").flag("readOnlyHint") && match(t) {
			return t
		}
	}
	return nil
}

func named(name string) func(document) bool {
	return func(t document) bool { return t.text("name") == name }
}

// use calls a tool in the era that lists it.
func (c *mcpClient) use(name string, arguments map[string]any) (document, error) {
	return c.ask("tools/call", name, map[string]any{"name": name, "arguments": arguments})
}

// ask calls a method in the era that lists tools. The name goes into a header of the newer one.
func (c *mcpClient) ask(method, name string, params map[string]any) (document, error) {
	if c.tools().modern {
		r := c.modern(method, name, params)
		return r.result, r.err
	}
	r := c.call(c.session(), method, params)
	return r.result, r.err
}

// callForChatGPT calls a tool that ChatGPT reads. It returns the object in its one text
// item, or what is wrong.
func (c *mcpClient) callForChatGPT(name string, arguments map[string]any) (document, *finding) {
	bad := func(f finding) (document, *finding) { return nil, &f }
	result, err := c.use(name, arguments)
	if err != nil {
		return bad(fail("{}", err))
	}

	content := objects(result["content"])
	if result.flag("isError") || len(content) != 1 || content[0].text("type") != "text" {
		return bad(fail("{} content items, isError {}", len(content), result.flag("isError")))
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
