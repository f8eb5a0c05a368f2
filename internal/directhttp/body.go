package directhttp

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// hand makes b the body of resp, or ends it if there is none to come.
func (t *Transport) hand(resp *http.Response, b *body) {
	b.last = resp.Close || resp.StatusCode < http.StatusOK
	if resp.Body == http.NoBody {
		b.end()
		return
	}
	resp.Body = b
	if !strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		return
	}
	resp.Body = &unzipped{body: b}
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength, resp.Uncompressed = -1, true
}

// The states of a body. It leaves the first once, and whoever makes that step
// decides what becomes of the connection.
const (
	open   = iota
	ended  // read to its end
	closed // given up
)

// body is the body of an answer. One goroutine may close it while another reads.
type body struct {
	from   io.Reader
	t      *Transport
	c      *conn
	req    *http.Request
	unhook func() bool // keeps the end of the context from hanging up; false if it is too late
	last   bool        // nothing may follow on the connection
	state  atomic.Int32
	err    error // of the Read before
}

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.state.Load() == closed {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.from.Read(p)
	switch {
	case err == io.EOF:
		b.end()
	case err != nil:
		err = b.fail(err)
	}
	b.err = err
	return n, err
}

// end is told that the body has come to its end. The connection is kept only if
// nobody can hang up any more, and nothing follows that nobody has asked for.
func (b *body) end() {
	if !b.state.CompareAndSwap(open, ended) {
		return
	}
	if b.unhook() && !b.last && b.c.in.Buffered() == 0 {
		b.t.keep(b.c, b.req)
	} else {
		b.c.hangUp()
	}
}

// fail is told that the body cannot be read on, and returns why.
func (b *body) fail(err error) error {
	if !b.state.CompareAndSwap(open, closed) {
		return http.ErrBodyReadAfterClose
	}
	b.unhook()
	b.c.hangUp()
	if ctx := b.req.Context(); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Close hangs up if there may be more.
func (b *body) Close() error {
	if b.state.CompareAndSwap(open, closed) {
		b.unhook()
		b.c.hangUp()
	}
	return nil
}

// unzipped is a body as it was before it was compressed.
type unzipped struct {
	*body
	zip *gzip.Reader
	err error
}

func (u *unzipped) Read(p []byte) (int, error) {
	if u.zip == nil && u.err == nil {
		u.zip, u.err = gzip.NewReader(u.body)
	}
	if u.err != nil {
		return 0, u.err
	}
	return u.zip.Read(p)
}
