package usagereport

import (
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

func TestDaysBeginAtTheMidnightOfTheReader(t *testing.T) {
	now := time.Date(2026, 11, 28, 13, 20, 0, 0, time.UTC)
	for cookie, want := range map[string]string{
		"":          "2026-11-22T00:00:00Z 2026-11-29T00:00:00Z",
		"zone=60":   "2026-11-21T23:00:00Z 2026-11-28T23:00:00Z",
		"zone=-300": "2026-11-22T05:00:00Z 2026-11-29T05:00:00Z",
		"zone=345":  "2026-11-21T19:00:00Z 2026-11-28T19:00:00Z", // sums are of whole hours
		"zone=720":  "2026-11-22T12:00:00Z 2026-11-29T12:00:00Z", // where it is tomorrow
		"zone=9999": "2026-11-22T00:00:00Z 2026-11-29T00:00:00Z",
	} {
		r := httptest.NewRequest("GET", "/admin/usage", nil)
		r.Header.Set("Cookie", cookie)
		report := New("/admin/usage", url.Values{}, now.In(Zone(r)))
		got := report.Since.UTC().Format(time.RFC3339) + " " + report.Until.UTC().Format(time.RFC3339)
		if got != want {
			t.Errorf("%q: got %s, want %s", cookie, got, want)
		}
		day := New("/admin/usage", url.Values{"from": {"2026-11-20"}}, now.In(Zone(r)))
		if got := day.Since.Format("2006-01-02 15:04"); got != "2026-11-20 00:00" || day.length() != 24*time.Hour {
			t.Errorf("%q: a day begins at %s", cookie, got)
		}
	}
}
