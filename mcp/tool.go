package mcp

import (
	"context"
	"encoding/json"
	"time"
)

// Tool is something that a model can call.
type Tool struct {
	Name, Title, Description string
	Icons                    []Icon
	// InputSchema is the JSON Schema of the arguments, an object. What it
	// says of types, required and enumerated values is checked before Call;
	// keywords beyond that are for the client to read and for Call to mind.
	InputSchema json.RawMessage
	// OutputSchema is the JSON Schema of Result.Structured; nil if there is
	// none.
	OutputSchema json.RawMessage

	// The hints are always written out: a client takes an absent one for the
	// worst.
	ReadOnly, Destructive, Idempotent, OpenWorld bool

	// Tasks says whether Call may begin a task. It is only of use to a Server
	// with Tasks.
	Tasks TaskSupport

	// DetachedFor is how long a call may take that goes on when its client hangs
	// up: what should not be left half done. Zero ends a call with its client
	// where hanging up means to cancel, and else by Server.CallTimeout, and both
	// count alike.
	DetachedFor time.Duration

	// SecuritySchemes tell a client which login the tool needs. Nil leaves
	// them out.
	SecuritySchemes []SecurityScheme

	// Call does what the tool is for. What went wrong in doing so is a Result
	// that a model can read and act on: see ErrorResult and InputError. An
	// *Error is answered as it is. Any other error is logged, and the client
	// is only told that there was one.
	Call func(context.Context, *Call) (*Result, error)

	// Refused is told of a call that does not reach Call, because its arguments do
	// not fit InputSchema. It may be nil.
	Refused func(context.Context, *Call)
}

// SecurityScheme is one way to be allowed to call a tool, in the form that
// ChatGPT reads: Type is "noauth" or "oauth2".
type SecurityScheme struct {
	Type   string   `json:"type"`
	Scopes []string `json:"scopes,omitempty"`
}

// Call is one call of a tool.
type Call struct {
	Tool      string
	Arguments json.RawMessage // a JSON object, {} if the client sent none
	Principal string          // whom it acts for, "" for nobody
	Client    Client

	// Progress tells a client that asked for it how the call is going, on the
	// stream of this very request. It is never nil, may be called from
	// several goroutines, and does nothing once the call is answered.
	Progress func(message string)

	// TakesTask says that the Result may be a task. Before 2026-07-28 it has
	// to be one then, if the tool says that it begins any.
	TakesTask bool

	asker *asker // nil in a Call that no server made
}

// Client is what is known of the calling program. Name and Version are what it
// says of itself.
type Client struct {
	Name, Version string
	// Revision is the protocol revision of the request.
	Revision string
	// Capabilities is the object in which the client declared what it can
	// do; nil if unknown.
	Capabilities json.RawMessage
}

// extends tells whether the client declared an extension.
func (c *Client) extends(extension string) bool {
	var few, more [8]member
	extensions := find(membersOf(few[:0], c.Capabilities), "extensions")
	return find(membersOf(more[:0], extensions), extension) != nil
}
