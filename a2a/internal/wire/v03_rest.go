package wire

import (
	"bytes"
	"encoding/json"

	"rialto/a2a"
)

// v03rest is A2A 0.3 over HTTP+JSON: the JSON form of the protocol buffers a2a.v1 as
// servers have it. The parts of a message are its content there, and a part has
// neither metadata nor the name of a file.
var v03rest = Dialect{
	Generation: a2a.V03,
	methods:    v03.methods,
	errors:     numbers,
	Codec:      codecV03Rest,
	rareCodec:  rareCodec{codecV03Rest},
}

var codecV03Rest = jsonCodec{generation: a2a.V03, boxed: true, encoder: encodeV03{schemaV03REST}}

// codecV03Proto is a2a.v1 as it was last, which is sent over gRPC.
var codecV03Proto = jsonCodec{
	generation: a2a.V03,
	boxed:      true,
	resources:  true,
	encoder:    encodeV03{schemaV03GRPC},
	types:      typesV03,
}

// unboxEvent takes data out of the object that the protocol buffers of 0.3 put around it.
func unboxEvent(e a2a.Event) {
	message := func(m *a2a.Message) {
		if m != nil {
			unbox(m.Parts)
		}
	}
	switch e := e.(type) {
	case *a2a.Message:
		message(e)
	case *a2a.StatusUpdate:
		message(e.Status.Message)
	case *a2a.ArtifactUpdate:
		unbox(e.Artifact.Parts)
	case *a2a.Task:
		message(e.Status.Message)
		for i := range e.History {
			unbox(e.History[i].Parts)
		}
		for i := range e.Artifacts {
			unbox(e.Artifacts[i].Parts)
		}
	}
}

// unboxed returns what is in the object d, if that is called data and all there is.
func unboxed(d a2a.Data) a2a.Data {
	in := json.NewDecoder(bytes.NewReader(d))
	if open, _ := in.Token(); open != json.Delim('{') {
		return d
	}
	if name, _ := in.Token(); name != "data" {
		return d
	}

	var value json.RawMessage
	if in.Decode(&value) != nil || in.More() {
		return d
	}

	return a2a.Data(value)
}

func unbox(parts []a2a.Part) {
	for i, p := range parts {
		if d, ok := p.Content.(a2a.Data); ok {
			parts[i].Content = unboxed(d)
		}
	}
}
