package a2aclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// rest is the binding HTTP+JSON.
type rest struct{ overHTTP }

func (rest) name() a2a.Binding { return a2a.HTTPJSON }

func (rest) dialects() []*wire.Dialect { return wire.RESTDialects() }

func (b rest) send(
	ctx context.Context, c *Client, q call,
) (*http.Request, *http.Response, error) {
	req, err := b.request(ctx, c, q)
	return b.carry(c, q, req, err)
}

// request puts what the call says of a task into the path, and a message into the body.
func (rest) request(ctx context.Context, c *Client, q call) (*http.Request, error) {
	method, path, err := q.restPath()
	if err != nil {
		return nil, err
	}

	if q.op == wire.Subscribe && q.subscribeByPOST {
		method = http.MethodPost
	}

	var body []byte
	if q.op == wire.Send || q.op == wire.Stream || q.op == wire.PushSet {
		body = q.params
	}

	target, err := below(*q.target, path)
	if err != nil {
		return nil, err
	}

	return c.newRequest(ctx, method, target, body)
}

// restPath returns the HTTP method and the path that say of the call what its body does not.
func (q call) restPath() (method, path string, err error) {
	var task a2a.TaskQuery
	query := ""
	switch q.op {
	case wire.Send, wire.Stream, wire.ExtendedCard:
	case wire.List:
		query = listQuery(q.params)
	case wire.PushSet, wire.PushGet, wire.PushList, wire.PushDelete:
		id, err := q.dialect.DecodePushID(q.op, q.params, wire.PushID{})
		method, path = q.dialect.RESTPushPath(q.op, id, q.tenant)
		return method, path, err
	default:
		task, err = q.dialect.DecodeQuery(q.params)
	}

	method, path = q.dialect.RESTPath(q.op, task, q.tenant)
	return method, path + query, err
}

// listQuery returns the parameters of a call that lists tasks as a query. The
// tenant stands in the path.
func listQuery(params []byte) string {
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

func (rest) target(_ *url.URL, raw string) *url.URL { return anyTarget(raw) }

// anyTarget returns the URL that raw is, or nil.
func anyTarget(raw string) *url.URL {
	u, err := url.Parse(raw)
	if err != nil {
		return nil
	}

	u.Fragment = ""
	u.RawFragment = ""
	return u
}

// below returns the URL of path, which is escaped, below base, whose query is kept.
func below(base url.URL, path string) (url.URL, error) {
	path, query, _ := strings.Cut(path, "?")
	escaped := strings.TrimSuffix(base.EscapedPath(), "/") + path
	u := base
	u.RawQuery = strings.Trim(query+"&"+base.RawQuery, "&")
	u.Path = escaped
	u.RawPath = ""
	if !strings.Contains(escaped, "%") {
		return u, nil
	}

	var err error
	u.RawPath = escaped
	u.Path, err = url.PathUnescape(escaped)
	return u, err
}

// decode takes any object for a result that is not an error, and any list: what
// it is, is for the dialect to say. One without the word needs no second look.
func (rest) decode(d *wire.Dialect, status int, body []byte) ([]byte, *a2a.Error, bool) {
	var in struct {
		Error json.RawMessage `json:"error"`
	}

	accepted := status/100 == 2
	switch {
	case accepted && bytes.HasPrefix(body, []byte("[")) && json.Valid(body):
		return body, nil, true
	case accepted && bytes.HasPrefix(body, []byte("{")) && !bytes.Contains(body, []byte(`"error"`)):
		return body, nil, true
	case json.Unmarshal(body, &in) != nil:
		return nil, nil, false
	case accepted && len(in.Error) == 0:
		return body, nil, true
	}

	refusal := d.DecodeRESTError(status, body)
	return nil, refusal, refusal != nil
}

// noSuchPath reports whether nothing is at a path, or nothing that takes GET.
func noSuchPath(resp *http.Response) bool {
	return resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed
}
