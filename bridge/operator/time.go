package operator

import (
	"time"

	"rialto/bridge/directory"
)

// ParseTime parses a time as operators write it: RFC 3339, a day, or how long ago it
// was (90m, 24h, 7d). "" is the zero time. It fails with an Error.
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

	return time.Time{}, errTime
}
