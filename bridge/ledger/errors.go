package ledger

import (
	"errors"

	"rialto/a2a"
	"rialto/internal/i18n"
)

// ErrNoTask says that the owner has no such task. Another owner may have one.
var ErrNoTask = errors.New("no such task")

// ErrTaskBusy says that a task takes no message now, because it is working.
var ErrTaskBusy = errors.New("the task takes no message now")

// ErrTooManyTasks says that the owner has the largest number of running tasks.
var ErrTooManyTasks = errors.New("too many tasks are running")

// ErrLeaseLost says that another replica follows the task now.
var ErrLeaseLost = errors.New("another replica follows the task")

// ErrTaskEnded says that a task takes no more messages.
var ErrTaskEnded = errors.New("the task has ended")

// ErrCursor says that the cursor did not come from a list.
var ErrCursor error = InputError{
	Text: "The argument \"cursor\" is not the next_cursor of an earlier list_tasks result. Leave it out to start at the latest task.",
}

// InputError is a mistake of the caller, in words the caller can act on.
type InputError struct{ Text string }

func (e InputError) Error() string { return e.Text }

// NotCancelable says why a task in a state cannot be canceled: it has ended, or its agent has not
// confirmed it. It is an InputError that keeps the values of its sentence.
type NotCancelable struct {
	*i18n.Message
	State a2a.State
}

// Unwrap returns the InputError.
func (e NotCancelable) Unwrap() error { return InputError{Text: e.Error()} }

// CanceledBefore reports whether err says that a task is canceled already. A protocol in which
// cancellation is idempotent takes it as success.
func CanceledBefore(err error) bool {
	e, ok := errors.AsType[NotCancelable](err)
	return ok && e.State == a2a.Canceled
}

// InputText returns the text of an InputError in err.
func InputText(err error) (string, bool) {
	e, ok := errors.AsType[InputError](err)
	return e.Text, ok
}
