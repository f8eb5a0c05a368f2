package dberr

import (
	"net/http"
	"strconv"
	"time"
)

// ReadRetryAfter reads the Retry-After of a response, which is seconds or a moment (RFC 9110 section
// 10.2.3), up to most. It returns 0 for what is neither, or has passed.
func ReadRetryAfter(h http.Header, now time.Time, most time.Duration) time.Duration {
	text := h.Get("Retry-After")
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil {
		wait = time.Duration(min(seconds, uint64(most/time.Second))) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now).Round(time.Second)
	}
	return min(max(wait, 0), most)
}
