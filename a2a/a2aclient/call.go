package a2aclient

import (
	"context"
	"net/http"
	"time"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// call makes a call and returns the result.
func (c *Client) call(ctx context.Context, q call, memory *reservation) ([]byte, error) {
	resp, err := c.post(ctx, q)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return c.result(ctx, q.route, resp, memory)
}

// invoke makes a call with parameters, or fails with err of their encoder, and decodes its result.
func invoke[T any](
	ctx context.Context,
	c *Client,
	q call,
	decode func([]byte) (T, error),
	err error,
) (T, error) {
	var result []byte
	memory := c.reservation()
	defer memory.close()
	if err == nil {
		result, err = c.call(ctx, q, memory)
	}

	if err != nil {
		var none T
		return none, err
	}

	v, err := decode(result)
	if err != nil {
		return v, undecodable(err)
	}

	return v, nil
}

// command makes a call whose answer says nothing but that it was done: some
// agents leave the result out then (a2a-go), or the whole body.
func (c *Client) command(ctx context.Context, q call) error {
	resp, err := c.post(ctx, q)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	memory := c.reservation()
	defer memory.close()
	_, err = c.result(ctx, q.route, resp, memory)
	if a2a.Is(err, a2a.InvalidAgentResponse) && resp.StatusCode/100 == 2 {
		return nil
	}

	return err
}

// noMethod holds what is said of agents whose generation lacks an operation.
var noMethod = map[wire.Op]string{
	wire.ExtendedCard: "an agent of A2A %s has no call for an extended card",
	wire.List:         "an agent of A2A %s cannot list its tasks",
	wire.PushList:     "an agent of A2A %s cannot list webhooks",
	wire.PushDelete:   "an agent of A2A %s cannot delete a webhook",
}

// post sends a call, unless the agent cannot have the method or has not worked for a while.
func (c *Client) post(ctx context.Context, q call) (*http.Response, error) {
	if unsupported := noMethod[q.op]; unsupported != "" && q.dialect.Method(q.op) == "" {
		return nil, a2a.Errorf(a2a.UnsupportedOperation, unsupported, q.dialect.Generation)
	}
	if err := c.broken.allow(time.Now(), c.dialed.Host); err != nil {
		return nil, err
	}
	if q.target == nil {
		return nil, notSent(
			a2a.Errorf(a2a.InvalidAgentResponse, "the agent's card has an invalid URL: %q", q.url),
		)
	}
	resp, err := c.do(
		func() (*http.Request, *http.Response, error) { return q.binding.send(ctx, c, q) },
	)
	if err != nil {
		c.broken.reportOutcome(err)
		return nil, err
	}
	_, declared := extensionsOf(ctx, c.card)
	if declared != nil {
		declared.Activate(wire.ExtensionsIn(resp.Header))
	}

	return resp, nil
}

// result reads the answer to a call. Whatever the HTTP status and content type,
// a body that the binding understands says what happened.
func (c *Client) result(
	ctx context.Context, r route, resp *http.Response, memory *reservation,
) ([]byte, error) {
	body, err := readBody(resp, c.dialer.maxBody(), memory)
	if err != nil {
		err = unreachable(ctx, r.target.Host, err)
		c.broken.reportOutcome(err)
		return nil, err
	}
	result, refusal, ok := r.binding.decode(r.dialect, resp.StatusCode, body)
	if !ok && resp.StatusCode/100 != 2 {
		err := statusError(resp, body)
		c.broken.reportOutcome(err)
		return nil, err
	}

	c.broken.reportOutcome(nil)
	switch {
	case !ok:
		return nil, invalidAnswer("the body is not %s but %s", r.binding.name(), describeBody(resp, body))
	case refusal != nil:
		return nil, fromResponse(refusal, resp)
	default:
		return result, nil
	}
}
