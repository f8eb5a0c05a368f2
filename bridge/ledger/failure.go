package ledger

import (
	"encoding/json"
	"errors"
	"regexp"

	"rialto/a2a"
	"rialto/bridge/sanitize"
	"rialto/internal/i18n"
)

// MaxReason bounds the words of a failure, in characters.
const MaxReason = 1000

// Failure is a refusal or a breakdown that ended a task.
type Failure struct {
	Code    a2a.Code `json:"code"`
	Message string   `json:"message"`
	Remote  bool     `json:"remote,omitempty"` // the agent said so

	// Presumed says that a replica concluded the failure, because another one that sent the
	// message seems dead. The agent's answer replaces it if that replica still gets it.
	Presumed bool `json:"presumed,omitempty"`

	Sentence *i18n.Stored `json:"sentence,omitempty"` // Message with its values apart, if it has some
}

// Fail returns a failure of our own words.
func Fail(code a2a.Code, format string, args ...any) *Failure {
	m := i18n.New(format, args...)
	return &Failure{Code: code, Message: m.Error(), Sentence: m.Stored()}
}

// Words returns our own words about a failure; nil if an agent said them, or there is none.
func (f *Failure) Words() *i18n.Message {
	switch {
	case f == nil, f.Remote:
		return nil
	case f.Sentence != nil:
		return f.Sentence.Message()
	}
	return &i18n.Message{Key: f.Message}
}

// sentenceKey is where the message of an unsent task keeps its values.
const sentenceKey = "sentence"

// Sentence returns our own words about the state of e with their values apart; nil if an
// agent said them.
func (e *Record) Sentence() *i18n.Message {
	if e.Failure != nil {
		return e.Failure.Words()
	}
	if !e.Unsent() || e.Task.Status.Message == nil {
		return nil
	}

	b, err := json.Marshal(e.Task.Status.Message.Metadata[sentenceKey])
	var stored *i18n.Stored
	if err != nil || json.Unmarshal(b, &stored) != nil || stored == nil {
		return nil
	}

	return stored.Message()
}

// FailureOf puts an error into words that outlive it. What is not in terms of
// the protocol tells of the inside of a network, and is for the log.
func FailureOf(err error) *Failure {
	var e *a2a.Error
	if errors.As(err, &e) {
		why := sanitize.Short(WithoutAddresses(e, e.Error()), MaxReason)
		if e.Unclear {
			why += ". Whether the agent received the message is not known."
		}
		return &Failure{Code: e.Code, Message: why, Remote: e.Remote}
	}

	return &Failure{
		Code:    a2a.Unavailable,
		Message: "The connection to the agent broke before it answered. Whether it received the message is not known.",
	}
}

var (
	agentAt = regexp.MustCompile(`the agent at \S+?(: | failed )`)
	onWire  = regexp.MustCompile(
		`\b((dial|read|write) (tcp|udp)[46]?:? |lookup |` +
			`(tls: failed to verify certificate: )?x509: |its certificate is not valid: ).*`,
	)
)

// WithoutAddresses removes network addresses and causes from the words of an error, for
// users. The log has the whole error.
func WithoutAddresses(e *a2a.Error, words string) string {
	if e.Remote {
		return words
	}

	words = agentAt.ReplaceAllString(words, "the agent$1")
	return onWire.ReplaceAllStringFunc(words, func(fault string) string {
		switch fault[:4] {
		case "dial", "look":
			return "it cannot be reached"
		case "tls:", "x509", "its ":
			return "its certificate is not accepted"
		}
		return "the connection broke"
	})
}

// Refused reports whether err proves that the agent did not take a message.
func Refused(err error) bool {
	var refusal *a2a.Error
	return errors.As(err, &refusal) && (refusal.Remote && !refusal.Unclear || refusal.NotSent)
}

// EndCodes are the codes of tasks that did not succeed, where their agents gave none.
var EndCodes = map[a2a.State]a2a.Code{
	a2a.Failed:   "TASK_FAILED",
	a2a.Rejected: "TASK_REJECTED",
	a2a.Canceled: "TASK_CANCELED",
	a2a.Unknown:  "TASK_STATE_UNKNOWN",
}

// Unsuccessful reports whether a task in a state did not do what it should.
func Unsuccessful(state a2a.State) bool { return EndCodes[state] != "" && state != a2a.Canceled }
