package a2aclient

import (
	"errors"
	"slices"
	"time"

	"rialto/a2a"
)

// A message counts as the whole answer when nothing has followed it for messagesQuiet. Whatever
// follows, messages are joined for at most messagesTime.
const (
	messagesQuiet = 10 * time.Second
	messagesTime  = 10 * time.Minute
)

// joinMessages returns one message with the parts of m and of the messages that follow it in s. A
// stream that answers with a message has exactly one (A2A 1.0 section 3.1.2), but some agents send
// several. If s ends, breaks off or is closed by a timer below, the parts so far are the answer; an
// item that is no message ends it, too, and is dropped. It fails with ErrTooLarge if the messages
// after m take more than limit bytes of s, or if one alone is too large.
func (s *stream) joinMessages(m *a2a.Message, limit int64) (*a2a.Message, error) {
	quiet := time.AfterFunc(messagesQuiet, s.close)
	defer quiet.Stop()
	deadline := time.AfterFunc(messagesTime, s.close)
	defer deadline.Stop()

	joined := *m
	joined.Parts = slices.Clone(m.Parts)
	minLeft := s.in.left - limit
	for {
		s.memory.keep() // the parts of the last message are in joined
		item, err := s.next()
		more, ok := item.Event.(*a2a.Message)
		switch {
		case errors.Is(err, a2a.ErrTooLarge): // one message alone
			return nil, err
		case errors.Is(err, errEndlessStream), ok && s.in.left < minLeft: // all of them together
			return nil, tooLarge(limit)
		case err != nil || !ok:
			return &joined, nil
		}

		joined.Parts = append(joined.Parts, more.Parts...)
		quiet.Reset(messagesQuiet)
	}
}
