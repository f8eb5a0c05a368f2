package operator

import (
	"time"

	"rialto/bridge/directory"
)

// ParseTime reads a moment as operators write it: an RFC 3339 time, a day, or how
// long ago it was (90m, 24h, 7d). "" is the zero time. It fails with Invalid.
func ParseTime(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	if ago, err := directory.ParseDuration(s); err == nil {
		return now.Add(-time.Duration(ago)), nil
	}
	return time.Time{}, Invalid{"A time is written as 2026-11-21T08:00:00Z, as 2026-11-21, or as how long ago it was: 90m, 24h, 7d."}
}
