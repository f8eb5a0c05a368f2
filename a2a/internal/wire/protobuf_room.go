package wire

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxDepth bounds the depth of messages in each other. A list in data takes two.
const maxDepth = 2000

// The memory that decoding takes, estimated: for a message of the generated types, for
// any other field, and for a control character, which is six in JSON.
const (
	maxProtoRoom = 128 << 20
	messageRoom  = 64
	fieldRoom    = 16
	controlRoom  = 16
)

// protoFits reports whether the message b of type m has room when it is decoded.
func protoFits(b []byte, m protoreflect.MessageDescriptor) bool {
	const shortest = 2 // an empty field
	return len(b)/shortest*max(messageRoom+fieldRoom, shortest*controlRoom) <= maxProtoRoom || protoRoom(b, m, maxProtoRoom, maxDepth) >= 0
}

// protoRoom returns what is left of room when b has been decoded; less than 0 if
// nothing is.
func protoRoom(b []byte, m protoreflect.MessageDescriptor, room, depth int) int {
	if room -= messageRoom; depth == 0 {
		return room // decoding refuses it
	}
	for len(b) > 0 && room >= 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return room // and this
		}
		size := protowire.ConsumeFieldValue(number, kind, b[n:])
		if size < 0 {
			return room
		}
		value := b[n : n+size]
		b = b[n+size:]
		room -= fieldRoom
		f := m.Fields().ByNumber(number)
		if f == nil || kind != protowire.BytesType {
			continue
		}
		value, _ = protowire.ConsumeBytes(value)
		switch {
		case f.Message() != nil:
			room = protoRoom(value, f.Message(), room, depth-1)
		case f.Kind() == protoreflect.StringKind:
			room -= controlRoom * controls(value)
		}
	}
	return room
}

func controls(text []byte) (n int) {
	for _, c := range text {
		if c < ' ' {
			n++
		}
	}
	return n
}
