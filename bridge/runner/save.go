package runner

import (
	"context"
	"errors"
	"sync"
	"time"

	"rialto/bridge/ledger"
)

const (
	saveFirst   = 25 * time.Millisecond  // until an answer is first written: many tasks are done by then
	saveEvery   = 250 * time.Millisecond // between two writes of a small task that streams
	writeBudget = 10 * time.Second
)

// pause is the time between two writes. A task is written whole, with its revisions, so
// a large task is written less often.
func (f *Follower) pause() time.Duration {
	if f.saved.IsZero() {
		return saveFirst
	}
	return saveEvery * time.Duration(1+(f.size+f.revisionsSize)>>18)
}

// saveSoon writes the record now if a pause has passed since the last write, and otherwise
// after another pause. It is called with f.mu held.
func (f *Follower) saveSoon(now time.Time) {
	last := f.saved
	if last.IsZero() {
		last = f.begun
	}

	pause := f.pause()
	switch {
	case now.Sub(last) >= pause:
		f.write()
	case f.timer == nil:
		f.timer = time.AfterFunc(pause, func() { f.Save() })
	}
}

// Save writes what is not written yet, and reports whether everything is written.
func (f *Follower) Save() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.write()
	return !f.dirty()
}

// flush writes the last state, and retries until it is written, another replica follows
// the task, or the runner closes.
func (f *Follower) flush(ctx context.Context) {
	pause := retrying()
	for !f.Save() && pause.wait(ctx, 0) {
	}
}

// write is called with f.mu held.
func (f *Follower) write() {
	if f.timer != nil {
		f.timer.Stop()
		f.timer = nil
	}
	if !f.dirty() {
		return
	}
	if f.size+f.revisionsSize > largeTask {
		urgent := f.record.Idle || f.recorded.IsZero() || f.r.running.Err() != nil
		end, ok := f.r.quotas.writes.begin(urgent)
		if !ok {
			f.timer = time.AfterFunc(f.pause(), func() { f.Save() })
			return
		}
		defer end()
	}

	ctx, cancel := f.r.writeContext()
	defer cancel()
	if f.recorded.IsZero() {
		f.add(ctx)
		return
	}

	err := f.r.Ledger.SaveTask(ctx, f.record, f.r.Replica)
	f.saved = f.r.Now()
	switch {
	case errors.Is(err, ledger.ErrLeaseLost):
		f.r.Log.Warn("another replica took the task over", "task", f.record.Handle)
		f.state = released
		f.endStream()
	case err != nil:
		f.r.Log.Error("writing a task", "task", f.record.Handle, "err", err)
	default:
		f.recorded = f.record.Updated
		f.r.Publisher.changed(f.record)
	}
}

// largeWrites lets one large task be written at a time, and the database rest for as long
// afterwards, so that what others write does not wait for many of them. The zero value is ready.
type largeWrites struct{ mu sync.Mutex }

// begin waits until an urgent write may be made. Of another write, it reports false if it would
// have to wait. The caller calls end.
func (w *largeWrites) begin(urgent bool) (end func(), ok bool) {
	if !urgent && !w.mu.TryLock() {
		return nil, false
	}
	if urgent {
		w.mu.Lock()
	}
	begun := time.Now()
	return func() { time.AfterFunc(time.Since(begun), w.mu.Unlock) }, true
}
