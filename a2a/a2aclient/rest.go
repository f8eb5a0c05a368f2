package a2aclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// rest is the binding HTTP+JSON.
type rest struct{}

func (rest) name() a2a.Binding { return a2a.HTTPJSON }

func (rest) client(d *Dialer) *http.Client { return d.http() }

func (rest) dialects() []*wire.Dialect { return wire.RESTDialects() }

// request puts what the call says of a task into the path, and a message into
// the body.
func (rest) request(ctx context.Context, c *Client, r route, op wire.Op, params json.RawMessage) (*http.Request, error) {
	var q a2a.TaskQuery
	var body io.Reader
	var err error
	switch op {
	case wire.Send, wire.Stream:
		body = bytes.NewReader(params)
	case wire.List, wire.ExtendedCard:
	default:
		if q, err = r.dialect.DecodeQuery(params); err != nil {
			return nil, err
		}
	}
	method, path := r.dialect.RESTPath(op, q, r.tenant)
	if op == wire.List {
		path += listQuery(params)
	}
	target, err := below(r.url, path)
	if err != nil {
		return nil, a2a.Errorf(a2a.InvalidAgentResponse, "the agent's card names a URL that is none: %q", r.url)
	}
	req, err := c.newRequest(ctx, method, target, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// listQuery returns the parameters of a call that lists tasks as a query. The
// tenant stands in the path.
func listQuery(params json.RawMessage) string {
	var members map[string]any
	if json.Unmarshal(params, &members) != nil || len(members) == 0 {
		return ""
	}
	delete(members, "tenant")
	query := url.Values{}
	for k, v := range members {
		query.Set(k, fmt.Sprint(v))
	}
	return "?" + query.Encode()
}

// below returns the URL of path below base, whose query is kept.
func below(base, path string) (string, error) {
	u, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	query := u.RawQuery
	u.RawQuery, u.Fragment = "", ""
	target := strings.TrimSuffix(u.String(), "/") + path
	if query == "" {
		return target, nil
	}
	if strings.Contains(path, "?") {
		return target + "&" + query, nil
	}
	return target + "?" + query, nil
}

// decode takes any object for a result that is not an error: what it is, is
// for the dialect to say. One without the word needs no second look.
func (rest) decode(d *wire.Dialect, status int, body []byte) (json.RawMessage, *a2a.Error, bool) {
	if status/100 == 2 && bytes.HasPrefix(body, []byte("{")) && !bytes.Contains(body, []byte(`"error"`)) {
		return body, nil, true
	}
	var in struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &in) != nil {
		return nil, nil, false
	}
	if status/100 == 2 && len(in.Error) == 0 {
		return body, nil, true
	}
	refusal := d.DecodeRESTError(status, body)
	return nil, refusal, refusal != nil
}

// noSuchPath reports whether nothing is at a path, or nothing that takes GET.
func noSuchPath(resp *http.Response) bool {
	return resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed
}

// postSubscription subscribes as the texts of 0.3 and 1.0 have it. Their
// protocol buffers, and most servers, say GET, so that is tried first.
func (c *Client) postSubscription(ctx context.Context, r route, params json.RawMessage) (*http.Response, error) {
	r.binding = posted{}
	return c.post(ctx, r, wire.Subscribe, params)
}

// posted is the binding HTTP+JSON with POST.
type posted struct{ rest }

func (p posted) request(ctx context.Context, c *Client, r route, op wire.Op, params json.RawMessage) (*http.Request, error) {
	req, err := p.rest.request(ctx, c, r, op, params)
	if err == nil {
		req.Method = http.MethodPost
	}
	return req, err
}
