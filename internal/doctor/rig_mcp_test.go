package doctor

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// theSession is the id of the only session that the rig knows.
const theSession = "the-session"

// mcp answers as a server of both eras that minds no hybrid.
func (g *rig) mcp(x *exchange) {
	var m struct {
		Method string
		Params struct {
			ProtocolVersion string
			Name            string
			URI             string
			Arguments       map[string]any
			Delivery        struct{ URL, Secret string }
			Meta            map[string]any `json:"_meta"`
		}
	}
	json.Unmarshal(x.body, &m)
	if id := x.r.Header.Get("Mcp-Session-Id"); id != "" && id != theSession {
		x.fault(404, -32001, nil)
		return
	}
	revision, _ := m.Params.Meta["io.modelcontextprotocol/protocolVersion"].(string)
	if revision != "" && revision != rev202607 {
		x.fault(400, -32022, map[string]any{"supported": []string{rev202607}})
		return
	}
	switch m.Method {
	case "initialize":
		x.w.Header().Set("Mcp-Session-Id", theSession)
		x.result(map[string]any{"protocolVersion": m.Params.ProtocolVersion, "capabilities": rigCapabilities()})
	case "notifications/initialized":
		x.answer(202, "text/plain", "")
	case "server/discover":
		x.result(map[string]any{"supportedVersions": []string{rev202607}, "capabilities": rigCapabilities()})
	case "tools/list":
		x.result(map[string]any{"tools": rigTools(), "resultType": "complete", "ttlMs": 1000, "cacheScope": "private"})
	case "tools/call":
		x.result(callRig(m.Params.Name, m.Params.Arguments))
	case "events/list":
		x.result(map[string]any{"events": []any{map[string]any{"name": "thing.done", "delivery": []string{"poll", "webhook"}, "inputSchema": map[string]any{"type": "object"}, "payloadSchema": map[string]any{"type": "object"}}}})
	case "events/poll":
		x.result(map[string]any{"events": []any{map[string]any{"eventId": "e1"}}})
	case "events/subscribe":
		if g.refusal != nil {
			g.refusal(x)
			return
		}
		deliver := g.subscribe(m.Params.Delivery.URL, m.Params.Delivery.Secret)
		go func() {
			g.mu.Lock() // the subscription was answered
			defer g.mu.Unlock()
			deliver()
		}()
		x.result(map[string]any{"id": "sub_1"})
	case "events/unsubscribe":
		x.result(map[string]any{})
	case "resources/read":
		x.result(map[string]any{"contents": []any{map[string]any{"uri": m.Params.URI, "mimeType": appType, "text": "<!doctype html><img src='https://cdn.example/a.png'>",
			"_meta": map[string]any{"ui": map[string]any{"csp": map[string]any{"resourceDomains": []string{"https://cdn.example"}}}}}}})
	default:
		x.fault(404, -32601, nil)
	}
}

func rigCapabilities() map[string]any {
	return map[string]any{"events": map[string]any{}, "extensions": map[string]any{eventsExtension: map[string]any{}, appsExtension: map[string]any{}}}
}

// subscribe asks the webhook for its consent, and returns what sends it an event until it has it.
// Forget is what goes wrong.
func (g *rig) subscribe(url, secret string) (deliver func()) {
	post := func(id, body string) int {
		stamp := strconv.FormatInt(time.Now().Unix(), 10)
		key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if g.forget == "secret" || g.forget == "secret of events" && !strings.HasPrefix(id, "msg_verification_") {
			key = []byte("another")
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + stamp + "." + body))
		r, _ := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		r.Header.Set("webhook-id", id)
		r.Header.Set("webhook-timestamp", stamp)
		r.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if g.forget != "challenge" {
		post("msg_verification_1", `{"type":"verification","challenge":"c"}`)
	}
	id := "e1"
	if g.forget == "id" {
		id = "msg_1"
	}
	const event = `{"eventId":"e1","name":"thing.done","data":{}}`
	return func() {
		if post(id, event) == http.StatusServiceUnavailable && g.forget != "retry" {
			post(id, event)
		}
	}
}

// result answers as an event stream, which is the harder way to read.
func (x *exchange) result(v any) {
	b, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "result": v})
	x.answer(200, "text/event-stream", ": hello\n\ndata: "+string(b)+"\n\n")
}

func (x *exchange) fault(status, code int, data any) {
	x.json(status, map[string]any{"jsonrpc": "2.0", "id": 1, "error": map[string]any{"code": code, "message": "no", "data": data}})
}

// inResult changes the result in an answer of the rig.
func (x *exchange) inResult(f func(map[string]any)) {
	_, data, ok := strings.Cut(x.w.Body.String(), "data: ")
	var m struct{ Result map[string]any }
	if ok && json.Unmarshal([]byte(data), &m) == nil && m.Result != nil {
		f(m.Result)
		x.result(m.Result)
	}
}

// inTools changes each tool of a list.
func (x *exchange) inTools(f func(map[string]any)) {
	x.inResult(func(m map[string]any) {
		for _, t := range objects(m["tools"]) {
			f(t)
		}
	})
}

func rigTools() []any {
	tool := func(name string, readOnly bool, required ...string) any {
		return map[string]any{
			"name": name, "title": name, "_meta": map[string]any{"ui": map[string]any{"resourceUri": "ui://rig/one"}, "ui/resourceUri": "ui://rig/one"},
			"inputSchema": map[string]any{"type": "object", "required": required},
			"annotations": map[string]any{"readOnlyHint": readOnly, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
		}
	}
	return []any{tool("fetch", true, "id"), tool("launch", false), tool("list", true), tool("search", true, "query")}
}

// callRig calls a tool; launch must not be called.
func callRig(name string, arguments map[string]any) map[string]any {
	switch {
	case name == "list":
		return exactly(map[string]any{"agents": []any{}})
	case name == "search" && arguments["query"] != nil:
		return exactly(map[string]any{"results": []any{map[string]any{"id": "1", "title": "One", "url": "https://example.com/1"}}})
	case name == "fetch" && arguments["id"] != nil:
		return exactly(map[string]any{"id": "1", "title": "One", "text": "words", "url": "https://example.com/1"})
	}
	return map[string]any{"isError": true, "content": []any{map[string]any{"type": "text", "text": "an argument is missing"}}}
}

func exactly(v map[string]any) map[string]any {
	b, _ := json.Marshal(v)
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": string(b)}}, "structuredContent": v}
}
