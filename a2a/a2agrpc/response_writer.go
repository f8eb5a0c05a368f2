package a2agrpc

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"rialto/a2a/internal/wire"
)

// responseWriter sends the body of a handler's response as gRPC messages.
type responseWriter struct {
	dialect  *wire.Dialect
	op       wire.Op
	stream   grpc.ServerStream
	head     http.Header
	code     int    // 0 until the response begins
	framed   bool   // the body is that of a stream
	body     []byte // what has not been sent
	sent     bool   // the only message of a call that does not stream
	over     error  // the error that ended the response
	patience time.Duration
	late     *time.Timer // runs while a message is received
}

var errTooSlow = status.Error(
	codes.DeadlineExceeded, "the client takes too long to send its message",
)

// serve runs h like run. It ends the call if the client takes too long.
func (a *responseWriter) serve(h http.Handler, req *http.Request) error {
	stuck := make(chan struct{})
	a.late = time.AfterFunc(a.patience, func() { close(stuck) })
	a.late.Stop()
	done := make(chan error, 1)
	go func() { done <- a.run(h, req) }()
	select {
	case err := <-done:
		return err
	case <-stuck:
		return errTooSlow
	}
}

// receive receives the message of the call. Its error ends the response.
func (a *responseWriter) receive() (message []byte, err error) {
	a.late.Reset(a.patience)
	defer a.late.Stop()
	if err = a.stream.RecvMsg(&message); err != nil {
		a.over = err
	}
	return message, err
}

// run calls h and returns the status of the call. A handler aborts the connection with
// http.ErrAbortHandler.
func (a *responseWriter) run(h http.Handler, req *http.Request) (err error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			err = status.Error(codes.Internal, "internal error")
		default:
			panic(v)
		}
	}()
	h.ServeHTTP(a, req)
	return a.end()
}

// end sends the rest of the response.
func (a *responseWriter) end() error {
	a.WriteHeader(http.StatusOK)
	switch {
	case a.over != nil:
		return a.over
	case a.code/100 != 2:
		if challenge := a.head.Values("WWW-Authenticate"); len(challenge) > 0 {
			a.stream.SetTrailer(metadata.MD{"www-authenticate": challenge})
		}
		return decodeStatus(a.dialect, a.code, a.body).Err()
	case a.op.Streams() || a.sent:
		return nil
	case a.op == wire.ExtendedCard:
		card, err := encodeCard(a.dialect, a.body)
		if err != nil {
			return status.Error(codes.Internal, "the card has no form in gRPC")
		}
		return a.send(card)
	default:
		return a.send(a.body)
	}
}

// Header implements http.ResponseWriter.
func (a *responseWriter) Header() http.Header { return a.head }

// WriteHeader sets the status once.
func (a *responseWriter) WriteHeader(code int) {
	if a.code == 0 {
		if uris := wire.ExtensionsIn(a.head); len(uris) > 0 {
			_ = a.stream.SetHeader(metadata.MD{strings.ToLower(a.dialect.ExtensionsHeader()): uris})
		}
		a.code = code
		a.framed = code/100 == 2 && a.op.Streams()
	}
}

// Write sends the frames of a stream that p completes, and buffers the rest. The message of a call
// that does not stream is one write, so that Write returns when a large one has left memory.
func (a *responseWriter) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if len(a.body)+len(p) > maxAnswer {
		a.over = status.Errorf(
			codes.ResourceExhausted,
			"the answer has more than %d bytes; ask for less, such as a smaller page",
			maxAnswer,
		)
		return 0, a.over
	}
	if a.code/100 == 2 && !a.op.Streams() && a.op != wire.ExtendedCard {
		return len(p), a.answer(p)
	}

	a.body = append(a.body, p...)
	for a.framed && a.over == nil {
		message, refused, rest, whole := wire.CutFrame(a.body)
		if !whole {
			break
		}
		a.body = rest
		if refused {
			a.over = decodeStatus(a.dialect, http.StatusInternalServerError, message).Err()
		} else {
			a.over = a.send(message)
		}
	}

	return len(p), a.over
}

// answer sends the message of a call that does not stream.
func (a *responseWriter) answer(message []byte) error {
	if a.sent {
		return status.Error(codes.Internal, "the answer has a second message")
	}
	if len(message) <= smallMessage {
		message = bytes.Clone(message) // it may be sent later
	}
	a.sent, a.over = true, a.send(message)
	return a.over
}

// send sends a message. Package grpc keeps it until the client's windows let it go, even when the
// call has ended, so that a client that does not read in time loses its connection. For a large
// message send waits until then.
func (a *responseWriter) send(message []byte) error {
	if mem.IsBelowBufferPoolingThreshold(cap(message)) {
		return a.stream.SendMsg(&message)
	}

	kept := &keptMessage{released: make(chan struct{})}
	kept.late = time.AfterFunc(
		a.patience+time.Duration(len(message)/minRate)*time.Second,
		func() { closeConnection(a.stream.Context()) },
	)
	if err := a.stream.SendMsg(mem.NewBuffer(&message, kept)); err != nil ||
		len(message) <= smallMessage {
		return err
	}

	select {
	case <-kept.released:
		return nil
	case <-a.stream.Context().Done():
		return a.stream.Context().Err()
	}
}

// keptMessage is a message that package grpc keeps, as the pool to which it returns the memory.
type keptMessage struct {
	late     *time.Timer
	released chan struct{}
}

// Get is not called: nothing is taken from the pool.
func (k *keptMessage) Get(length int) *[]byte { return mem.DefaultBufferPool().Get(length) }

// Put is called when the message was written, or dropped with its call.
func (k *keptMessage) Put(*[]byte) {
	k.late.Stop()
	close(k.released)
}

// Flush starts the response.
func (a *responseWriter) Flush() { a.WriteHeader(http.StatusOK) }
