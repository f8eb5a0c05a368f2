//go:build !unix

package directhttp

import "syscall"

// canPeek is whether quiet can tell. Where it cannot, nothing goes this way: a call
// might go to a peer that has closed, and nobody would know whether it came.
const canPeek = false

func quiet(syscall.RawConn) bool { return false }
