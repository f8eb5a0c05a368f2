package a2agrpc

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

// stream makes a streaming call. It waits for the first message, because servers refuse there,
// but not longer than limit.
func stream(
	ctx context.Context,
	conn *grpc.ClientConn,
	name string,
	message []byte,
	limit time.Duration,
) (*http.Response, error) {
	m := &messages{Reader: http.NoBody}
	m.ctx, m.cancel = context.WithCancelCause(ctx)
	late := time.AfterFunc(limit, func() { m.cancel(tooSlow(limit)) })
	defer late.Stop()
	if err := m.open(conn, name, message); err != nil {
		defer m.cancel(nil)
		return refusal(m.ctx, metadataOf(m.s), err)
	}

	header, _ := m.s.Header() // it has come before the first message
	h := responseMetadata{header: header}
	resp := newResponse(http.StatusOK, h.withExtensions(streamHeader), nil)
	resp.Body = m
	return resp, nil
}

// messages are a2aclient.Messages.
type messages struct {
	io.Reader                 // of nothing
	ctx       context.Context // of the call; that of s ends with s
	cancel    context.CancelCauseFunc
	s         grpc.ClientStream // nil if it never began

	last  []byte // the last that was read
	ahead bool   // Next has not returned it yet
	over  error  // why there is nothing more
}

// open starts the call and waits for its first message.
func (m *messages) open(conn *grpc.ClientConn, name string, message []byte) (err error) {
	m.s, err = conn.NewStream(
		m.ctx,
		streams,
		name,
		rawCodec,
		grpc.MaxCallRecvMsgSize(DefaultMaxMessage),
	)
	if err != nil {
		return err
	}
	if err := m.s.SendMsg(&message); err != nil { // then nothing more is sent
		return err
	}

	err = m.s.RecvMsg(&m.last)
	if errors.Is(err, io.EOF) {
		m.over = io.EOF // without a message
		return nil
	}

	m.ahead = true
	return err
}

// Next implements a2aclient.Messages. A cut connection is an error.
func (m *messages) Next() (message []byte, refused bool, err error) {
	if m.over != nil {
		return nil, false, m.over
	}
	if !m.ahead {
		m.over = m.s.RecvMsg(&m.last)
	}
	m.ahead = false
	if m.over == nil {
		return m.last, false, nil
	}

	st, _ := status.FromError(m.over)
	switch {
	case tooLarge(st):
		return nil, false, errTooLarge()
	case errors.Is(m.over, io.EOF):
		return nil, false, io.EOF
	case m.ctx.Err() != nil, !metadataOf(m.s).answers(st.Code()):
		return nil, false, cmp.Or(m.ctx.Err(), m.over)
	default:
		m.over = io.EOF
		_, message = encodeStatus(st)
		return message, true, nil
	}
}

// Close ends the call.
func (m *messages) Close() error {
	m.cancel(nil)
	return nil
}
