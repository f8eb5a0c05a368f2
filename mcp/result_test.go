package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"rialto/mcp"
)

// Until SEP-2106 structured content was an object, and clients of older revisions
// refuse the whole result if it is not.
func TestStructuredContentThatIsNoObjectIsForTheCurrentEra(t *testing.T) {
	list := tool("list", func(context.Context, *mcp.Call) (*mcp.Result, error) {
		return &mcp.Result{Content: []mcp.Content{mcp.Text("[1,2]")}, Structured: []int{1, 2}}, nil
	})
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{list}})
	for _, era := range eras {
		c := &client{t: t, srv: srv, era: era}
		_, body := c.do("1", "tools/call", `"name":"list"`)
		if got := strings.Contains(body, `"structuredContent":[1,2]`); got != era.modern {
			t.Errorf("%s: got %s", era.name, body)
		}
	}
}

func TestMetaOfAResultIsShownInEveryEra(t *testing.T) {
	challenge := tool("challenge", func(context.Context, *mcp.Call) (*mcp.Result, error) {
		r := mcp.ErrorResult("log in")
		r.Meta = map[string]any{"mcp/www_authenticate": []string{`Bearer error="insufficient_scope"`}}
		return r, nil
	})
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{challenge}})
	for _, era := range eras {
		c := &client{t: t, srv: srv, era: era}
		_, body := c.do("1", "tools/call", `"name":"challenge"`)
		var m struct {
			Result struct {
				IsError bool
				Meta    map[string]json.RawMessage `json:"_meta"`
			}
		}
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			t.Fatal(err)
		}
		if len(m.Result.Meta["mcp/www_authenticate"]) == 0 || !m.Result.IsError {
			t.Errorf("%s: got %s, want the challenge", era.name, body)
		}
		if _, got := m.Result.Meta["io.modelcontextprotocol/serverInfo"]; got != era.modern {
			t.Errorf("%s: got server info %v", era.name, got)
		}
	}
}

func TestResultThatHasNoJSONIsAnInternalError(t *testing.T) {
	bad := tool("bad", func(context.Context, *mcp.Call) (*mcp.Result, error) {
		return &mcp.Result{Structured: func() {}}, nil
	})
	c := &client{t: t, srv: serve(t, &mcp.Server{Tools: []mcp.Tool{bad}}), era: eras[1]}
	if _, body := c.do("1", "tools/call", `"name":"bad"`); !strings.Contains(body, "-32603") || strings.Contains(body, "func") {
		t.Errorf("got %s, want an internal error that tells nothing", body)
	}
}
