package runner

import "runtime"

// growStack grows the stack of a new goroutine to what decoding the answer of an agent needs, while
// there is little on it to copy. Otherwise it grows in three steps at its deepest point, which takes
// 15 µs of a call.
//
//go:noinline
func growStack() {
	var frame [12 << 10]byte
	runtime.KeepAlive(&frame)
}
