package bridge

import "rialto/a2a"

// idleHands is how many goroutines wait for work at most.
const idleHands = 32

// job is a follower, and the message that it is to send; nil if there is none.
type job struct {
	f    *follower
	send *a2a.SendRequest
}

// employ has a follower live, on a goroutine that waits for work or on a new one.
// What a follower does takes a larger stack than goroutines begin with, and a stack
// is copied when it grows: so those that have one are kept for the next followers.
func (b *Bridge) employ(f *follower, send *a2a.SendRequest) {
	select {
	case b.jobs <- job{f, send}:
	default: // nobody waits
		b.wg.Go(func() { b.work(job{f, send}) })
	}
}

// work does a job, and then those that come, until enough others wait for more or
// the bridge closes.
func (b *Bridge) work(j job) {
	for {
		j.f.live(j.send)
		j = job{} // the task is not held while nothing comes
		if b.idle.Add(1) > idleHands {
			b.idle.Add(-1)
			return
		}
		select {
		case j = <-b.jobs:
			b.idle.Add(-1)
		case <-b.running.Done():
			return
		}
	}
}
