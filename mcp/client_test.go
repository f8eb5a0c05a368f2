package mcp_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rialto/internal/sse"
	"rialto/mcp"
)

// era is how a client of one era asks.
type era struct {
	name   string
	modern bool
}

var eras = []era{{"2025-11-25", false}, {"2026-07-28", true}}

// byHeader is the Access of a server whose requests name their principal in the header Who.
type byHeader struct{ mcp.Anyone }

func (byHeader) Principal(r *http.Request) string { return r.Header.Get("Who") }

// serve serves tools, with sessions and principals as in transcripts.
func serve(t testing.TB, s *mcp.Server) *httptest.Server {
	t.Helper()
	s.Info = mcp.Implementation{Name: "test", Version: "1"}
	if s.Access == nil {
		s.Access = byHeader{}
	}
	if s.SessionKey == nil {
		s.SessionKey = []byte("0123456789abcdef0123456789abcdef")
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(observed(t, s))
	t.Cleanup(srv.Close)
	return srv
}

// tool returns a tool without arguments that does what call does.
func tool(name string, call func(context.Context, *mcp.Call) (*mcp.Result, error)) mcp.Tool {
	return mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`), Call: call}
}

func text(s string) *mcp.Result { return &mcp.Result{Content: []mcp.Content{mcp.Text(s)}} }

// client is one client of the server.
type client struct {
	t            testing.TB
	srv          *httptest.Server
	era          era
	who, session string
	capabilities string // of the current era; "" means none
}

// request returns a request for method, with params as JSON without braces.
func (c *client) request(ctx context.Context, id, method, params string) *http.Request {
	c.t.Helper()
	var name struct{ Name, TaskID, URI string }
	if c.era.modern {
		_ = json.Unmarshal([]byte("{"+params+"}"), &name)
		_, progress, _ := strings.Cut(params, `"_meta":{`)
		params, _, _ = strings.Cut(params, `"_meta":{`)
		if params != "" && !strings.HasSuffix(params, ",") {
			params += ","
		}
		params += `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + cmp.Or(c.capabilities, "{}")
		if progress != "" {
			params += "," + strings.TrimSuffix(progress, "}")
		}
		params += "}"
	}
	if id != "" {
		id = `"id":` + id + `,`
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":%q,"params":{%s}}`, id, method, params)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.srv.URL, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {c.era.name}, "Who": {c.who},
	}
	if c.era.modern {
		r.Header.Set("Mcp-Method", method)
		if about := name.Name + name.TaskID + name.URI; about != "" {
			r.Header.Set("Mcp-Name", about)
		}
	}
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	return r
}

// do sends a request and returns the answer with its body read.
func (c *client) do(id, method, params string) (*http.Response, string) {
	c.t.Helper()
	res, err := c.srv.Client().Do(c.request(context.Background(), id, method, params))
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res, string(b)
}

// initialize begins a session.
func (c *client) initialize() *client {
	c.t.Helper()
	res, body := c.do("0", "initialize", `"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{}},"clientInfo":{"name":"probe","version":"2"}`)
	if c.session = res.Header.Get("Mcp-Session-Id"); c.session == "" {
		c.t.Fatalf("got no session: %s", body)
	}
	return c
}

// events returns the data of the events in a body, but for the first of a
// stream that can be resumed, which has none.
func events(t testing.TB, body string) (all []string) {
	t.Helper()
	for r := sse.NewReader(bytes.NewReader([]byte(body))); ; {
		e, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Data) > 0 {
			all = append(all, string(e.Data))
		}
	}
}

func readAll(t testing.TB, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
