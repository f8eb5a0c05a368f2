package operator

import (
	"errors"
	"strings"

	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/message"
	"rialto/oauth"
	"rialto/oauth/signin"
	"rialto/oauth/token"
)

// Error refuses a request of an operator. Programs act on Reason and Code; people
// read Text, in which each {} stands for one of Args.
type Error struct {
	Reason Reason
	Code   string // unique to the text, for translations
	Text   string // an English sentence
	Args   []string
}

// Reason says what kind of refusal an Error is.
type Reason int

// The reasons.
const (
	Invalid  Reason = iota // the request asks for what cannot be
	NotFound               // what the request names does not exist
	Conflict               // the request does not fit what is stored now
)

// Error returns the sentence with its arguments.
func (e *Error) Error() string {
	text := e.Text
	for _, a := range e.Args {
		text = strings.Replace(text, "{}", a, 1)
	}
	return text
}

// Is reports whether target has the same code, or is ErrNotFound and so is e.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && (t.Code == e.Code || t == ErrNotFound && e.Reason == NotFound)
}

// Sentence returns the sentence with its arguments apart.
func (e *Error) Sentence() *message.Message {
	return (&message.Stored{Key: e.Text, Values: e.Args}).Message()
}

// Refuse returns an Error that says m.
func Refuse(code string, m *message.Message) *Error {
	s := m.Stored()
	return &Error{Reason: Invalid, Code: code, Text: s.Key, Args: s.Values}
}

// with returns the error with arguments.
func (e Error) with(args ...string) *Error {
	e.Args = args
	return &e
}

// Errors that callers ask for. ErrNotFound is any Error with the reason NotFound.
var (
	ErrNotFound   = &Error{NotFound, "not_found", "This does not exist.", nil}
	ErrCursor     = &Error{Invalid, "bad_cursor", "This page does not exist. Start at the first page.", nil}
	ErrOwnAccount = &Error{Invalid, "own_account", "This is your own account. Another administrator can change its role or remove it.", nil}
	ErrOtherCard  = &Error{Conflict, "other_card", "The agent now shows another card. Look at the new card first.", nil}
)

var (
	errNoAgent       = &Error{NotFound, "no_agent", "There is no such agent.", nil}
	errNoCard        = &Error{Conflict, "no_card", "No card of this agent waits to be accepted.", nil}
	errAgentExists   = &Error{Conflict, "agent_exists", "There is an agent with this name.", nil}
	errAgentChanged  = &Error{Conflict, "agent_changed", "The agent was changed in between. Look at it again.", nil}
	errTooManyAgents = &Error{Conflict, "too_many_agents", "There are too many agents. Remove one first.", nil}
	errConfigured    = &Error{Invalid, "agent_configured", "This agent is in the configuration: change it there. Here it can only be disabled and enabled.", nil}
	errUnnamed       = &Error{Invalid, "agent_unnamed", "The card could not be read: give the agent a name.", nil}

	errAccountExists  = &Error{Invalid, "account_exists", "There is an account with this name.", nil}
	errBadName        = &Error{Invalid, "bad_name", "A name has letters, digits and punctuation, up to 64 bytes.", nil}
	errBadPassword    = &Error{Invalid, "bad_password", "A password has at least 8 characters, at most 1,024 bytes, and no control characters.", nil}
	errCommonPassword = &Error{Invalid, "common_password", "This password is one of the first that are guessed. Choose another.", nil}
	errNoPassword     = &Error{Invalid, "no_password", "This account signs in elsewhere and has no password here.", nil}

	errConfiguredClient = &Error{Invalid, "client_configured", "This client is in the configuration: remove it there. Its grants can be revoked here.", nil}
	errWhoseGrants      = &Error{Invalid, "whose_grants", "Name the account or the client whose grants you want to revoke.", nil}
	errNoKeys           = &Error{Invalid, "no_keys", "There are no signing keys: tokens are made with the secret of the configuration.", nil}
	errNoServer         = &Error{Invalid, "no_server", "Tasks can only be canceled at the server.", nil}
	errState            = &Error{Invalid, "bad_state", "There is no state {}.", nil}
	errAddress          = &Error{Invalid, "bad_address", "This is not an address such as https://rialto.example/mcp.", nil}
	errDoctorBusy       = &Error{Invalid, "doctor_busy", "The doctor is busy. Try again in a minute.", nil}
	errTime             = &Error{Invalid, "bad_time", "Write a time as 2026-11-21T08:00:00Z, as 2026-11-21, or as how long ago it was: 90m, 24h, 7d.", nil}
	errTimeOrder        = &Error{Invalid, "time_order", "The time ends before it begins.", nil}
	errBy               = &Error{Invalid, "bad_by", "Usage is added up by {}.", nil}
	errOutcome          = &Error{Invalid, "bad_outcome", "A call ends as ok, errors, failed, refused or canceled.", nil}
	errStep             = &Error{Invalid, "bad_step", "A series goes by the hour or the day.", nil}
	errTooManySums      = &Error{Invalid, "too_many_sums", "There are more than {} sums. Choose a shorter time, or longer steps.", nil}
	errTooManyNamed     = &Error{Invalid, "too_many_apps", "Too many apps are called {}. Choose one by its ID.", nil}
	errFormat           = &Error{Invalid, "bad_format", "The format {} is not csv or json.", nil}
)

// AgentError says that an agent cannot be used with its settings, or that its card
// could not be read.
type AgentError struct{ Err error }

// Error returns the reason.
func (e *AgentError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *AgentError) Unwrap() error { return e.Err }

// refusals are the errors of other packages, and how this package says them. The
// first row that fits counts.
var refusals = []struct {
	is error
	as *Error
}{
	{oauth.ErrNotFound, ErrNotFound},
	{ledger.ErrNoTask, ErrNotFound},
	{oauth.ErrExists, errAccountExists},
	{oauth.ErrBadName, errBadName},
	{signin.ErrBadPassword, errBadPassword},
	{signin.ErrCommonPassword, errCommonPassword},
	{token.ErrNoKeys, errNoKeys},
	{directory.ErrNoAgent, errNoAgent},
	{directory.ErrExists, errAgentExists},
	{directory.ErrChanged, errAgentChanged},
	{directory.ErrTooMany, errTooManyAgents},
	{directory.ErrConfigured, errConfigured},
	{directory.ErrNoCard, errNoCard},
	{directory.ErrOtherCard, ErrOtherCard},
}

// refusal returns the Error that an error of another package stands for, or the error as it is.
func refusal(err error) error {
	for _, r := range refusals {
		if errors.Is(err, r.is) {
			return r.as
		}
	}
	if wrong, ok := errors.AsType[*directory.ConfigError](err); ok {
		return &AgentError{wrong.Err}
	}
	return err
}
