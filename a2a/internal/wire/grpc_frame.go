package wire

import "encoding/binary"

// Bodies of calls over gRPC, as a2agrpc carries them between HTTP and gRPC: one
// message, or the frames of a stream.
const (
	ProtobufType = "application/protobuf"
	GRPCType     = "application/grpc"
)

// frameHead is the size of a frame's head: a byte of flags, and the size of the message.
const frameHead = 5

// refusedFlag marks a frame that ends a stream: its message is the body of an
// error over HTTP+JSON. gRPC-Web marks its last frame with the same flag.
const refusedFlag = 0x80

// AppendFrame appends message to b as a frame of gRPC ("Length-Prefixed-Message"
// in its protocol over HTTP/2).
func AppendFrame(b, message []byte, refused bool) []byte {
	var flags byte
	if refused {
		flags = refusedFlag
	}
	return append(binary.BigEndian.AppendUint32(append(b, flags), uint32(len(message))), message...)
}

// CutFrame returns the message of the first frame of b, and the rest of b. It reports
// whether the frame is complete.
func CutFrame(b []byte) (message []byte, refused bool, rest []byte, whole bool) {
	if len(b) < frameHead {
		return nil, false, b, false
	}
	size := uint64(binary.BigEndian.Uint32(b[1:]))
	if uint64(len(b)-frameHead) < size {
		return nil, false, b, false
	}
	end := frameHead + int(size)
	return b[frameHead:end:end], b[0] == refusedFlag, b[end:], true
}
