package mcp

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

const (
	// stateLife is how long a client may take to come back with answers:
	// there are people behind it, who go for lunch.
	stateLife = 2 * time.Hour
	// mostState bounds the answers that a client is given to keep.
	mostState = 256 << 10
)

// requestState is what a client keeps for us between a request that was
// answered with questions and the same request with answers: what it was asked,
// and the answers to the questions before those. It is sealed, and good for the same principal
// and the same request only (2026-07-28, basic/utilities/mrtr, "Security
// Considerations").
type requestState struct {
	Request []byte                     `json:"q"` // what digest returns
	Issued  int64                      `json:"t"` // Unix seconds
	Answers map[string]json.RawMessage `json:"a"`
	Asked   []string                   `json:"o,omitempty"` // the keys of what is open
}

// newAsker returns an asker with the answers that came with the request. They
// may come without a state, for a client may know what it will be asked; what
// a state brings, the client cannot have changed.
func (x *exchange) newAsker() (*asker, error) {
	a := &x.asker
	a.x = x
	if !modern(x.client.Revision) || x.params.other().RequestState == nil && len(x.params.other().InputResponses) == 0 {
		return a, nil
	}
	a.given, a.used = map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if x.params.other().RequestState != nil {
		state, err := x.openState(*x.params.other().RequestState)
		if err != nil {
			return nil, err
		}
		a.given, a.asked = state.Answers, state.Asked
	}
	for key, answer := range x.params.other().InputResponses {
		a.given[key] = answer
	}
	return a, nil
}

func (x *exchange) openState(sealed string) (*requestState, error) {
	b := unseal(x.s.ready.key, sealRequest, x.principal, sealed)
	state := requestState{Answers: map[string]json.RawMessage{}}
	if b == nil || json.Unmarshal(b, &state) != nil {
		return nil, invalidParams("the requestState is not one that you were given")
	}
	if string(state.Request) != string(x.digest()) {
		return nil, invalidParams("the requestState is of another request")
	}
	if x.s.now().Sub(time.Unix(state.Issued, 0)) > stateLife {
		return nil, invalidParams("the requestState is too old, call without it to be asked again")
	}
	if state.Answers == nil {
		state.Answers = map[string]json.RawMessage{}
	}
	return &state, nil
}

// inputRequired returns the result that asks the open questions.
func (a *asker) inputRequired() (json.RawMessage, error) {
	if sameKey(a.open) {
		return nil, fmt.Errorf("two questions have one key")
	}
	note, err := json.Marshal(requestState{Request: a.x.digest(), Issued: a.x.s.now().Unix(), Answers: a.used, Asked: keysOf(a.open)})
	if err != nil {
		return nil, fmt.Errorf("request state: %w", err)
	}
	if len(note) > mostState {
		return nil, invalidParams("the answers are too long")
	}
	b := []byte(`{"resultType":"input_required","inputRequests":`)
	b = appendQuestions(b, a.open)
	b = append(b, `,"requestState":"`...)
	b = append(b, seal(a.x.s.ready.key, sealRequest, a.x.principal, note)...)
	b = append(b, `","_meta":{"`+gomcp.MetaKeyServerInfo+`":`...)
	return append(append(b, a.x.s.ready.info...), "}}"...), nil
}

// appendQuestions appends the questions as inputRequests.
func appendQuestions(b []byte, questions []Question) []byte {
	b = append(b, '{')
	for i, q := range questions {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsonrpc.AppendString(b, q.key), ':')
		b = append(b, `{"method":"`+q.method+`","params":`...)
		b = append(append(b, q.params...), '}')
	}
	return append(b, '}')
}

// digest returns what is the same in a request and its repetition: the method,
// what it names, and the arguments in canonical form (RFC 8785), for a client
// may write them anew.
func (x *exchange) digest() []byte {
	args := jsontext.Value(x.params.Arguments).Clone()
	_ = args.Canonicalize() // what is not JSON has been refused, and absent arguments stay so
	h := sha256.New()
	for _, s := range []string{x.req.Method, x.params.Name, x.params.other().URI, string(args)} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return h.Sum(nil)
}
