package mcp

import (
	"context"
	"encoding/json"
	"time"

	"rialto/mcp/internal/schema"
	"rialto/mcp/internal/wire"
)

// Tool is something that a model can call.
type Tool struct {
	Name, Title, Description string
	// InputSchema is the JSON Schema of the arguments, an object. Types, required and
	// enumerated values and bounds are checked before Call; other keywords are for the
	// client to read and for Call to check.
	InputSchema json.RawMessage
	// OutputSchema is the JSON Schema of Result.Structured; nil if there is none.
	OutputSchema json.RawMessage

	// The hints are always written out: a client assumes the worst of an absent one.
	ReadOnly, Destructive, Idempotent, OpenWorld bool

	// Tasks says whether Call may begin a task. It requires a Server with Tasks.
	Tasks TaskSupport

	// View connects the tool with an app; nil if it has none.
	View *View

	// FileParams names the properties of InputSchema that ChatGPT fills with files of the chat
	// (_meta["openai/fileParams"]). They are not checked: Call says what is wrong with them.
	FileParams []string

	// DetachedFor is how long a call may take that goes on when its client disconnects. Zero ends a
	// call with its client where disconnecting means to cancel, and else by Limits.CallTimeout.
	DetachedFor time.Duration

	// SecuritySchemes tell a client which login the tool needs. Nil leaves them out.
	SecuritySchemes []SecurityScheme

	// Call does the work. A failure of the work is a Result that a model can read and
	// act on: see ErrorResult and InputError. An *Error is answered as it is. Any other
	// error is logged, and the client gets "internal error".
	Call func(context.Context, *Call) (*Result, error)
}

// Example returns arguments that InputSchema takes; {} only if it has none, and nil if there is no
// example.
func (t *Tool) Example() json.RawMessage {
	s, err := schema.Parse(t.InputSchema)
	if err != nil {
		return nil
	}
	return s.Example()
}

// Accepts tells whether InputSchema takes arguments.
func (t *Tool) Accepts(arguments json.RawMessage) bool {
	s, err := schema.Parse(t.InputSchema)
	return err == nil && json.Valid(arguments) && s.Allows(arguments)
}

// SecurityScheme is one way to be allowed to call a tool, in the form that ChatGPT
// reads: Type is "noauth" or "oauth2".
type SecurityScheme struct {
	Type   string   `json:"type"`
	Scopes []string `json:"scopes,omitempty"`
}

// Client is what is known of the calling program.
type Client = wire.Client

// Call is one call of a tool.
type Call struct {
	Tool      string
	Arguments json.RawMessage // a JSON object, {} if the client sent none
	Principal string          // whom it acts for, "" if anonymous
	Client    Client

	// Progress reports to a client that asked for it how the call is going, on the
	// stream of this request. It is never nil, may be called from several goroutines,
	// and does nothing once the call is answered.
	Progress func(message string)

	// TakesTask says that the Result may be a task. Before 2026-07-28 it then has to be
	// one, if the tool says that it begins tasks.
	TakesTask bool

	elicitor *elicitor // nil in a Call that no server made
}

// Decode reads the arguments into args, a pointer to a struct whose tags name them.
// Names are compared exactly. It returns nil, or the result that explains what is wrong
// with them and the schema could not say.
func (c *Call) Decode(args any) *Result {
	if problem := schema.Decode(c.Tool, c.Arguments, args); problem != "" {
		return ErrorResult(problem)
	}
	return nil
}

// CloseStream ends the connection on which the client waits for the result, and lets the client
// come back for it, so that a long call holds no connection (SEP-1699, in revision 2025-11-25). The
// call goes on. It returns false and does nothing where the client could not come back.
func (c *Call) CloseStream() bool { return c.elicitor != nil && c.elicitor.r.CloseStream() }

// ContinueWith names the call that brings the result of this one, for a client before 2026-07-28
// that comes back for the result after a restart, or at another replica (Last-Event-ID). It must
// change nothing. Call is called when the stream of the result begins, which it may never do;
// with nil or long arguments, no call continues this one.
func (c *Call) ContinueWith(tool string, arguments func() map[string]any) {
	if c.elicitor == nil || c.elicitor.r.Modern() {
		return
	}
	c.elicitor.r.ContinueWith("tools/call", func() json.RawMessage {
		args := arguments()
		if args == nil {
			return nil
		}
		b, err := json.Marshal(map[string]any{"name": tool, "arguments": args})
		if err != nil {
			return nil
		}
		return b
	})
}
