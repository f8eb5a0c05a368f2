package wire

import (
	"encoding/json"
	"errors"

	"rialto/a2a"
)

func (d jsonCodec) DecodeSend(params []byte) (*a2a.SendRequest, error) {
	doc, err := d.json(sendBody, params)
	if err != nil {
		return nil, invalidParams("params: %v", err)
	}

	decode := d.decodeSend
	if d.callersName {
		decode = decodeSendV01
	}

	req, err := decode(doc)
	if err != nil {
		return nil, err
	}
	if req.Push != nil {
		req.Push.Generation = d.generation
	}

	return req, nil
}

// decodeSend reads what every generation since 0.2 sends.
func (d jsonCodec) decodeSend(params []byte) (*a2a.SendRequest, error) {
	var in struct {
		Message       *object       `json:"message"`
		Configuration configuration `json:"configuration"`
		Metadata      metadata      `json:"metadata"`
	}
	if err := decodeParams(params, &in); err != nil {
		return nil, err
	}
	if in.Message != nil && in.Message.MessageID == "" {
		return nil, errNoMessageID
	}

	m, err := in.Message.request()
	if err != nil {
		return nil, err
	}

	c := in.Configuration
	if err := checkHistory(c.HistoryLength); err != nil {
		return nil, err
	}

	push, err := decodeInlinePush(c.TaskPushConfig, c.PushConfig, c.Push)
	if err != nil {
		return nil, err
	}

	immediately := c.ReturnImmediately
	if c.Blocking != nil {
		immediately = immediately || !*c.Blocking
	}
	if d.boxed { // the JSON form of protocol buffers leaves out what is false
		immediately = c.Blocking == nil || !*c.Blocking
		unbox(m.Parts)
	}

	return &a2a.SendRequest{
		Message:             m,
		AcceptedOutputModes: c.AcceptedOutputModes,
		ReturnImmediately:   immediately,
		HistoryLength:       c.HistoryLength,
		Push:                push,
		Metadata:            a2a.Metadata(in.Metadata),
	}, nil
}

// configuration is that of every generation. Where "blocking" is not given the
// callers of JSON-RPC expect to wait: that is what every server does.
type configuration struct {
	AcceptedOutputModes []string `json:"acceptedOutputModes"`
	HistoryLength       *int     `json:"historyLength"`
	Blocking            *bool    `json:"blocking"`          // 0.2, 0.3
	ReturnImmediately   bool     `json:"returnImmediately"` // 1.0

	PushConfig     json.RawMessage `json:"pushNotificationConfig"`     // 0.2, 0.3
	Push           json.RawMessage `json:"pushNotification"`           // 0.3 by its protocol buffers
	TaskPushConfig json.RawMessage `json:"taskPushNotificationConfig"` // 1.0
}

// request reads o as a message that is being sent, which must be complete.
func (o *object) request() (*a2a.Message, error) {
	if o == nil {
		return nil, errNoMessage
	}
	m, err := o.message(false)
	if err != nil {
		return nil, a2a.InvalidParam("message", "is invalid: %v", err)
	}
	return m, validateMessage(m)
}

// invalidParams returns an error of the caller's parameters.
func invalidParams(format string, args ...any) *a2a.Error {
	return a2a.Errorf(a2a.InvalidParams, format, args...)
}

// Required members that a caller left out.
var (
	errNoMessage   = a2a.InvalidParam("message", "is missing")
	errNoTask      = a2a.InvalidParam("id", "is missing: it names the task")
	errNoMessageID = a2a.InvalidParam("message.messageId", "is missing")
)

// validateMessage returns why m cannot be sent, or nil. A message without a role is the user's.
func validateMessage(m *a2a.Message) error {
	if len(m.Parts) == 0 {
		return a2a.InvalidParam("message.parts", "must hold at least one part")
	}

	switch m.Role {
	case a2a.RoleUser, a2a.RoleAgent:
	case "", "ROLE_UNSPECIFIED":
		m.Role = a2a.RoleUser
	default:
		return a2a.InvalidParam(
			"message.role", "must be the user's or the agent's, not %q", m.Role,
		)
	}

	return nil
}

func (d jsonCodec) DecodeQuery(params []byte) (a2a.TaskQuery, error) {
	var in struct {
		ID            string `json:"id"`
		Name          string `json:"name"` // the resource
		HistoryLength *int   `json:"historyLength"`
	}
	if err := d.decodeParams(queryBody, params, &in); err != nil {
		return a2a.TaskQuery{}, err
	}
	if d.resources {
		in.ID = string(parseResource(in.Name).Task)
	}
	if in.ID == "" {
		return a2a.TaskQuery{}, errNoTask
	}
	if err := checkHistory(in.HistoryLength); err != nil {
		return a2a.TaskQuery{}, err
	}
	if d.callersName {
		in.HistoryLength = orZero(in.HistoryLength) // "By default, this is 0"
	}

	return a2a.TaskQuery{ID: a2a.TaskID(in.ID), HistoryLength: in.HistoryLength}, nil
}

func checkHistory(n *int) error {
	if n != nil && *n < 0 {
		return a2a.InvalidParam("historyLength", "must not be negative")
	}
	return nil
}

func decodeParams(params []byte, v any) error {
	if !isObject(params) {
		return invalidParams("params must be an object")
	}
	if !fits(params) {
		return invalidParams("params.%v", ErrTooMany)
	}
	if err := unmarshal(lowerCamel(params), v); err != nil {
		wrong, ok := errors.AsType[wrongType](err)
		if ok && wrong.field != "" {
			return a2a.InvalidParam(wrong.field, "must not be a JSON %s", wrong.value)
		}
		return invalidParams("params: %v", err)
	}

	return nil
}
