package ledger

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"rialto/a2a"
)

// RepeatsFor is how long a message counts as the repetition of an equal one.
// Later it is another: there are clients whose ids never change.
const RepeatsFor = time.Hour

// ErrDuplicate says that a message is the repetition of one that was sent.
type ErrDuplicate struct {
	Handle string // of the task that it has started or continued
}

// Error says so in words.
func (e ErrDuplicate) Error() string { return "the message was sent before" }

// Digest identifies a message by its id and its content, so that a repeated message is
// recognized. The id alone is not enough: some clients number their messages from one in
// each process. It is "" for a message without an id.
func Digest(m *a2a.Message) string {
	if m.ID == "" {
		return ""
	}
	b, err := json.Marshal(m)
	if err != nil {
		return "" // it has no JSON form, so it did not come over a wire
	}
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
