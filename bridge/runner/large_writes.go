package runner

import (
	"sync"
	"time"
)

// largeWrites lets one large task be written at a time, and the database rest for as long
// afterwards, so that what others write does not wait for many of them. The zero value is ready.
type largeWrites struct{ mu sync.Mutex }

// begin waits for the turn of a write or, unless it must be done, reports false if others have it.
// The caller calls end.
func (w *largeWrites) begin(must bool) (end func(), ok bool) {
	if !must && !w.mu.TryLock() {
		return nil, false
	}
	if must {
		w.mu.Lock()
	}
	begun := time.Now()
	return func() { time.AfterFunc(time.Since(begun), w.mu.Unlock) }, true
}
