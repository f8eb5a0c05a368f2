package server

import (
	"io"
	"net"
	"net/netip"
	"testing"
)

// TestConnectionsOfAnAddressAreLimited opens one connection more than an address may have. It is closed
// at once, until another ends; a trusted proxy may have more.
func TestConnectionsOfAnAddressAreLimited(t *testing.T) {
	for _, trusted := range [][]netip.Prefix{nil, {netip.MustParsePrefix("127.0.0.0/8")}} {
		inner, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { inner.Close() })
		accepted := make(chan net.Conn, 2*maxGRPCConnsAddress)
		go func() {
			defer close(accepted)
			for l := (&limitedListener{Listener: inner, trusted: trusted}); ; {
				c, err := l.Accept()
				if err != nil {
					return
				}
				accepted <- c
			}
		}()
		dial := func() net.Conn {
			c, err := net.Dial("tcp", inner.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			return c
		}
		var first net.Conn
		for range maxGRPCConnsAddress {
			dial()
			c := <-accepted
			t.Cleanup(func() { c.Close() })
			first = c
		}
		more := dial()
		if trusted != nil {
			(<-accepted).Close()
			continue
		}
		if _, err := more.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("one more: got %v, want that it is closed", err)
		}
		first.Close()
		dial()
		(<-accepted).Close()
	}
}
