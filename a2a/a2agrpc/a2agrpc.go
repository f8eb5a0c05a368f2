// Package a2agrpc carries A2A 0.3 and 1.0 over gRPC: Transport for a2aclient,
// Server for a2aserver. It is the only package that knows gRPC.
//
// It translates no words. The binding HTTP+JSON is by definition the JSON form
// of the same protocol buffers, so a call crosses as an HTTP request whose path
// is the full name of the method and whose body is the message as JSON, and is
// answered as HTTP+JSON answers: with a message, a google.rpc.Status, or an
// event stream. Credentials, guards, limits and errors are therefore those of
// HTTP, in one place for all bindings.
//
// JSON has a price that gRPC does not ask for: a message is written twice. And
// numbers in metadata and data are doubles, as google.protobuf.Value has them.
package a2agrpc

import (
	"bytes"
	"encoding/json"
	"strings"

	v03 "github.com/a2aproject/a2a-go/a2apb"
	v10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// DefaultMaxMessage bounds a message, in bytes, where Transport and Server do
// not.
const DefaultMaxMessage = 16 << 20

// maxHeader bounds the metadata of a call.
const maxHeader = 64 << 10

// files hold the service of each generation.
func files() []protoreflect.FileDescriptor {
	return []protoreflect.FileDescriptor{v10.File_a2av1_proto, v03.File_a2a_proto}
}

// method is one of a generation's service.
type method struct {
	in, out protoreflect.MessageType
	streams bool
}

// methodOf finds the method with this full name, such as
// "/lf.a2a.v1.A2AService/GetTask".
func methodOf(path string) (method, bool) {
	service, name, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	for _, f := range files() {
		s := f.Services().ByName("A2AService")
		if s == nil || string(s.FullName()) != service {
			continue
		}
		m := s.Methods().ByName(protoreflect.Name(name))
		if m == nil {
			return method{}, false
		}
		in, inErr := protoregistry.GlobalTypes.FindMessageByName(m.Input().FullName())
		out, outErr := protoregistry.GlobalTypes.FindMessageByName(m.Output().FullName())
		return method{in, out, m.IsStreamingServer()}, inErr == nil && outErr == nil
	}
	return method{}, false
}

// fromJSON reads a message from its JSON form. Members that it does not have are
// left out, as they are in every binding.
func fromJSON(t protoreflect.MessageType, body []byte) (proto.Message, error) {
	m := t.New().Interface()
	return m, protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(body, m)
}

// toJSON returns the JSON form of a message, without the spaces that protojson
// puts in at random: what is data would keep them.
func toJSON(m proto.Message) ([]byte, error) {
	b, err := protojson.Marshal(m)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = json.Compact(&out, b)
	return out.Bytes(), err
}
