package a2aclient

import (
	"errors"
	"slices"
	"time"

	"rialto/a2a"
)

// messagesQuiet bounds how long a stream may send nothing after a message before the message
// counts as the whole answer, and messagesTime how long messages are collected.
const (
	messagesQuiet = 10 * time.Second
	messagesTime  = 10 * time.Minute
)

// joinMessages reads the messages that follow m in s and returns one message with the parts of all. A
// stream that answers with a message has exactly one (A2A 1.0 section 3.1.2), but some agents send
// several. It fails if they have more than limit bytes together. If s breaks off, the
// messages received so far are the answer.
func (s *stream) joinMessages(m *a2a.Message, limit int64) (*a2a.Message, error) {
	quiet := time.AfterFunc(messagesQuiet, s.close)
	defer quiet.Stop()
	late := time.AfterFunc(messagesTime, s.close)
	defer late.Stop()
	all := *m
	least := s.in.left - limit
	all.Parts = slices.Clone(m.Parts)
	for {
		s.memory.keep()
		item, err := s.next()
		next, ok := item.Event.(*a2a.Message)
		switch {
		case errors.Is(err, a2a.ErrTooLarge):
			return nil, err
		case errors.Is(err, errEndlessStream), ok && s.in.left < least:
			return nil, tooLarge(limit)
		case err != nil || !ok:
			return &all, nil
		}
		all.Parts = append(all.Parts, next.Parts...)
		quiet.Reset(messagesQuiet)
	}
}
