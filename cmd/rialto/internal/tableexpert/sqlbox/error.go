package sqlbox

import (
	"errors"
	"fmt"
)

// Code says what was wrong with a statement.
type Code string

// The codes that callers act on.
const (
	NotRead   Code = "not-a-read" // it would write, or is a command of another kind
	NotOne    Code = "not-one"    // it is none, or more than one
	Forbidden Code = "forbidden"  // it uses a table or function that is not offered
	BadSQL    Code = "bad-sql"    // SQLite does not understand it
	TooSlow   Code = "too-slow"   // it used up its time
	TooLarge  Code = "too-large"  // it used up its memory or disk
	BadData   Code = "bad-data"   // the database file cannot be read
)

// Error is a refusal or failure, in words for the author of the statement.
type Error struct {
	Code    Code
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

func errorf(c Code, format string, args ...any) *Error {
	return &Error{Code: c, Message: fmt.Sprintf(format, args...)}
}

var (
	errTimeout = errors.New("the time is up")
	errStopped = errors.New("the query was stopped")
)
