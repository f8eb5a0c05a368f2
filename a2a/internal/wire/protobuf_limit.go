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
	maxProtoCost = 128 << 20
	messageCost  = 64
	fieldCost    = 16
	controlCost  = 16
)

// protoFits reports whether decoding the message b of type m stays within maxProtoCost.
func protoFits(b []byte, m protoreflect.MessageDescriptor) bool {
	const shortest = 2 // an empty field
	return len(b)/shortest*max(messageCost+fieldCost, shortest*controlCost) <= maxProtoCost ||
		protoCost(b, m, maxProtoCost, maxDepth) >= 0
}

// protoCost returns budget minus the cost of b, or a negative number if b exceeds it. It
// stops where decoding fails.
func protoCost(b []byte, m protoreflect.MessageDescriptor, budget, depth int) int {
	budget -= messageCost
	if depth == 0 {
		return budget
	}

	for len(b) > 0 && budget >= 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return budget
		}
		size := protowire.ConsumeFieldValue(number, kind, b[n:])
		if size < 0 {
			return budget
		}
		value := b[n : n+size]
		b = b[n+size:]
		budget -= fieldCost
		f := m.Fields().ByNumber(number)
		if f == nil || kind != protowire.BytesType {
			continue
		}
		value, _ = protowire.ConsumeBytes(value)
		switch {
		case f.Message() != nil:
			budget = protoCost(value, f.Message(), budget, depth-1)
		case f.Kind() == protoreflect.StringKind:
			budget -= controlCost * controls(value)
		}
	}

	return budget
}

// controls returns the number of control characters in text.
func controls(text []byte) (n int) {
	for _, c := range text {
		if c < ' ' {
			n++
		}
	}
	return n
}
