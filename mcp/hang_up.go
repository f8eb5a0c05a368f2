package mcp

import "net/http"

// CloseStream ends the connection on which the client waits for this call, and lets
// it come back for the answer, so that a call that takes long does not hold one
// (SEP-1699, in revision 2025-11-25). The call goes on. It does nothing where
// the client could not come back, and tells whether it did.
func (c *Call) CloseStream() bool {
	return c.asker != nil && c.asker.x.r.ProtoMajor == 1 && c.asker.x.r.ProtoMinor > 0 && c.asker.x.answer.hangUp()
}

// hangUp ends the stream's connection. The stream itself goes on: what is sent
// on it from now on is kept for the client.
func (a *answer) hangUp() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.primed || !a.takes.stream || a.over {
		return false
	}
	a.begin() // it says by which id, and when, to come back
	conn, out, err := http.NewResponseController(a.w).Hijack()
	if err != nil {
		return false
	}
	a.stream.Close()
	// A body that ends as it should is not taken for a broken connection.
	_, _ = out.WriteString("0\r\n\r\n")
	_ = out.Flush()
	_ = conn.Close()
	return true
}
