// Package dberr marks errors of a database that cannot be used now: it is away, locked,
// overloaded, or its disk is full. The stores return such errors (sqldb.Classify decides which), each
// protocol answers them with "try again later", and the log has them once a minute.
package dberr

import (
	"errors"
	"time"
)

// RetryAfter is how long clients are asked to wait.
const RetryAfter = 5 * time.Second

// RetryAfterHeader is RetryAfter as an HTTP header.
const RetryAfterHeader = "5"

// Error says that the database cannot be used now. Cause is for logs and errors.Is, not for
// clients: it may name hosts and files.
type Error struct {
	Overloaded bool // it works, but has too much to do
	Cause      error
}

// Error returns the cause.
func (e *Error) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Text is what clients read.
func (e *Error) Text() string {
	if e.Overloaded {
		return "The server's database is overloaded. Try again in a moment."
	}
	return "The server's database is not available. Try again in a moment."
}

// As returns the *Error that err is or wraps, if there is one.
func As(err error) (*Error, bool) { return errors.AsType[*Error](err) }
