package wire

import (
	"encoding/json"

	"rialto/a2a"
)

// EncodeNotification returns t as the body of a push notification, in the generation that asked for
// it: a StreamResponse in 1.0 (section 4.3.3), the bare task before. In 0.3 that is the task of
// JSON-RPC whatever binding asked, for that is what the senders of its SDKs write (a2a-js 0.3,
// a2a-go 0.3, a2a-python 0.3) and so what webhooks know.
func EncodeNotification(g a2a.Generation, t *a2a.Task) (json.RawMessage, error) {
	d, ok := ByGeneration(g)
	if !ok {
		d = &v10
	}
	if d == &v10 {
		return d.EncodeEvent(t)
	}
	return d.EncodeTask(t)
}
