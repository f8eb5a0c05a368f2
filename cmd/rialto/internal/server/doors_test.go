package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// doors is a whole server with every door open: MCP with the task card, A2A over HTTP and
// gRPC, the REST API, events and the pages. The tests that use it hold a rule at all of them.
type doors struct {
	*rig
	calls *grpc.ClientConn
}

// newDoors starts one. The function completes its configuration.
func newDoors(t *testing.T, set func(*config.Config)) *doors {
	t.Helper()
	r := newRigWith(t, func(c *config.Config) {
		c.MCP.TaskCard, c.Links.ShareLinks, c.Serving.GRPC.Listen = config.TaskCardAlways, time.Hour, "127.0.0.1:0"
		c.Limits.RatePerUser = 10_000 // tests knock often
		set(c)
	})
	insecurely := grpc.WithTransportCredentials(insecure.NewCredentials())
	conn, err := grpc.NewClient(r.cfg.Load().Serving.GRPC.Address, insecurely)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &doors{r, conn}
}

// limitedTo returns a token of alice's for all doors, limited to use cases.
func (d *doors) limitedTo(useCases ...string) string {
	d.t.Helper()
	scopes := []string{oauth.ScopeDiscover, oauth.ScopePublish}
	for _, use := range useCases {
		scopes = append(scopes, oauth.ScopeTools+":"+use)
	}
	return d.token("alice", scopes...)
}

// sent is a request that a door is knocked at with.
type sent struct {
	method, path, body string
	headers            []string // NAME: VALUE
}

// to returns the request with other words in it: pairs of an old one and a new one.
func (s sent) to(pairs ...string) sent {
	words := strings.NewReplacer(pairs...)
	to := sent{s.method, words.Replace(s.path), words.Replace(s.body), nil}
	for _, h := range s.headers {
		to.headers = append(to.headers, words.Replace(h))
	}
	return to
}

// stillOpen ends what was read of an answer that did not end in time.
const stillOpen = "(still open)"

// read makes a request and returns the status, the headers and the body of the answer: all
// of it, or as much as ends with a word.
func (d *doors) read(token string, s sent, word string) (said string, header http.Header) {
	d.t.Helper()
	resp := d.open(token, s)
	defer resp.Body.Close()
	late := time.AfterFunc(10*time.Second, func() { resp.Body.Close() })
	defer late.Stop()
	var body bytes.Buffer
	for some := make([]byte, 4096); ; {
		n, err := resp.Body.Read(some)
		body.Write(some[:n])
		found := word != "" && strings.Contains(body.String(), word)
		if err != nil && !errors.Is(err, io.EOF) {
			body.WriteString(stillOpen)
		}
		if err != nil || found {
			return resp.Status + " " + body.String(), resp.Header
		}
	}
}

// open makes a request and returns the response, whose body the caller closes.
func (d *doors) open(token string, s sent) *http.Response {
	d.t.Helper()
	url := d.cfg.Load().URL + d.path(token, s.path)
	req, err := http.NewRequestWithContext(d.t.Context(), s.method, url, strings.NewReader(s.body))
	if err != nil {
		d.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if s.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range s.headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatalf("%s %s: %v", s.method, s.path, err)
	}
	return resp
}

// beside posts a request as a client of 2024-11-05, which reads the answer on the stream at /sse.
// It returns as much of the stream as ends with the answer or a word.
func (d *doors) beside(token string, s sent, word string) (said string) {
	d.t.Helper()
	stream := d.open(token, sent{method: "GET", path: "/sse", headers: []string{"Accept: text/event-stream"}})
	defer stream.Body.Close()
	late := time.AfterFunc(10*time.Second, func() { stream.Body.Close() })
	defer late.Stop()
	lines := bufio.NewScanner(stream.Body)
	for lines.Scan() {
		if at, ok := strings.CutPrefix(lines.Text(), "data: /"); ok {
			d.do("POST", "/"+at, token, s.body)
			continue
		}
		said += lines.Text() + "\n"
		if strings.Contains(said, word) || strings.Contains(said, `"id":1,`) {
			return said
		}
	}
	return said + stillOpen
}

