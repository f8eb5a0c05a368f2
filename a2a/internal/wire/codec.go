package wire

import (
	"encoding/json"
	"fmt"

	"rialto/a2a"
)

// Codec encodes and decodes the bodies of calls and answers, as JSON or as protocol
// buffers: for each operation its parameters and its result. An error from decoding
// parameters is an *a2a.Error that tells the caller what to fix; an error from decoding
// a result says what is wrong with the answer.
type Codec interface {
	// EncodeSend returns the parameters of a call that sends or streams r. DecodeSend reads them.
	EncodeSend(r *a2a.SendRequest, e Envelope) ([]byte, error)
	DecodeSend(params []byte) (*a2a.SendRequest, error)

	// EncodeQuery returns the parameters of a call about one task. DecodeQuery reads them.
	EncodeQuery(q a2a.TaskQuery, tenant string) ([]byte, error)
	DecodeQuery(params []byte) (a2a.TaskQuery, error)

	// EncodeTask returns t as the result of a call that asks for it. DecodeTask reads it.
	EncodeTask(t *a2a.Task) ([]byte, error)
	DecodeTask(result []byte) (*a2a.Task, error)

	// EncodeEvent returns e as the result of a call that sends, or as an event of
	// a stream. DecodeAnswer reads the former, DecodeEvent the latter.
	EncodeEvent(e a2a.Event) ([]byte, error)
	DecodeAnswer(result []byte) (Item, error)
	DecodeEvent(result []byte) (Item, error)
}

// jsonCodec is the Codec of a generation's JSON, or of the protocol buffers whose JSON
// form that is. It has the bodies of rare calls, too.
type jsonCodec struct {
	generation  a2a.Generation
	callersName bool // as Dialect.CallersName
	boxed       bool // data is wrapped in an object
	resources   bool // calls name tasks and configs as resources
	encoder     encoder
	types       messageTypes // the protocol buffers; nil is JSON
}

// rareCodec encodes and decodes the bodies that are not in Codec: those of lists, of configs of push
// notifications, and of queries for the extended card. Over all bindings they go by way of JSON.
type rareCodec struct{ jsonCodec }

// body is a kind of body of a call or an answer, for which protocol buffers have a type.
type body string

const (
	sendBody      body = "message"
	eventBody     body = "event"
	taskBody      body = "task"
	queryBody     body = "query"
	listBody      body = "filter"
	pageBody      body = "page"
	pushSetBody   body = "config to set"
	pushBody      body = "config"
	pushesBody    body = "configs"
	pushQueryBody body = "query of a config"
	pushListBody  body = "query of the configs"
	cardQueryBody body = "query of the card"
	cardBody      body = "card" // JSON everywhere
)

// encode returns v, which has the JSON form of a body. It fails only for metadata without a
// JSON form, for data that is not JSON, and for what protocol buffers cannot hold.
func (d jsonCodec) encode(kind body, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding the %s: %w", kind, err)
	}
	if d.types == nil {
		return b, nil
	}
	return fromJSON(d.types[kind], b)
}

// json returns the JSON form of a body.
func (d jsonCodec) json(kind body, b []byte) ([]byte, error) {
	if d.types == nil {
		return b, nil
	}
	return toJSON(d.types[kind], b)
}

// decodeParams reads the parameters of a call.
func (d jsonCodec) decodeParams(kind body, params []byte, v any) error {
	params, err := d.json(kind, params)
	if err != nil {
		return invalidParams("params: %v", err)
	}
	return decodeParams(params, v)
}
