// Package sse reads and writes event streams (WHATWG HTML, section 9.2,
// "Server-sent events"), with a bound on everything that the peer decides. It
// does not reconnect, and does not know what events mean.
package sse

import "time"

// ContentType is the media type of an event stream.
const ContentType = "text/event-stream"

// DefaultType is the type of an event that names none.
const DefaultType = "message"

// Event is one event of a stream.
type Event struct {
	// ID is the last id that the stream has named, in this event or in an
	// earlier one. A Writer writes it if it is not empty.
	ID string
	// Type is DefaultType unless the event names another.
	Type string
	// Retry is how long the client should wait before it reconnects. A Writer writes
	// it if it is not zero; for a Reader, see Reader.Retry.
	Retry time.Duration
	Data  []byte
}
