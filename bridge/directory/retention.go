package directory

import "time"

// defaultRetention is how long finished tasks are kept of agents without a setting.
const defaultRetention = 90 * 24 * time.Hour

// RetentionOf returns how long the idle tasks of an agent are kept.
func (d *Directory) RetentionOf(agent string) time.Duration {
	if p := d.Lookup(agent); p != nil && p.Retention != 0 {
		return time.Duration(p.Retention)
	}
	return defaultRetention
}
