package dberr

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfterIsSecondsOrAMoment(t *testing.T) {
	const most = 15 * time.Minute
	now := time.Unix(1795338000, 0)
	for text, want := range map[string]time.Duration{
		"": 0, "60": time.Minute, "-1": 0, "9999999999999": most, "soon": 0,
		now.Add(90 * time.Second).UTC().Format(http.TimeFormat): 90 * time.Second, now.Add(-time.Hour).UTC().Format(http.TimeFormat): 0,
	} {
		if got := ReadRetryAfter(http.Header{"Retry-After": {text}}, now, most); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
