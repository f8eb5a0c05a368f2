// Package directhttp carries calls over plain HTTP/1.1 on the goroutine that makes
// them: it writes the request and reads the answer itself, where http.Transport has
// two goroutines for each connection, and hands every call from one to the other
// and back. Where a peer nearby answers at once, that is a good part of what a call
// costs.
//
// What goes over the wire and what it means is the standard library's business here
// as there: http.Request.Write and http.ReadResponse. All other requests go to the
// http.Transport behind: over TLS, through proxies, or with a body that is large or
// not there yet.
package directhttp

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
)

// maxBody bounds the body of a request that goes this way. All of it is written
// before anything is read, so it must fit into what lies between the two ends: a
// peer that answers before it has read, and waits until its answer is taken, would
// else wait for us while we wait for it.
const maxBody = 32 << 10

// Transport is a http.RoundTripper. It may be used concurrently, and must not be
// copied. A trace (net/http/httptrace) is told what is written, and whether the
// connection is kept.
type Transport struct {
	// Next carries what does not go this way. Its DialContext, Proxy,
	// ResponseHeaderTimeout, MaxResponseHeaderBytes, MaxIdleConnsPerHost and
	// IdleConnTimeout hold here, too; all but Proxy must be set. It must not change.
	Next *http.Transport

	idle pool
}

// RoundTrip makes a call (http.RoundTripper). A call is made a second time only if
// the connection was an old one and nothing of the call has left, or if it is a GET
// of which nothing was heard.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !canPeek || !t.takes(req) {
		return t.Next.RoundTrip(req)
	}
	if req.Context().Err() != nil {
		discard(req)
		return nil, context.Cause(req.Context())
	}
	address := hostPort(req.URL)
	if c := t.idle.take(address, t.Next.IdleConnTimeout); c != nil {
		resp, err := t.exchange(c, req)
		if err == nil || !c.mayRepeat(req, err) {
			return resp, err
		}
		if req, err = rewound(req); err != nil {
			return nil, err
		}
	}
	c, err := t.dial(req.Context(), address)
	if err != nil {
		discard(req)
		return nil, err
	}
	return t.exchange(c, req)
}

// CloseIdleConnections closes those that no call uses now.
func (t *Transport) CloseIdleConnections() {
	t.idle.clear()
	t.Next.CloseIdleConnections()
}

// errFull is why a connection is not kept that could be.
var errFull = errors.New("enough connections are kept")

// keep puts c, which no call uses any more, where the next call finds it.
func (t *Transport) keep(c *conn, req *http.Request) {
	var err error
	if !t.idle.put(c, t.Next.MaxIdleConnsPerHost, t.Next.IdleConnTimeout) {
		c.hangUp()
		err = errFull
	}
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.PutIdleConn != nil {
		trace.PutIdleConn(err)
	}
}

// rewound returns req with a body that has not been read.
func rewound(req *http.Request) (*http.Request, error) {
	if req.GetBody == nil {
		return req, nil
	}
	again := *req
	var err error
	again.Body, err = req.GetBody()
	return &again, err
}

// discard closes the body of a request that is not sent.
func discard(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}
