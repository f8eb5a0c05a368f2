package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"rialto/internal/jsonrpc"
	"rialto/mcp"
	"rialto/mcp/mcptest"
	"rialto/mcp/mcptest/wire"
)

const manySchema = `{"type":"object","required":["agent","parts"],"properties":{
	"agent":{"type":"string","description":"The agent's name.\nSee list_agents.","examples":["weather"]},
	"parts":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"object","required":["text"],"properties":{"text":{"type":"string","maxLength":5},"n":{"type":["integer","null"]}}}},
	"mode":{"type":"string","enum":["fast","slow"],"default":"fast"},
	"limit":{"type":"number","minimum":1,"maximum":50},
	"any":true,"ref":{"$ref":"#/$defs/x"},"deep":{"type":"object","additionalProperties":false}}}`

// called returns what the model reads about arguments, "" if they reach the tool.
func called(t *testing.T, arguments string) string {
	t.Helper()
	reached := tool("send", func(context.Context, *mcp.Call) (*mcp.Result, error) { return text(""), nil })
	reached.InputSchema = json.RawMessage(manySchema)
	c := &client{t: t, srv: serve(t, &mcp.Server{Tools: []mcp.Tool{reached}}), era: eras[0]}
	_, body := c.do("1", "tools/call", `"name":"send","arguments":`+arguments)
	var m struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil || len(m.Result.Content) != 1 {
		t.Fatalf("%v in %s", err, body)
	}
	if told := m.Result.Content[0].Text; m.Result.IsError == (told == "") {
		t.Fatalf("got isError %v and %q", m.Result.IsError, told)
	}
	return m.Result.Content[0].Text
}

func TestArgumentsThatAreRightReachTheTool(t *testing.T) {
	for _, arguments := range []string{
		`{"agent":"a","parts":[{"text":"b"}]}`,
		`{"agent":"a","parts":[{"text":"äöüßé","n":null},{"text":"b","n":2}],"mode":"slow","limit":1.5}`,
		`{"agent":"a","parts":[{"text":"b"}],"mode":null,"limit":null}`,
		`{"agent":"a","parts":[{"text":"b"}],"any":[1],"ref":{"what":"ever"},"more":1}`,
		` { "agent" : "a" , "parts" : [ { "text" : "b" } ] , "mode" : "f\u0061st" } `,
	} {
		if told := called(t, arguments); told != "" {
			t.Errorf("%s: %s", arguments, told)
		}
	}
}

func TestArgumentsThatAreWrongAreExplained(t *testing.T) {
	long, many := strings.Repeat("x", 300), ""
	for i := range 30 {
		many += fmt.Sprintf(`,"more%d":"%s"`, i, long)
	}
	for arguments, want := range map[string][2]string{ // what is wrong, and the corrected arguments
		`{}`:                         {`"agent" is missing, a string: The agent's name.` + "\n" + `- "parts" is missing, an array`, ``},
		`{"agent":null,"parts":[]}`:  {`"agent" must be a string, not null` + "\n" + `- "parts" must not be empty`, ``},
		`{"agent":"a","parts":"hi"}`: {`"parts" must be an array, not a string ("hi")`, `{"agent":"a","parts":[{"text":"..."}]}`},
		`{"agent":"a","parts":[{}]}`: {`"parts[0].text" is missing, a string`, `{"agent":"a","parts":[{"text":"..."}]}`},
		`{"agent":"a","parts":[{"text":"toolong","n":2}]}`:               {`"parts[0].text" may have at most 5 characters, and has 7`, `{"agent":"a","parts":[{"text":"...","n":2}]}`},
		`{"agent":"a","parts":[{"text":"b","n":"x"}]}`:                   {`"parts[0].n" must be an integer or null, not a string ("x")`, `{"agent":"a","parts":[{"text":"b","n":1}]}`},
		`{"agent":"a","parts":[{"text":"b"},{"text":"c"},{"text":"d"}]}`: {`"parts" may have at most 2 items, and has 3`, `{"agent":"a","parts":[{"text":"b"},{"text":"c"}]}`},
		`{"agent":"a","mode":"medium","parts":[{"text":"b"}]}`:           {`"mode" must be one of "fast", "slow", not a string ("medium")`, `{"agent":"a","mode":"fast","parts":[{"text":"b"}]}`},
		`{"agent":"a","parts":[{"text":"b"}],"limit":0}`:                 {`"limit" must be at least 1, and is 0`, `{"agent":"a","parts":[{"text":"b"}],"limit":1}`},
		`{"agent":"a","parts":[{"text":"b"}],"limit":51}`:                {`"limit" may be at most 50, and is 51`, `{"agent":"a","parts":[{"text":"b"}],"limit":50}`},
		`{"agent":"a","parts":[{"text":"b"}],"limit":1e400}`:             {`"limit" may be at most 50, and is 1e400`, `{"agent":"a","parts":[{"text":"b"}],"limit":1}`},
		`{"agent":"a","parts":[{"text":"b"}],"limit":-1e400}`:            {`"limit" must be at least 1, and is -1e400`, `{"agent":"a","parts":[{"text":"b"}],"limit":1}`},
		`{"agent":"a","parts":[{"text":"b"}],"limit":"many"}`:            {`"limit" must be a number, not a string ("many")`, `{"agent":"a","parts":[{"text":"b"}],"limit":1}`},
		`{"agent":"a","parts":[{"text":"b"}],"deep":{"a":1},"more":[2]}`: {`"deep.a" is not known: none are taken here`, `{"agent":"a","parts":[{"text":"b"}],"deep":{},"more":[2]}`},
		`{"agent":"` + long + `","parts":{"text":"b"}}`:                  {`"parts" must be an array, not an object`, `{"agent":"` + long[:200] + `...","parts":[{"text":"..."}]}`},
		`{"agent":"a","any":["` + long + `"],"limit":0,"parts":[{"text":"b"}]}`: {`"limit" must be at least 1, and is 0`,
			`{"agent":"a","any":"...","limit":1,"parts":[{"text":"b"}]}`},
		// too much to repeat
		`{"agent":"a","parts":[]` + many + `}`: {`"parts" must not be empty`, ``},
	} {
		told := called(t, arguments)
		if !strings.Contains(told, "- "+want[0]+"\n") {
			t.Errorf("%s: got %q, want in it %q", arguments, told, want[0])
		}
		if want[1] == "" {
			want[1] = `{"agent":"weather","parts":[{"text":"..."}]}`
		}
		_, example, _ := strings.Cut(told, "Valid arguments, for example: ")
		if example != want[1] {
			t.Errorf("%s: got the example %s, want %s", arguments, example, want[1])
		}
		if said := called(t, example); said != "" {
			t.Errorf("%s: the example is refused: %s", arguments, said)
		}
	}
}

