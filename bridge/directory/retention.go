package directory

import (
	"time"

	"rialto/bridge/ledger"
)

// defaultRetention is how long finished tasks are kept of agents without a setting.
const defaultRetention = 90 * 24 * time.Hour

// RetentionOf returns how long the idle tasks of an agent are kept.
func (d *Directory) RetentionOf(agent string) time.Duration {
	if p := d.Lookup(agent); p != nil && p.Retention != 0 {
		return time.Duration(p.Retention)
	}
	return defaultRetention
}

// KeptFor returns how long a task is kept from its creation, as known now: the retention restarts
// with each change and does not run while the task does.
func (d *Directory) KeptFor(e *ledger.Record) time.Duration {
	last := e.Updated
	if now := d.Now(); !e.Idle && now.After(last) {
		last = now
	}
	return last.Sub(e.Created) + d.RetentionOf(e.Agent)
}
