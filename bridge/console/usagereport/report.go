// Package usagereport shows the calls of a period as numbers, charts and sums, each of which leads to
// the calls behind it. It reads no calls: package console does, and serves the pages.
package usagereport

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"rialto/internal/usage"
	"rialto/templates"
)

// Report is what a page shows: the calls that its filter chooses, in groups. Its addresses keep the
// other parameters of the page.
type Report struct {
	usage.Filter               // its times are whole hours, or whole days if Step is a day
	By           usage.By      // groups the sums
	Step         time.Duration // of a series of sums

	path   string
	values url.Values
	now    time.Time
}

// groups are the groups of sums, as tabs.
var groups = []group{
	{usage.ByAgent, "By agent", "Agent"},
	{usage.ByUser, "By account", "Account"},
	{usage.ByClient, "By app", "App"},
	{usage.ByTool, "By tool", "Tool"},
	{usage.ByUseCase, "By use case", "Use case"},
}

type group struct {
	by   usage.By
	name string // of the view
	kind string // of its rows
}

// days and hours are how the addresses of a page spell times.
const (
	days  = "2006-01-02"
	hours = "2006-01-02T15"
)

// New reads the time and the groups of a report from the parameters of its page. Days are those of the
// zone of now.
func New(path string, values url.Values, now time.Time) *Report {
	r := &Report{
		By:     usage.ByAgent,
		path:   path,
		values: values,
		now:    now,
	}
	_, offset := now.Zone()
	r.Offset = time.Duration(offset) * time.Second
	r.parsePeriod()
	for _, g := range groups {
		if string(g.by) == values.Get("by") {
			r.By = g.by
		}
	}

	return r
}

// parsePeriod reads the time: from a day or hour on, up to another or for one day or
// hour, or else the last days.
func (r *Report) parsePeriod() {
	r.Step = 24 * time.Hour
	since, whole, ok := r.parseTime(r.values.Get("from"))
	if !ok {
		n, err := strconv.Atoi(r.values.Get("days"))
		if err != nil || n < 1 || n > 366 {
			n = 7
		}
		r.Until = r.midnight().Add(r.Step)
		if n <= 2 {
			r.Step = time.Hour
			r.Until = r.now.Truncate(r.Step).Add(r.Step)
		}
		r.Since = r.Until.AddDate(0, 0, -n)
		return
	}

	r.Since, r.Until = since, since.Add(whole)
	until, _, ok := r.parseTime(r.values.Get("to"))
	if ok && until.After(since) && until.Sub(since) <= 366*24*time.Hour {
		r.Until = until
	}
	if r.length() <= 48*time.Hour || whole == time.Hour {
		r.Step = time.Hour
	}
}

// midnight is when today began.
func (r *Report) midnight() time.Time {
	return r.now.Add(r.Offset).Truncate(24 * time.Hour).Add(-r.Offset)
}

// parseTime reads a day or an hour, and returns how long it is.
func (r *Report) parseTime(s string) (t time.Time, whole time.Duration, ok bool) {
	zone := r.now.Location()
	if t, err := time.ParseInLocation(days, s, zone); err == nil {
		return t, 24 * time.Hour, true
	}
	t, err := time.ParseInLocation(hours, s, zone)
	return t, time.Hour, err == nil
}

func (r *Report) length() time.Duration { return r.Until.Sub(r.Since) }

// Calls returns the calls of each group by the steps of the report, of a series with these steps.
func (r *Report) Calls(series []usage.Sum) map[string][]int64 {
	calls := map[string][]int64{}
	for _, s := range series {
		if calls[s.Key] == nil {
			calls[s.Key] = make([]int64, r.length()/r.Step)
		}
		calls[s.Key][s.From.Sub(r.Since)/r.Step] += s.Calls
	}
	return calls
}

// Earlier returns the times of the period before: of a period that has not ended, as many hours as
// have passed.
func (r *Report) Earlier() (since, until time.Time) {
	until = r.Since
	passed := r.now.Truncate(time.Hour).Add(time.Hour)
	if r.Since.Before(passed) && passed.Before(r.Until) {
		until = until.Add(passed.Sub(r.Until))
	}
	return r.Since.Add(-r.length()), until
}

// Address returns the address of a page with other parameters, in pairs.
func (r *Report) Address(path string, pairs ...string) string {
	values := maps.Clone(r.values)
	for pair := range slices.Chunk(pairs, 2) {
		values.Set(pair[0], pair[1])
	}
	maps.DeleteFunc(values, func(_ string, v []string) bool { return v[0] == "" })
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// here returns the address of the page with other parameters.
func (r *Report) here(pairs ...string) string { return r.Address(r.path, pairs...) }

// calls returns the address of the list of calls.
func (r *Report) calls(pairs ...string) string {
	return r.Address("/admin/usage/calls", append([]string{"by", ""}, pairs...)...)
}

// over returns the address of the page over another time.
func (r *Report) over(from, last string) string {
	return r.here("from", from, "to", "", "days", last)
}

// Spans are the periods to choose from, as tabs.
func (r *Report) Spans() []templates.Way {
	from := r.values.Get("from")
	to := r.values.Get("to")
	last := r.values.Get("days")
	if from == "" && last == "" {
		last = "7"
	}

	var ways []templates.Way
	chosen := from == ""
	today := r.midnight()
	for i, name := range []string{"Today", "Yesterday"} {
		day := today.AddDate(0, 0, -i).Format(days)
		here := from == day && to == ""
		chosen = chosen || here
		ways = append(ways, templates.Way{Name: name, Href: r.over(day, ""), Here: here})
	}

	for _, x := range []struct{ days, name string }{
		{"1", "24 hours"},
		{"7", "7 days"},
		{"30", "30 days"},
		{"90", "90 days"},
	} {
		here := from == "" && last == x.days
		ways = append(ways, templates.Way{Name: x.name, Href: r.over("", x.days), Here: here})
	}

	first := today.AddDate(0, 0, 1-today.Day())
	for i, name := range []string{"This month", "Last month"} {
		begin := first.AddDate(0, -i, 0)
		until := begin.AddDate(0, 1, 0).Format(days)
		here := from == begin.Format(days) && to == until
		chosen = chosen || here
		ways = append(ways, templates.Way{
			Name: name,
			Href: r.here("from", begin.Format(days), "to", until, "days", ""),
			Here: here,
		})
	}

	if !chosen {
		ways = append(ways, templates.Way{Name: "Chosen time", Href: r.here(), Here: true})
	}

	return ways
}

// Tabs are the groups to choose from.
func (r *Report) Tabs() (ways []templates.Way) {
	for _, g := range groups {
		ways = append(ways, templates.Way{
			Href: r.here("by", string(g.by)) + "#sums",
			Name: g.name,
			Here: g.by == r.By,
		})
	}
	return ways
}

// ClearFilter returns the address of the page without a filter, "" if it has none.
func (r *Report) ClearFilter() string {
	clear := r.here("agent", "", "user", "", "client", "", "tool", "", "usecase", "", "outcome", "")
	if clear == r.here() {
		return ""
	}
	return clear
}
