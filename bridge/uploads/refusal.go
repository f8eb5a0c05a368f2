package uploads

import "rialto/internal/i18n"

// Refusal is why a file is not taken, in words for the person who sends it. It is one of the errors
// of this package as well.
type Refusal struct {
	*i18n.Message
	reason error
}

// Unwrap returns the error.
func (r Refusal) Unwrap() error { return r.reason }

func refuse(reason error, format string, args ...any) error {
	return Refusal{i18n.New(format, args...), reason}
}
