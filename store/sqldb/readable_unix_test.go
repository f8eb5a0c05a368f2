//go:build unix

package sqldb

import (
	"crypto/tls"
	"io"
	"net"
	"net/http/httptest"
	"testing"
	"time"
)

// TestReadable looks at connections that are idle, that got a message, and that the peer closed.
func TestReadable(t *testing.T) {
	t.Run("plain", func(t *testing.T) {
		client, server := connected(t)
		testReadable(t, client, client, server)
	})
	t.Run("TLS", func(t *testing.T) {
		web := httptest.NewTLSServer(nil) // for its certificate
		defer web.Close()
		client, server := connected(t)
		theirs := &tls.Config{Certificates: web.TLS.Certificates, SessionTicketsDisabled: true}
		ours := &tls.Config{InsecureSkipVerify: true}
		testReadable(t, client, tls.Client(client, ours), tls.Server(server, theirs))
	})
}

// testReadable tests client, which uses socket.
func testReadable(t *testing.T, socket *net.TCPConn, client, server net.Conn) {
	receive := func() {
		if _, err := io.ReadFull(client, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	sent := make(chan error, 1)
	go func() {
		_, err := server.Write([]byte("a"))
		sent <- err
	}()
	receive()
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	if readable(client) {
		t.Error("nothing has arrived: got readable")
	}
	if _, err := server.Write([]byte("b")); err != nil {
		t.Fatal(err)
	}
	becomesReadable(t, socket, client)
	receive()
	if readable(client) {
		t.Error("the message was read: got readable")
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	becomesReadable(t, socket, client)
}

// becomesReadable waits for news from socket until client is readable.
func becomesReadable(t *testing.T, socket *net.TCPConn, client net.Conn) {
	t.Helper()
	raw, err := socket.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Read(func(uintptr) bool { return readable(client) }); err != nil {
		t.Error("never readable:", err)
	}
}

// connected returns both ends of a connection that does not outlast the test.
func connected(t *testing.T) (client, server *net.TCPConn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c.(*net.TCPConn), s.(*net.TCPConn)
}
