package a2a

import (
	"encoding/json"
	"errors"
	"time"

	"rialto/internal/i18n"
)

// Code is the kind of an Error: a reason of A2A 1.0 (section 5.4) or one of JSON-RPC and
// HTTP. The numbers of each generation are in a2a/internal/wire.
type Code string

// The codes that callers act on.
const (
	TaskNotFound            Code = "TASK_NOT_FOUND"
	TaskNotCancelable       Code = "TASK_NOT_CANCELABLE"
	PushNotSupported        Code = "PUSH_NOTIFICATION_NOT_SUPPORTED"
	UnsupportedOperation    Code = "UNSUPPORTED_OPERATION"
	ContentTypeNotSupported Code = "CONTENT_TYPE_NOT_SUPPORTED"
	InvalidAgentResponse    Code = "INVALID_AGENT_RESPONSE"
	ExtendedCardMissing     Code = "EXTENDED_AGENT_CARD_NOT_CONFIGURED"
	ExtensionRequired       Code = "EXTENSION_SUPPORT_REQUIRED"
	VersionNotSupported     Code = "VERSION_NOT_SUPPORTED"

	ParseFailed     Code = "PARSE_ERROR"
	InvalidRequest  Code = "INVALID_REQUEST"
	MethodNotFound  Code = "METHOD_NOT_FOUND"
	InvalidParams   Code = "INVALID_PARAMS"
	Internal        Code = "INTERNAL_ERROR"
	Unauthenticated Code = "UNAUTHENTICATED"
	Forbidden       Code = "FORBIDDEN"
	Unavailable     Code = "UNAVAILABLE" // not reached, or no answer in time
)

// The narrow codes, which only A2A 0.1 has numbers for. Elsewhere they are
// spelled as the broader ones, and Is takes them for those.
const (
	InvalidTaskState      Code = "INVALID_TASK_STATE"
	StreamingNotSupported Code = "STREAMING_NOT_SUPPORTED"
	RateLimited           Code = "RATE_LIMITED"
)

// Broader returns the general code that includes c, or c itself.
func (c Code) Broader() Code {
	switch c {
	case InvalidTaskState, StreamingNotSupported:
		return UnsupportedOperation
	case RateLimited:
		return Unavailable
	default:
		return c
	}
}

// Error is a refusal or failure in terms of the protocol.
type Error struct {
	Code    Code
	Message string
	Field   string          // the parameter that an error with InvalidParams is about; "" if it is no single one
	Data    json.RawMessage // sent with the error, unchanged; nil if there is none

	// Remote is set when the remote agent returned the error, and unset when we
	// did. The fields below are set only then.
	Remote     bool
	Number     int    // JSON-RPC code as it came; 0 if none did
	HTTPStatus int    // 0 if unknown
	Challenge  string // WWW-Authenticate

	// RetryAfter is how long the agent asks not to be called; 0 if it does not say.
	RetryAfter time.Duration

	// Unclear is set when a gateway that timed out, or a server that failed, answered in
	// place of the agent: the agent may have received the request.
	Unclear bool

	// NotSent is set when the request was not sent, so it had no effect.
	NotSent bool

	// Cause is the underlying error, or nil. It is for logs and errors.Is, not for peers.
	Cause error

	sentence *i18n.Message // of Errorf
}

// Errorf returns an *Error of our own with a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	m := i18n.New(format, args...)
	return &Error{Code: code, Message: m.Error(), sentence: m}
}

// InvalidParam returns an error about a parameter of a call. The message begins with its name.
func InvalidParam(field, format string, args ...any) *Error {
	e := Errorf(InvalidParams, field+" "+format, args...)
	e.Field = field
	return e
}

// Sentence returns the message of Errorf with its values apart, and what an agent said as a value;
// nil if the message is another by now.
func (e *Error) Sentence() *i18n.Message {
	if e.Remote {
		return i18n.New("%s", e.Error())
	}
	if e.sentence == nil || e.sentence.Error() != e.Message {
		return nil
	}
	return e.sentence
}

// Error returns the message, or the code where there is none.
func (e *Error) Error() string {
	if e.Message == "" {
		return string(e.Code)
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// RetryAfter returns how long the sender of err asks not to be called; 0 if it does not ask.
func RetryAfter(err error) time.Duration {
	var e *Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.RetryAfter
}

// ErrStreamEnded ends a stream that broke off before its task was idle. Agent.Task tells how the
// task stands, and Agent.Subscribe may bring the rest.
var ErrStreamEnded = errors.New("the stream ended before the task did")

// ErrNoStream ends the events of a task that the agent does not stream, or floods the stream of.
// Agent.Task tells how the task stands.
var ErrNoStream = errors.New("the agent has no stream of the task")

// ErrNotConnected is the cause of an error about a request that was not sent because there was no
// connection to the agent.
var ErrNotConnected = errors.New("there is no connection to the agent")

// ErrTooLarge is the cause of an error about an answer that exceeds a limit of ours. To ask
// again would fetch it again.
var ErrTooLarge = errors.New("the answer is too large")

// Is reports whether err is, or wraps, an *Error with this code, or one that is a case of it.
func Is(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code == code || e.Code.Broader() == code)
}