// These are the revisions of MCP that the tests speak: one without sessions, and some before.
const (
	mcp2024 = "2024-11-05"
	mcp2025 = "2025-11-25"
	mcp2026 = "2026-07-28"
)

var mcpRevisions = []string{mcp2024, "2025-06-18", mcp2025, mcp2026}

// mcpRequest returns a request of a client that has the capabilities and wants progress. The
// params are members without braces.
func mcpRequest(t *testing.T, revision, method, params, capabilities string) sent {
	t.Helper()
	meta := `"progressToken":"p"`
	if revision == mcp2026 {
		meta += `,"io.modelcontextprotocol/protocolVersion":"` + revision + `"`
		meta += `,"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}`
		meta += `,"io.modelcontextprotocol/clientCapabilities":` + capabilities
	}
	var about struct{ Name, URI, TaskID string }
	if err := json.Unmarshal([]byte("{"+params+"}"), &about); err != nil {
		t.Fatalf("%s: %v", params, err)
	}
	if params != "" {
		params += ","
	}
	params += `"_meta":{` + meta + `}`
	s := sent{method: "POST", path: "/mcp"}
	s.body = `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
	s.headers = []string{"Accept: application/json, text/event-stream", "MCP-Protocol-Version: " + revision}
	if revision == mcp2026 {
		s.headers = append(s.headers, "Mcp-Method: "+method, "Mcp-Name: "+about.Name+about.URI+about.TaskID)
	}
	return s
}

// toolCall is mcpRequest for a tool.
func toolCall(t *testing.T, revision, tool, arguments, capabilities string) sent {
	t.Helper()
	return mcpRequest(t, revision, "tools/call", `"name":"`+tool+`","arguments":`+arguments, capabilities)
}

// session begins a session of an earlier revision and returns the header that names it.
func (d *doors) session(token, revision, capabilities string) string {
	d.t.Helper()
	params := `{"protocolVersion":"` + revision + `","capabilities":` + capabilities +
		`,"clientInfo":{"name":"test","version":"1"}}`
	got := d.do("POST", "/mcp", token, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":`+params+`}`,
		"Accept: application/json, text/event-stream")
	id := got.header.Get("Mcp-Session-Id")
	if id == "" {
		d.t.Fatalf("got %s, want a session", got.said())
	}
	return "Mcp-Session-Id: " + id
}

// grpcServices are the generations over gRPC: 1.0, whose tenant is the agent, and 0.3, which
// reaches the primary agent.
const (
	grpc10 = "lf.a2a.v1.A2AService"
	grpc03 = "a2a.v1.A2AService"
)

// invoke calls a method over gRPC with a request written as JSON. It returns the bytes of all
// messages that come back and the status with its details, or as much as ends with a word.
func (d *doors) invoke(token, service, method, request, word string) string {
	d.t.Helper()
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		d.t.Fatal(err)
	}
	m := found.(protoreflect.ServiceDescriptor).Methods().ByName(protoreflect.Name(method))
	in := dynamicpb.NewMessage(m.Input())
	if err := protojson.Unmarshal([]byte(request), in); err != nil {
		d.t.Fatalf("%s %s: %v", method, request, err)
	}
	ctx := metadata.AppendToOutgoingContext(d.t.Context(), "authorization", "Bearer "+token)
	call, err := d.calls.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/"+service+"/"+method,
		grpc.ForceCodec(rawAnswers{}))
	if err == nil {
		err = errors.Join(call.SendMsg(in), call.CloseSend())
	}
	said := ""
	for err == nil {
		var message []byte
		err = call.RecvMsg(&message)
		said += string(message)
		if word != "" && strings.Contains(said, word) {
			return said
		}
	}
	if !errors.Is(err, io.EOF) {
		said += status.Convert(err).Proto().String()
	}
	return said
}

// rawAnswers writes messages and leaves those that come back as they are.
type rawAnswers struct{}

func (rawAnswers) Marshal(v any) ([]byte, error) { return proto.Marshal(v.(proto.Message)) }

func (rawAnswers) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}

func (rawAnswers) Name() string { return "proto" }
