package directhttp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"
)

// conn is a connection. One call uses it at a time, or the pool has it.
type conn struct {
	net.Conn
	raw     syscall.RawConn
	address string // that was dialled
	hangUp  func() // closes it, at any time
	in      *bufio.Reader
	out     *bufio.Writer
	wrote   bool      // some of the call has left
	heard   bool      // some of the answer has come
	left    int64     // how much may still be read
	since   time.Time // when it was put into the pool
}

// dial connects to address.
func (t *Transport) dial(ctx context.Context, address string) (*conn, error) {
	to, err := t.Next.DialContext(ctx, "tcp", address)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: to, address: address, hangUp: func() { to.Close() }}
	if s, ok := to.(syscall.Conn); ok {
		c.raw, _ = s.SyscallConn()
	}
	c.in, c.out = bufio.NewReader(c), bufio.NewWriter(c)
	return c, nil
}

// Read reads as far as is allowed.
func (c *conn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errLong
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	c.heard = c.heard || n > 0
	return n, err
}

func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.wrote = c.wrote || n > 0
	return n, err
}

// The errors of headers that do not end.
var (
	errLong = errors.New("the headers exceeded what they may have")
	errSlow = fmt.Errorf("the headers did not come in time: %w", os.ErrDeadlineExceeded)
)

// mayRepeat reports whether the call that has failed with err on c, which was idle
// before, can be made again: its peer had closed it just then, and nothing of the call
// can have come there, or only what changes nothing.
func (c *conn) mayRepeat(req *http.Request, err error) bool {
	if req.Context().Err() != nil || errors.Is(err, errSlow) {
		return false
	}
	return !c.wrote || !c.heard && req.Method == http.MethodGet
}

// exchange makes a call over c, which nobody else uses. The end of the context hangs
// up, at whatever point, which ends what waits for the peer.
func (t *Transport) exchange(c *conn, req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	unhook := context.AfterFunc(ctx, c.hangUp)
	c.wrote, c.heard = false, false
	resp, err := t.converse(c, req)
	if err == nil {
		t.hand(resp, &body{from: resp.Body, t: t, c: c, req: req, unhook: unhook})
		return resp, nil
	}
	unhook()
	c.hangUp()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return nil, err
}

// converse writes req and reads the header of the answer.
func (t *Transport) converse(c *conn, req *http.Request) (*http.Response, error) {
	if err := zipped(req).Write(c.out); err != nil {
		return nil, err
	}
	if err := c.out.Flush(); err != nil {
		return nil, err
	}
	if err := c.SetReadDeadline(time.Now().Add(t.Next.ResponseHeaderTimeout)); err != nil {
		return nil, err
	}
	c.left = t.Next.MaxResponseHeaderBytes
	resp, err := c.header(req)
	switch {
	case errors.Is(err, errLong):
		return nil, errLong
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errSlow
	case err != nil:
		return nil, err
	}
	c.left = math.MaxInt64 // whoever reads the body bounds it
	return resp, c.SetReadDeadline(time.Time{})
}

// header reads the header of the answer, and passes over what says that there will
// be one. All of it together is bounded.
func (c *conn) header(req *http.Request) (*http.Response, error) {
	if _, err := c.in.Peek(1); err != nil {
		return nil, err
	}
	for {
		resp, err := http.ReadResponse(c.in, req)
		if err != nil || !provisional(resp.StatusCode) {
			return resp, err
		}
	}
}

// provisional reports whether another answer comes after one with that status.
func provisional(status int) bool {
	return status/100 == 1 && status != http.StatusSwitchingProtocols
}
