package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// ErrNoAnswer is returned by Ask when the client did not answer in time, or
// not as it was asked. A handler that returns it tells the model so.
var ErrNoAnswer = errors.New("the question was not answered")

// errAsked ends a handler whose questions become the answer to its request.
var errAsked = errors.New("the client is being asked")

// IsInputRequired tells whether an error is that of a handler which has asked something, and
// is called again with the answer.
func IsInputRequired(err error) bool { return errors.Is(err, errAsked) }

// asker asks the client on behalf of one request.
type asker struct {
	x     *exchange
	given map[string]json.RawMessage // answers that came with the request
	asked []string                   // what its client was asked before, whether it answers or not
	used  map[string]json.RawMessage // of those, the ones to questions that were asked
	open  []Question                 // asked since 2026-07-28, and not answered yet
}

// Ask asks the client and returns the answers, in the order of the questions.
// It serves clients of every revision: those before 2026-07-28 are asked while
// the call waits; to the others the questions are the answer, and when they
// come back with what they were asked, the handler is called again from its
// beginning, and Ask then returns. So a handler
//
//   - returns the error of Ask at once,
//   - does nothing before Ask that must not be done twice, see Answered,
//   - asks the same question by the same key each time.
//
// A client that did not declare that it can be asked is not: the error then is
// that of MissingCapability. Ask ahead with CanAsk whether there is another
// way. A handler takes its questions back by canceling ctx with a cause. What an answer says is the client's word and no proof of anything. Ask
// is not to be called by several goroutines at a time.
func (c *Call) Ask(ctx context.Context, questions ...Question) ([]Answer, error) {
	return c.asker.ask(ctx, questions)
}

// Disconnected tells that the client has hung up, in a revision where it can then not come
// back for the answer.
func (c *Call) Disconnected() bool {
	return c.asker != nil && modern(c.Client.Revision) && c.asker.x.r.Context().Err() != nil
}

// CanAsk tells whether the client declared that it takes such questions.
func (c *Call) CanAsk(questions ...Question) bool { return c.asker.refused(questions) == nil }

// InputByRetry tells whether the answers of this client come with a call of their own, so
// that Ask does not wait for them.
func (c *Call) InputByRetry() bool { return c.asker == nil || modern(c.asker.x.client.Revision) }

// Answered returns the keys of the answers that came with the request, and of what
// its client was asked before, answered or not, sorted.
// A handler that is called again finds by them what it had done before it asked.
// They are the client's word: a handler checks whose they are.
func (c *Call) Answered() []string {
	if c.asker == nil || len(c.asker.given)+len(c.asker.asked) == 0 {
		return nil
	}
	keys := slices.AppendSeq(slices.Clone(c.asker.asked), maps.Keys(c.asker.given))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// refused returns the first question that the client must not be asked. A nil
// asker can ask nothing.
func (a *asker) refused(questions []Question) *Question {
	for i, q := range questions {
		if a == nil || !a.reachable() || !q.allowed(a.x.client.Capabilities) {
			return &questions[i]
		}
	}
	return nil
}

// reachable tells whether there is a way to ask: before 2026-07-28 it needs a
// stream to ask on, and a session in which to answer.
func (a *asker) reachable() bool {
	return modern(a.x.client.Revision) || a.x.session != "" && a.x.answer.takes.stream
}

func (a *asker) ask(ctx context.Context, questions []Question) ([]Answer, error) {
	answers := make([]Answer, len(questions))
	var missing []int
	for i, q := range questions {
		var ok bool
		if answers[i], ok = a.known(q); !ok {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return answers, nil
	}
	if q := a.refused(questions); q != nil {
		return nil, MissingCapability(q.required())
	}
	for _, i := range missing {
		if modern(a.x.client.Revision) {
			a.open = append(a.open, questions[i])
			continue
		}
		var err error
		if answers[i], err = a.x.askNow(ctx, questions[i]); err != nil {
			return nil, err
		}
	}
	if len(a.open) > 0 {
		return nil, errAsked
	}
	return answers, nil
}

// known returns the answer that came with the request.
func (a *asker) known(q Question) (Answer, bool) {
	if a == nil {
		return Answer{}, false
	}
	answer, ok := q.Answer(a.given[q.key])
	if ok {
		a.used[q.key] = answer.Raw
	}
	return answer, ok
}

func keysOf(questions []Question) (keys []string) {
	for _, q := range questions {
		keys = append(keys, q.key)
	}
	return keys
}

// sameKey tells whether two questions are asked by one key.
func sameKey(questions []Question) bool {
	for i, q := range questions {
		if slices.ContainsFunc(questions[:i], func(p Question) bool { return p.key == q.key }) {
			return true
		}
	}
	return false
}
