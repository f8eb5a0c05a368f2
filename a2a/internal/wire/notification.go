package wire

import (
	"encoding/json"

	"rialto/a2a"
)

// EncodeNotification returns t as the body of a push notification, in the
// words of the call that asked for it: a StreamResponse in 1.0 (section 4.3.3),
// the bare task before.
func EncodeNotification(g a2a.Generation, b a2a.Binding, t *a2a.Task) (json.RawMessage, error) {
	d, ok := ByGeneration(g)
	switch {
	case !ok:
		d = &v10
	case d == &v03 && b == a2a.HTTPJSON:
		d = &v03rest
	}
	if d == &v10 {
		return d.EncodeEvent(t)
	}
	return d.EncodeTask(t)
}
