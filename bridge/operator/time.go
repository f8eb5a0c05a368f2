package operator

import (
	"time"

	"rialto/bridge/directory"
)

// TimeFilters are the filters of a time.
func TimeFilters(since, until *time.Time) []Filter {
	return []Filter{
		{
			To:    since,
			Param: "since",
			Flag:  "since",
			Usage: "from this `time` on: 2026-11-21T08:00:00Z, 2026-11-21, or how long ago, such as 24h or 7d",
		},
		{To: until, Param: "until", Flag: "until", Usage: "before this `time`"},
		{
			To:    since,
			Kind:  Days,
			Field: "days",
			Label: "Time",
			Choices: []Choice{
				{
					"1",
					"The last day",
				},
				{"7", "The last week"},
				{"30", "The last month"},
				{"90", "The last three months"},
			},
		},
	}
}

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