// TestNumbersAndBooleansMayBeStrings: models send {"wait":"5"}.
func TestNumbersAndBooleansMayBeStrings(t *testing.T) {
	got := make(chan string, 1)
	reached := tool("send", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		got <- string(c.Arguments)
		return text(""), nil
	})
	reached.InputSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
		"wait":{"type":"number","minimum":0,"maximum":240},"n":{"type":["integer","null"]},"yes":{"type":"boolean"},"both":{"type":["string","number"]},
		"text":{"type":"string"},"few":{"enum":["1","2"]},"in":{"type":"object","properties":{"n":{"type":"integer"}}},"all":{"type":"array","items":{"type":"number"}}}}`)
	c := &client{t: t, srv: serve(t, &mcp.Server{Tools: []mcp.Tool{reached}}), era: eras[0]}
	for arguments, want := range map[string]string{
		`{"wait":"5"}`:                   `{"wait":5}`,
		`{"wait":" 0.5 ","text":"5"}`:    `{"wait":0.5,"text":"5"}`,
		`{"n":"20","yes":"true"}`:        `{"n":20,"yes":true}`,
		`{"yes":"False","both":"1"}`:     `{"yes":false,"both":"1"}`,
		`{"in":{"n":"-1","\u0061":"2"}}`: `{"in":{"n":-1,"a":"2"}}`,
		`{"all":["1","2e1",3]}`:          `{"all":[1,2e1,3]}`,
		`{"text":"5","few":"1"}`:         `{"text":"5","few":"1"}`,
		`{"n":"1.5"}`:                    ``,
		`{"wait":"500"}`:                 ``,
		`{"wait":"soon"}`:                ``,
		`{"wait":""}`:                    ``,
		`{"wait":"0x10"}`:                ``,
		`{"wait":"true"}`:                ``,
		`{"yes":"yes"}`:                  ``,
		`{"yes":"1"}`:                    ``,
		`{"n":"null"}`:                   ``,
		`{"in":"{\"n\":1}"}`:             ``,
	} {
		_, body := c.do("1", "tools/call", `"name":"send","arguments":`+arguments)
		if refused := strings.Contains(body, `"isError":true`); refused != (want == "") {
			t.Errorf("%s: got %s", arguments, body)
		}
		if want != "" {
			if args := <-got; args != want {
				t.Errorf("%s: got %s, want %s", arguments, args, want)
			}
		}
	}
}

// A schema may allow what a program cannot hold.
func TestArgumentsThatCannotBeHeldAreExplained(t *testing.T) {
	loose := tool("loose", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		var args struct {
			Wait  float64 `json:"wait"`
			Count int     `json:"count"`
			Files []struct {
				Bytes []byte `json:"bytes"`
			} `json:"files"`
		}
		if wrong := c.Decode(&args); wrong != nil {
			return wrong, nil
		}
		return text(""), nil
	})
	c := &client{t: t, srv: serve(t, &mcp.Server{Tools: []mcp.Tool{loose}}), era: eras[0]}
	for arguments, want := range map[string]string{
		`{"wait":1e400}`:                           `"wait" is a number that is too large, or not written as a whole one`,
		`{"count":1.5}`:                            `"count" is a number that is too large, or not written as a whole one`,
		`{"count":100000000000000000000}`:          `"count" is a number that is too large, or not written as a whole one`,
		`{"count":20.0}`:                           ``,
		`{"count":2e1,"wait":0.5}`:                 ``,
		`{"files":[{"bytes":"QQ=="},{"bytes":1}]}`: `"files[1].bytes" is a number`,
		`{"files":[{"bytes":"?"}]}`:                `"files[0].bytes" must be base64`,
		`{"files":{}}`:                             `"files" cannot be an object`,
		`{"wait":1,"count":2,"files":[{"bytes":"QUJD\nREVG"}],"more":[]}`: ``,
	} {
		_, body := c.do("1", "tools/call", `"name":"loose","arguments":`+arguments)
		if want != "" {
			want = string(jsonrpc.AppendString(nil, "Invalid arguments for loose:\n- "+want))
		}
		if !strings.Contains(body, strings.TrimSuffix(want, `"`)) || strings.Contains(body, "isError") != (want != "") {
			t.Errorf("%s: got %s, want in it %s", arguments, body, want)
		}
	}
}

