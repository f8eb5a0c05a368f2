package mcp

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"rialto/mcp/internal/session"
	"rialto/mcp/internal/wire"
)

const (
	// stateLife is how long a person may take to answer.
	stateLife = 2 * time.Hour
	// maxState bounds the answers that a client is given to keep.
	maxState = 256 << 10

	sealPurpose = "mcp request"
)

// requestState is what a client keeps for the server between a request that was answered with
// questions and the same request with answers: the keys of the questions, and the answers to
// earlier questions. It is sealed, and valid for the same principal and the same request only
// (2026-07-28, basic/utilities/mrtr, "Security Considerations").
type requestState struct {
	Request []byte                     `json:"q"` // what digest returns
	Issued  int64                      `json:"t"` // Unix seconds
	Answers map[string]json.RawMessage `json:"a"`
	Asked   []string                   `json:"o,omitempty"` // the keys of the open questions
}

// newElicitor returns an elicitor with the answers that came with the request. They may come
// without a state, because a client may know what it will be asked. Those in the state
// cannot be changed by the client.
func (r *request) newElicitor() (*elicitor, error) {
	a := &r.elicitor
	p := r.Params.Other()
	a.r = r
	answered := p.RequestState != nil || len(p.InputResponses) > 0
	if !r.Modern() || !answered {
		return a, nil
	}

	a.given = map[string]json.RawMessage{}
	a.used = map[string]json.RawMessage{}
	if p.RequestState != nil {
		state, err := a.openState(*p.RequestState)
		if err != nil {
			return nil, err
		}
		a.asked = state.Asked
		maps.Copy(a.given, state.Answers)
	}

	maps.Copy(a.given, p.InputResponses)
	return a, nil
}

// openState returns what a state of this request and principal holds.
func (a *elicitor) openState(sealed string) (state requestState, err error) {
	b := session.Unseal(a.r.s.built.key, sealPurpose, a.r.Principal, sealed)
	switch {
	case b == nil || json.Unmarshal(b, &state) != nil:
		err = wire.InvalidParams("the requestState is not one that you were given")
	case string(state.Request) != string(digest(a.r.Message.Method, &a.r.Params)):
		err = wire.InvalidParams("the requestState is of another request")
	case a.r.s.Now().Sub(time.Unix(state.Issued, 0)) > stateLife:
		err = wire.InvalidParams("the requestState is too old, call without it to be asked again")
	}

	return state, err
}

// inputRequired returns the result that asks the open questions.
func (a *elicitor) inputRequired() (json.RawMessage, error) {
	state := requestState{
		Request: digest(a.r.Message.Method, &a.r.Params),
		Issued:  a.r.s.Now().Unix(),
		Answers: a.used,
	}
	seen := map[string]bool{}
	for _, q := range a.open {
		if seen[q.key] {
			return nil, errors.New("two questions have one key")
		}
		seen[q.key] = true
		state.Asked = append(state.Asked, q.key)
	}

	note, err := json.Marshal(state)
	if err != nil {
		return nil, fmt.Errorf("request state: %w", err)
	}
	if len(note) > maxState {
		return nil, wire.InvalidParams("the answers are too long")
	}

	sealed := session.Seal(a.r.s.built.key, sealPurpose, a.r.Principal, note)
	return fmt.Appendf(
		nil,
		`{"resultType":"input_required","inputRequests":%s,"requestState":%q,%s}`,
		inputRequests(a.open),
		sealed,
		a.r.identity.meta(),
	), nil
}

// inputRequests returns an object with the questions by their keys.
func inputRequests(questions []Question) string {
	members := make([]string, len(questions))
	for i, q := range questions {
		members[i] = fmt.Sprintf(`%s:{"method":%q,"params":%s}`, quoted(q.key), q.method, q.params)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// digest returns what a request and its repetition have in common: the method, what it names, and
// the arguments in canonical form (RFC 8785), because a client may write them differently.
func digest(method string, p *wire.Params) []byte {
	args := jsontext.Value(p.Arguments).Clone()
	_ = args.Canonicalize() // the message is valid JSON, and absent arguments stay absent
	h := sha256.New()
	for _, s := range []string{method, p.Name, p.Other().URI, string(args)} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return h.Sum(nil)
}
