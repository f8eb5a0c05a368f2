package bridgebench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	theirs "github.com/a2aproject/a2a-go/v2/a2a"
	theirclient "github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/google/uuid"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rialto/cmd/rialto/internal/bench/harness"
)

// httpClient keeps a connection to the agent for each call that runs at a time.
func httpClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
}

// handWritten is the handler that one writes who needs just this call: it posts
// the message and says what came back. It knows nothing of sessions, of errors
// beyond that there was one, or of tasks that take longer.
func handWritten(agentURL string, _ harness.Era) (http.Handler, error) {
	h := httpClient()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Arguments struct {
					Message string `json:"message"`
				} `json:"arguments"`
			} `json:"params"`
		}
		if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&call); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if call.ID == nil { // a notification
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result := any(map[string]any{"protocolVersion": harness.Legacy, "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": "bench", "version": "1"}})
		if call.Method == "tools/call" {
			text, err := post(r.Context(), h, agentURL, call.Params.Arguments.Message)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
				return
			}
			result = map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}
		}
		b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": result})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(b)
	}), nil
}

// post sends the agent a message and returns what it made of it.
func post(ctx context.Context, h *http.Client, url, text string) (string, error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": uuid.NewString(), "method": "SendMessage", "params": map[string]any{
		"message": map[string]any{"messageId": uuid.NewString(), "role": "ROLE_USER", "parts": []any{map[string]any{"text": text}}},
	}})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("A2A-Version", "1.0")
	res, err := h.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return "", err
	}
	var answer struct {
		Result struct {
			Task struct {
				Artifacts []struct{ Parts []struct{ Text string } }
			}
		}
	}
	if err := json.Unmarshal(b, &answer); err != nil {
		return "", err
	}
	if a := answer.Result.Task.Artifacts; len(a) == 1 && len(a[0].Parts) == 1 {
		return a[0].Parts[0].Text, nil
	}
	return "", fmt.Errorf("got %s", b)
}

type sendArgs struct {
	Message string `json:"message"`
}

// sdks is the handler that one gets from go-sdk and a2a-go as their examples show
// them: with sessions for clients that have them, and without for the others.
func sdks(agentURL string, e harness.Era) (http.Handler, error) {
	return sdkHandler(agentURL, nil, &gosdk.StreamableHTTPOptions{Stateless: e == harness.Current})
}

// tunedSDKs is the same with the fastest settings: answers
// in JSON instead of in streams, and a connection for each call.
func tunedSDKs(agentURL string, e harness.Era) (http.Handler, error) {
	return sdkHandler(agentURL, httpClient(), &gosdk.StreamableHTTPOptions{Stateless: e == harness.Current, JSONResponse: true})
}

func sdkHandler(agentURL string, h *http.Client, o *gosdk.StreamableHTTPOptions) (http.Handler, error) {
	agent, err := theirclient.NewFromEndpoints(context.Background(),
		[]*theirs.AgentInterface{theirs.NewAgentInterface(agentURL, theirs.TransportProtocolJSONRPC)}, theirclient.WithJSONRPCTransport(h))
	if err != nil {
		return nil, err
	}
	s := gosdk.NewServer(&gosdk.Implementation{Name: "bench", Version: "1"}, nil)
	gosdk.AddTool(s, &gosdk.Tool{Name: "send_task", Description: "Sends a message to an agent."},
		func(ctx context.Context, _ *gosdk.CallToolRequest, in sendArgs) (*gosdk.CallToolResult, any, error) {
			r, err := agent.SendMessage(ctx, &theirs.SendMessageRequest{Message: theirs.NewMessage(theirs.MessageRoleUser, theirs.NewTextPart(in.Message))})
			if err != nil {
				return nil, nil, err
			}
			t, ok := r.(*theirs.Task)
			if !ok || len(t.Artifacts) != 1 {
				return nil, nil, errors.New("the agent has made nothing")
			}
			return &gosdk.CallToolResult{Content: []gosdk.Content{&gosdk.TextContent{Text: t.Artifacts[0].Parts[0].Text()}}}, nil, nil
		})
	return gosdk.NewStreamableHTTPHandler(func(*http.Request) *gosdk.Server { return s }, o), nil
}
