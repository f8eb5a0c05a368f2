package mcp

import (
	"encoding/json"
	"fmt"
	"slices"

	"rialto/mcp/internal/schema"
)

// Question is what a handler asks the client while it answers a request, usually
// through elicitation: see ElicitForm and ElicitURL.
type Question struct {
	key    string
	method string
	params json.RawMessage
	needs  []string       // the path of the capability that the client must declare
	schema *schema.Schema // for the content of an answer, nil if any will do
	url    bool
}

// ElicitForm asks the person to fill in a form. The schema is an object whose properties are
// strings, numbers, booleans and choices (2026-07-28, client/elicitation, "Requested Schema").
// Never ask for a secret in a form: the client and its model may see it; use ElicitURL for that.
// The key names the question among those of the same request.
func ElicitForm(key, message string, form json.RawMessage) Question {
	return Question{
		key:    key,
		method: "elicitation/create",
		params: fmt.Appendf(nil, `{"message":%s,"requestedSchema":%s}`, quoted(message), form),
		needs:  []string{"elicitation", "form"},
		schema: schema.Read(form),
	}
}

// ElicitURL asks the person to open a page, where they do what the client must not see:
// sign in, pay. The answer says only that they agreed, not that they have done it.
func ElicitURL(key, message, url string) Question {
	return Question{
		key:    key,
		method: "elicitation/create",
		params: fmt.Appendf(
			nil,
			`{"mode":"url","message":%s,"url":%s}`,
			quoted(message),
			quoted(url),
		),
		needs: []string{"elicitation", "url"},
		url:   true,
	}
}

// Ask makes a request of the client by another method that its capability allows, such as
// sampling/createMessage or roots/list, which are deprecated since 2026-07-28.
func Ask(key, method string, params json.RawMessage, capability string) Question {
	return Question{
		key:    key,
		method: method,
		params: params,
		needs:  []string{capability},
	}
}

// Answer is the answer to a Question.
type Answer struct {
	// Action is what the person did: "accept", "decline" or "cancel". It is "accept"
	// for questions that no person was asked.
	Action string `json:"action"`
	// Content is what they filled in, which matches the form's schema; nil unless they accepted.
	Content json.RawMessage `json:"content"`
	// Raw is the answer as the client sent it.
	Raw json.RawMessage `json:"-"`
}

// Accepted tells whether the person agreed.
func (a Answer) Accepted() bool { return a.Action == "accept" }

// Key returns the name of the question among those of the same request or task.
func (q Question) Key() string { return q.key }

// Answer reads what a client sent as an answer to the question. It returns false if the
// answer is malformed: the client will be asked again.
func (q Question) Answer(raw json.RawMessage) (a Answer, ok bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return Answer{}, false
	}
	if q.needs[0] != "elicitation" {
		return Answer{Action: "accept", Raw: raw}, true
	}
	if json.Unmarshal(raw, &a) != nil ||
		!slices.Contains([]string{"accept", "decline", "cancel"}, a.Action) {
		return Answer{}, false
	}

	a.Raw = raw
	if !a.Accepted() || q.schema == nil {
		a.Content = nil
		return a, true
	}
	if len(a.Content) == 0 {
		a.Content = json.RawMessage("{}")
	}

	return a, q.schema.Allows(a.Content)
}

// allowed tells whether a client with the capabilities may be asked. A client that
// declares "elicitation" without a mode can fill in forms only (2025-11-25,
// client/elicitation, "Capabilities").
func (q Question) allowed(capabilities json.RawMessage) bool {
	var declared map[string]json.RawMessage
	if json.Unmarshal(capabilities, &declared) != nil || declared[q.needs[0]] == nil {
		return false
	}
	if q.needs[0] != "elicitation" {
		return true
	}

	var modes struct{ Form, URL json.RawMessage }
	_ = json.Unmarshal(declared["elicitation"], &modes) // anything but an object names no modes
	if q.url {
		return modes.URL != nil
	}

	return modes.Form != nil || modes.URL == nil
}

// required returns the capability that the question needs, as a client declares it.
func (q Question) required() json.RawMessage {
	b := "{}"
	for _, name := range slices.Backward(q.needs) {
		b = `{"` + name + `":` + b + `}`
	}
	return json.RawMessage(b)
}