func TestExampleIsOfTheTypesThatTheSchemaNames(t *testing.T) {
	all := tool("all", nil)
	all.Call = func(context.Context, *mcp.Call) (*mcp.Result, error) { return text(""), nil }
	all.InputSchema = json.RawMessage(`{"type":"object","required":["s","i","m","b","n","a","o","e","d","x","r","deep"],"properties":{
		"s":{"type":"string"},"i":{"type":"integer"},"m":{"type":"number","minimum":0.5},"b":{"type":"boolean"},"n":{"type":"null"},
		"a":{"type":"array","items":{"type":"integer"}},"o":{"type":"object"},"e":{"enum":["one","two"]},"d":{"type":"string","default":"def"},
		"x":true,"deep":{"type":"object","required":["in"],"properties":{"in":{"type":["integer","string"]}}}}}`)
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{all}})
	c := &client{t: t, srv: srv, era: eras[0]}
	_, body := c.do("1", "tools/call", `"name":"all"`)
	want := `{"s":"...","i":1,"m":0.5,"b":true,"n":null,"a":[1],"o":{},"e":"one","d":"def","x":"...","r":"...","deep":{"in":1}}`
	quoted, _ := json.Marshal(want) // a string always has a JSON form
	if !strings.Contains(body, strings.Trim(string(quoted), `"`)) {
		t.Fatalf("got %s, want in it %s", body, want)
	}
	if _, body = c.do("2", "tools/call", `"name":"all","arguments":`+want); strings.Contains(body, "isError") {
		t.Errorf("the example is refused: %s", body)
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{}`, `{"agent":1,"parts":[{"n":1e400}]}`, `{"deep":{"\u0000":[]}}`, `[]`, `"x"`, `1.e`, `null`} {
		f.Add(s)
	}
	reached := tool("send", func(context.Context, *mcp.Call) (*mcp.Result, error) { return text(""), nil })
	reached.InputSchema = json.RawMessage(manySchema)
	s := &mcp.Server{Info: mcp.Implementation{Name: "a", Version: "1"}, Tools: []mcp.Tool{reached}}
	f.Fuzz(func(t *testing.T, arguments string) {
		answer(t, s, "2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send","arguments":`+arguments+`}}`)
	})
}

func FuzzMessage(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":"\ud800","method":"tools/call","params":{"name":"echo","arguments":{"text":"a"},"_meta":{"progressToken":1.0}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `[]`, `{"jsonrpc":"2.0","id":1,"result":1}`,
	} {
		f.Add("2025-11-25", s)
		f.Add("2026-07-28", s)
	}
	s := &mcp.Server{Info: mcp.Implementation{Name: "a", Version: "1"}, Tools: mcptest.Tools(), SessionKey: []byte("k"), Limits: mcp.Limits{ListenFor: 1}}
	f.Fuzz(func(t *testing.T, revision, body string) { answer(t, s, revision, body) })
}

// answer posts a body and fails unless the response is empty or a complete JSON-RPC
// message.
func answer(t *testing.T, s *mcp.Server, revision, body string) {
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", revision)
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, r)
	if rec.Code == 500 || rec.Code == 202 && rec.Body.Len() > 0 {
		t.Fatalf("got %d %s for %q", rec.Code, rec.Body, body)
	}
	all := wire.Messages(rec.Header().Get("Content-Type"), rec.Body.Bytes())
	if len(all) == 0 && rec.Code != 202 {
		t.Fatalf("got %d and nothing for %q", rec.Code, body)
	}
	for _, m := range all {
		if !json.Valid(m) {
			t.Fatalf("got %q for %q", m, body)
		}
	}
}
