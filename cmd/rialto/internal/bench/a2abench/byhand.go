package a2abench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/google/uuid"

	"rialto/a2a"
)

// byHand is the client that one writes who needs just these calls, of one agent.
type byHand struct {
	http *http.Client
	rpc  bool
	url  string
}

func openByHand(ctx context.Context, h *http.Client, b binding, url string) (client, error) {
	if b == a2a.GRPC {
		return openStub(ctx, h, url)
	}
	return &byHand{h, b == a2a.JSONRPC, url}, nil
}

type (
	text    struct{ Text string }
	texts   struct{ Parts []text }
	message struct {
		MessageID string              `json:"messageId"`
		Role      string              `json:"role"`
		Parts     []map[string]string `json:"parts"`
	}
	status struct {
		State     string
		Message   *texts
		Timestamp string
	}
	task struct {
		ID, ContextID string
		Status        status
		Artifacts     []texts
		History       []texts
	}
	answer struct { // or an event
		Task           *task
		StatusUpdate   *struct{ Status status }
		ArtifactUpdate *struct{ Artifact texts }
	}
	call struct {
		JSONRPC string `json:"jsonrpc"`
		ID      string `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}
	reply[T any] struct {
		Result T
		Error  *struct {
			Code    int
			Message string
		}
	}
)

func handHello() any {
	return map[string]any{"message": message{uuid.NewString(), "ROLE_USER", []map[string]string{{"text": "hello"}}}}
}

// do makes a call, over whichever binding.
func (c *byHand) do(ctx context.Context, rpc, method, path string, params any) (*http.Response, error) {
	url := c.url + path
	if c.rpc {
		method, url, params = http.MethodPost, c.url, call{"2.0", uuid.NewString(), rpc, params}
	}
	var body io.Reader
	if method == http.MethodPost {
		b, err := json.Marshal(params)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("A2A-Version", "1.0")
	resp, err := c.http.Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		err = fmt.Errorf("got %s", resp.Status)
	}
	return resp, err
}

// read decodes an answer or an event.
func read[T any](c *byHand, b []byte) (T, error) {
	var r reply[T]
	if !c.rpc {
		return r.Result, json.Unmarshal(b, &r.Result)
	}
	err := json.Unmarshal(b, &r)
	if err == nil && r.Error != nil {
		err = fmt.Errorf("%d: %s", r.Error.Code, r.Error.Message)
	}
	return r.Result, err
}

func ask[T any](ctx context.Context, c *byHand, rpc, method, path string, params any) (T, error) {
	var none T
	resp, err := c.do(ctx, rpc, method, path, params)
	if err != nil {
		return none, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return none, err
	}
	return read[T](c, b)
}

func (t *task) check() error {
	if t == nil || len(t.Artifacts) != 1 || t.Artifacts[0].Parts[0].Text != "hello" {
		return wrong(t)
	}
	return nil
}

func (c *byHand) send(ctx context.Context) (string, error) {
	got, err := ask[answer](ctx, c, "SendMessage", http.MethodPost, "/message:send", handHello())
	if err == nil {
		err = got.Task.check()
	}
	if err != nil {
		return "", err
	}
	return got.Task.ID, nil
}

func (c *byHand) get(ctx context.Context, id string) error {
	got, err := ask[task](ctx, c, "GetTask", http.MethodGet, "/tasks/"+id, map[string]string{"id": id})
	if err != nil {
		return err
	}
	return got.check()
}

func (c *byHand) stream(ctx context.Context) error {
	resp, err := c.do(ctx, "SendStreamingMessage", http.MethodPost, "/message:stream", handHello())
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	said, ended := "", false
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue
		}
		e, err := read[answer](c, data)
		switch {
		case err != nil:
			return err
		case e.ArtifactUpdate != nil:
			said = e.ArtifactUpdate.Artifact.Parts[0].Text
		case e.StatusUpdate != nil:
			ended = e.StatusUpdate.Status.State == "TASK_STATE_COMPLETED"
		}
	}
	if said != "hello" || !ended {
		return wrong(said)
	}
	return lines.Err()
}
