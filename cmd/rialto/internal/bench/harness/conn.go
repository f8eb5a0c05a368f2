package harness

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"slices"
	"strconv"
)

// Conn is an HTTP/1.1 client as small as can be, because it shares the
// processors with the server that it measures.
type Conn struct {
	conn net.Conn
	r    *bufio.Reader
	body []byte

	Session string // value of the last Mcp-Session-Id header
}

// Dial connects to a server.
func Dial(addr string) (*Conn, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &Conn{conn: c, r: bufio.NewReaderSize(c, 8<<10)}, nil
}

// Close closes the connection.
func (c *Conn) Close() error { return c.conn.Close() }

// Do sends a request as raw bytes and returns the body of the answer, which is
// valid until the next call. A status of 300 or more is an error.
func (c *Conn) Do(request []byte) ([]byte, error) {
	if _, err := c.conn.Write(request); err != nil {
		return nil, err
	}
	ok, chunked, length := false, false, -1
	for first := true; ; first = false {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if first {
			ok = bytes.HasPrefix(line, []byte("HTTP/1.1 2"))
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch string(name) {
		case "Content-Length":
			if length, err = strconv.Atoi(string(value)); err != nil {
				return nil, err
			}
		case "Transfer-Encoding":
			chunked = string(value) == "chunked"
		case "Mcp-Session-Id":
			c.Session = string(value)
		}
	}
	if err := c.readBody(chunked, length); err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("got %s", c.body)
	}
	return c.body, nil
}

func (c *Conn) readBody(chunked bool, length int) (err error) {
	switch {
	case chunked:
		if c.body, err = io.ReadAll(httputil.NewChunkedReader(c.r)); err == nil {
			_, err = c.r.Discard(2) // the empty line after the last chunk
		}
		return err
	case length < 0:
		return errors.New("got an answer without Content-Length")
	}
	c.body = slices.Grow(c.body[:0], length)[:length]
	_, err = io.ReadFull(c.r, c.body)
	return err
}
