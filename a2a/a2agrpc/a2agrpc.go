// Package a2agrpc carries A2A 0.3 and 1.0 over gRPC: Transport for a2aclient,
// Server for a2aserver. It is the only package that knows gRPC.
//
// It does not decode messages. The server turns a call into an HTTP request whose path
// is the full name of the method and whose body is the message. The handler answers with
// a message in one write, with gRPC frames if the call streams, or with an error as HTTP+JSON has it,
// a google.rpc.Status in JSON. So guards, limits and errors are those of HTTP, for all
// bindings. The client gets the same answers, with messages one by one.
//
// Only the extended card is JSON: it is signed in that form.
package a2agrpc

import (
	"bytes"
	"encoding/json"
	"slices"

	v03 "github.com/a2aproject/a2a-go/a2apb"
	v10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// DefaultMaxMessage bounds a message that a Transport sends or receives, in bytes.
const DefaultMaxMessage = 16 << 20

// maxHeader bounds the metadata of a call.
const maxHeader = 64 << 10

// The flow-control windows of a stream and of a connection. Without them gRPC estimates
// the bandwidth, with a ping for most messages.
const (
	streamWindow = 1 << 20
	connWindow   = 4 << 20
	serverWindow = 64 << 10 // of a stream: the buffer for a message that the handler has not asked for
)

// raw is a codec that passes bytes through: it encodes a *[]byte or a mem.Buffer, and fills a *[]byte.
type raw struct{}

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	if b, ok := v.(mem.Buffer); ok {
		return mem.BufferSlice{b}, nil
	}
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	b := v.(*[]byte)
	if len(data) == 1 {
		if whole, ok := data[0].(mem.SliceBuffer); ok { // not pooled, so it can be kept
			*b = slices.Clip(whole)
			return nil
		}
	}

	*b = slices.Grow((*b)[:0], data.Len())[:data.Len()]
	data.CopyTo(*b)
	return nil
}

// Name is empty, which means protocol buffers: the content type is "application/grpc".
func (raw) Name() string { return "" }

// newCard returns an empty card of the generation of d.
func newCard(d *wire.Dialect) proto.Message {
	if d.Generation == a2a.V03 {
		return &v03.AgentCard{}
	}
	return &v10.AgentCard{}
}

// encodeCard returns a card in JSON as a message of d. Members that it does not
// have are left out, as they are in every binding.
func encodeCard(d *wire.Dialect, card []byte) ([]byte, error) {
	m := newCard(d)
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(card, m); err != nil {
		return nil, err
	}
	return proto.Marshal(m)
}

// decodeCard returns a message of d that is a card as JSON, without the spaces
// that protojson adds at random.
func decodeCard(d *wire.Dialect, message []byte) ([]byte, error) {
	m := newCard(d)
	if err := proto.Unmarshal(message, m); err != nil {
		return nil, err
	}

	b, err := protojson.Marshal(m)
	if err != nil {
		return nil, err
	}

	var out bytes.Buffer
	err = json.Compact(&out, b)
	return out.Bytes(), err
}
