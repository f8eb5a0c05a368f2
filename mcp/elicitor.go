package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/revision"
	"rialto/mcp/internal/transport"
	"rialto/mcp/internal/wire"
)

// ErrNoAnswer is returned by Ask when the client did not answer in time, or with
// something else. If a handler returns it, the model learns that.
var ErrNoAnswer = errors.New("the question was not answered")

// errAsked ends a handler whose questions become the result of its request.
var errAsked = errors.New("the client is being asked")

// IsInputRequired tells whether an error is that of a handler which has asked, and is
// called again with the answer.
func IsInputRequired(err error) bool { return errors.Is(err, errAsked) }

// elicitor asks the client on behalf of one request.
type elicitor struct {
	r     *request
	given map[string]json.RawMessage // answers that came with the request
	asked []string                   // the keys of earlier questions, answered or not
	used  map[string]json.RawMessage // of given, the answers to questions that were asked
	open  []Question                 // asked since 2026-07-28, and not answered yet
}

// Ask asks the client and returns the answers, in the order of the questions. It serves clients of
// every revision. Those before 2026-07-28 are asked while the call waits. For the others, the
// questions become the result; the client repeats the request with the answers, the handler is
// called again from its beginning, and then Ask returns. So a handler
//
//   - returns the error of Ask at once,
//   - does nothing before Ask that must not happen twice, see Answered,
//   - asks the same question under the same key each time.
//
// A client that did not declare the capability is not asked: the error then is that of
// MissingCapability. Check with CanAsk whether there is another way. A handler
// withdraws its questions by canceling ctx with a cause. An answer is the client's word
// and proves nothing. Ask must not be called concurrently.
func (c *Call) Ask(ctx context.Context, questions ...Question) ([]Answer, error) {
	return c.elicitor.ask(ctx, questions)
}

// CanAsk tells whether the client declared that it takes such questions.
func (c *Call) CanAsk(questions ...Question) bool { return c.elicitor.refused(questions) == nil }

// UsesMultiRoundTripRequests tells whether this client answers by repeating the call, so that Ask does not wait.
func (c *Call) UsesMultiRoundTripRequests() bool { return c.elicitor == nil || c.elicitor.r.Modern() }

// Answered returns the keys of the answers that came with the request, and of earlier questions,
// answered or not, sorted. A handler that is called again finds out by them what it had done before
// it asked. They are the client's word: a handler checks whose they are.
func (c *Call) Answered() []string {
	if c.elicitor == nil || len(c.elicitor.given)+len(c.elicitor.asked) == 0 {
		return nil
	}
	keys := slices.AppendSeq(slices.Clone(c.elicitor.asked), maps.Keys(c.elicitor.given))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// refused returns the first question that the client must not be asked. A nil elicitor
// cannot ask at all.
func (a *elicitor) refused(questions []Question) *Question {
	for i, q := range questions {
		if a == nil || !(a.r.Modern() || a.r.CanAsk()) || !q.allowed(a.r.Client.Capabilities) {
			return &questions[i]
		}
	}
	return nil
}

func (a *elicitor) ask(ctx context.Context, questions []Question) ([]Answer, error) {
	answers := make([]Answer, len(questions))
	var missing []int
	for i, q := range questions {
		answer, ok := a.known(q)
		if !ok {
			missing = append(missing, i)
		}
		answers[i] = answer
	}

	if len(missing) == 0 {
		return answers, nil
	}
	if q := a.refused(questions); q != nil {
		return nil, wire.MissingCapability(q.required())
	}

	for _, i := range missing {
		if a.r.Modern() {
			a.open = append(a.open, questions[i])
			continue
		}
		answer, err := a.elicitAndWait(ctx, questions[i])
		if err != nil {
			return nil, err
		}
		answers[i] = answer
	}

	if len(a.open) > 0 {
		return nil, errAsked
	}

	return answers, nil
}

// known returns the answer that came with the request.
func (a *elicitor) known(q Question) (Answer, bool) {
	if a == nil {
		return Answer{}, false
	}
	answer, ok := q.Answer(a.given[q.key])
	if ok {
		a.used[q.key] = answer.Raw
	}
	return answer, ok
}

// elicitAndWait asks a client of before 2026-07-28 and waits for the answer.
func (a *elicitor) elicitAndWait(ctx context.Context, q Question) (Answer, error) {
	id := jsonrpc.StringID(rand.Text())
	params := q.params
	if q.url && revision.HasElicitationIDs(a.r.Client.Revision) {
		params = fmt.Appendf(nil, `{"elicitationId":%s,%s`, id, q.params[1:])
	}

	resp, err := a.r.Ask(ctx, &jsonrpc.Request{ID: id, Method: q.method, Params: params})
	switch {
	case errors.Is(err, transport.ErrTimeout):
		return Answer{}, ErrNoAnswer
	case err != nil:
		return Answer{}, err
	case resp.Error != nil: // not wrapped: it is not ours to answer with
		return Answer{}, fmt.Errorf("%w: %v", ErrNoAnswer, resp.Error)
	}

	answer, ok := q.Answer(resp.Result)
	if !ok {
		return Answer{}, ErrNoAnswer
	}

	return answer, nil
}
