package operator

import (
	"errors"

	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/i18n"
	"rialto/internal/quota"
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
	Busy                   // the same request may succeed in a few seconds
)

// Error returns the sentence with its arguments.
func (e *Error) Error() string { return e.Sentence().Error() }

// Is reports whether target has the same code, or is ErrNotFound and so is e.
func (e *Error) Is(target error) bool {
	if target == ErrNotFound {
		return e.Reason == NotFound
	}
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Sentence returns the sentence with its arguments apart.
func (e *Error) Sentence() *i18n.Message {
	return (&i18n.Stored{Key: e.Text, Values: e.Args}).Message()
}

// Refuse returns an Error that says m.
func Refuse(code string, m *i18n.Message) *Error {
	s := m.Stored()
	return invalid(code, s.Key).with(s.Values...)
}

func invalid(code, text string) *Error { return &Error{Reason: Invalid, Code: code, Text: text} }

func conflict(code, text string) *Error { return &Error{Reason: Conflict, Code: code, Text: text} }

func notFound(code, text string) *Error { return &Error{Reason: NotFound, Code: code, Text: text} }

// with returns the error with arguments.
func (e Error) with(args ...string) *Error {
	e.Args = args
	return &e
}

// Errors that callers ask for. ErrNotFound is any Error with the reason NotFound.
var (
	ErrNotFound   = notFound("not_found", "This doesn't exist.")
	ErrCursor     = invalid("bad_cursor", "This page doesn't exist. Start at the first page.")
	ErrOwnAccount = invalid(
		"own_account",
		"This is your own account. Another administrator can change its role or remove it.",
	)
	ErrOtherCard = conflict(
		"other_card", "The agent now has another card. Check the new one first.",
	)
)

var (
	errAgentExists = conflict("agent_exists", "There is an agent with this name.")
	errUnnamed     = invalid("agent_unnamed", "The card couldn't be read: give the agent a name.")

	errBusy = &Error{
		Reason: Busy,
		Code:   "busy",
		Text:   "Too many passwords are being checked right now. Try again in a few seconds.",
	}
	errNoPassword = invalid(
		"no_password", "This account signs in elsewhere and has no password here.",
	)

	errDisabled = invalid("account_disabled", "This account is disabled. Enable it first.")

	errConfiguredClient = invalid(
		"client_configured",
		"This client is in the configuration: remove it there. Its grants can be revoked here.",
	)
	errApp         = invalid("bad_app", "The only app that can be named is claude.")
	errWhoseGrants = invalid(
		"whose_grants", "Name the account or the app to disconnect.",
	)
	errNoServer = invalid("no_server", "Tasks can only be canceled at the server.")
	errState    = invalid("bad_state", "There is no state {}.")
	errAddress  = invalid(
		"bad_address", "Enter a full address, such as https://rialto.example/mcp.",
	)
	errDoctorBusy = invalid("doctor_busy", "The doctor is busy. Try again in a minute.")
	errTime       = invalid(
		"bad_time",
		"Write a time as 2026-11-21T08:00:00Z, as 2026-11-21, or as how long ago it was: 90m, 24h, 7d.",
	)
	errMonth       = invalid("bad_month", "{} is not a month such as 2026-11.")
	errTimeOrder   = invalid("time_order", "The end is before the beginning.")
	errBy          = invalid("bad_by", "Usage is added up by {}.")
	errOutcome     = invalid("bad_outcome", "A call ends as ok, errors, failed, refused or canceled.")
	errStep        = invalid("bad_step", "A series goes by the hour or the day.")
	errTooManySums = invalid(
		"too_many_sums", "There are more than {} sums. Choose a shorter time, or longer steps.",
	)
	errTooManyNamed = invalid("too_many_apps", "Too many apps are called {}. Choose one by its ID.")
	errFormat       = invalid("bad_format", "The format {} isn't csv or json.")
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
	{oauth.ErrExists, invalid("account_exists", "There is an account with this name.")},
	{oauth.ErrBadName, invalid("bad_name", "A name has letters, digits and punctuation, up to 64 bytes.")},
	{
		signin.ErrBadPassword,
		invalid(
			"bad_password",
			"A password has at least 8 characters, at most 1,024 bytes, and no control characters.",
		),
	},
	{
		signin.ErrCommonPassword,
		invalid("common_password", "This password is too easy to guess. Choose another."),
	},
	{
		token.ErrNoKeys,
		invalid(
			"no_keys",
			"There are no signing keys: tokens are made with the secret of the configuration.",
		),
	},
	{directory.ErrNoAgent, notFound("no_agent", "There is no such agent.")},
	{directory.ErrExists, errAgentExists},
	{
		directory.ErrChanged,
		conflict("agent_changed", "The agent was changed in the meantime. Check it again."),
	},
	{directory.ErrTooMany, conflict("too_many_agents", "There are too many agents. Remove one first.")},
	{
		directory.ErrConfigured,
		invalid(
			"agent_configured",
			"This agent is in the configuration: change it there. Here it can only be disabled and enabled.",
		),
	},
	{directory.ErrNoConnector, notFound("no_connector", "There is no such connector.")},
	{directory.ErrConnectorExists, conflict("connector_exists", "There is a connector with this name.")},
	{
		directory.ErrConnectorChanged,
		conflict("connector_changed", "The connector was changed in the meantime. Check it again."),
	},
	{
		directory.ErrTooManyConnectors,
		conflict("too_many_connectors", "There are too many connectors. Remove one first."),
	},
	{
		directory.ErrConfiguredConnector,
		invalid("connector_configured", "This connector is in the configuration: change it there."),
	},
	{directory.ErrNoCard, conflict("no_card", "No card of this agent waits to be accepted.")},
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
	if _, full := errors.AsType[*quota.Refusal](err); full {
		return errBusy
	}

	return err
}
