package usagereport

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"rialto/internal/usage"
	"rialto/templates"
)

// Stats are the numbers of the whole period, which lead to the calls behind them.
func (r *Report) Stats(now, before usage.Sum) []templates.Stat {
	calls := r.calls()
	failures := templates.Stat{
		Name:  "Errors",
		Value: share(now),
		Sub: templates.Textf(
			"{} in all, {} before", templates.Number(now.Errors), share(before),
		),
		Href: r.calls("outcome", string(usage.Errors)),
	}
	switch {
	case now.Errors*20 > now.Calls:
		failures.Tone = templates.Bad
	case now.Errors >= 5 && 2*now.Errors*before.Calls > 3*before.Errors*now.Calls: // half as many again
		failures.Tone = templates.Note
	}

	latency := func(name string, p, before float64) templates.Stat {
		s := templates.Stat{
			Name:  name,
			Value: templates.Millis(int64(p)),
			Sub:   change(p, before),
			Href:  calls,
		}
		if now.Calls == 0 {
			s.Value = templates.Verbatim("–")
			s.Sub = nil
		}
		return s
	}
	stats := []templates.Stat{
		{
			Name:  "Calls",
			Value: templates.Number(now.Calls),
			Sub:   change(float64(now.Calls), float64(before.Calls)),
			Href:  calls,
		},
		failures,
		latency("p50 latency", now.P50, before.P50),
		latency("p95 latency", now.P95, before.P95),
	}
	if now.Costs == nil {
		return stats
	}
	return append(stats, templates.Stat{
		Name:  "Costs",
		Value: amounts(now.Costs),
		Sub:   templates.Textf("{} before", amounts(before.Costs)),
	})
}

// share says how many calls of a hundred went wrong.
func share(s usage.Sum) templates.Text {
	if s.Calls == 0 {
		return templates.Verbatim("–")
	}
	percent := 100 * float64(s.Errors) / float64(s.Calls)
	if s.Errors > 0 {
		percent = max(percent, 0.0001) // a smaller number would have an exponent
	}
	return templates.Percent(strconv.FormatFloat(percent, 'g', 3, 64))
}

// amounts are costs, each currency apart.
func amounts(c usage.Costs) templates.Text {
	if len(c) == 0 {
		return templates.Verbatim("–")
	}
	var all []templates.Text
	for _, currency := range slices.Sorted(maps.Keys(c)) {
		all = append(all, templates.Amount(c[currency], currency))
	}
	return templates.Row(all...)
}

// change compares a number with that of the period before.
func change(now, before float64) templates.Text {
	if before == 0 {
		return templates.Textf("no earlier data")
	}

	percent := math.Round(100 * (now - before) / before)
	if percent == 0 {
		return templates.Textf("unchanged")
	}

	return templates.Textf(
		"{} from the period before",
		templates.Percent(strings.Replace(fmt.Sprintf("%+.0f", percent), "-", "−", 1)),
	)
}

// Week draws the calls of an agent by day, and leads to its usage.
func Week(agent string, calls []int64) templates.Text {
	if calls == nil {
		return templates.Verbatim("–")
	}

	var all int64
	for _, n := range calls {
		all += n
	}
	return templates.Link(
		"/admin/usage?agent="+url.QueryEscape(agent),
		templates.Row(templates.Spark(calls), templates.Number(all)),
	)
}

// Charts draw calls with their errors, and latency. The series begins with the period before.
func (r *Report) Charts(series []usage.Sum) []templates.Chart {
	at := map[int64]usage.Sum{}
	for _, s := range series {
		at[s.From.Unix()] = s
	}

	counts := templates.Chart{
		ID: "calls", Title: "Calls", Grave: true,
		Whole: "Calls", Part: "Errors", Before: "Period before",
	}
	times := templates.Chart{
		ID:     "latency",
		Title:  "Latency",
		Millis: true,
		Range:  true,
		Total:  templates.Textf("logarithmic scale"),
		Whole:  "p95",
		Part:   "p50",
		Before: "p95 of the period before",
	}
	if len(series) == 0 {
		return []templates.Chart{counts, times}
	}

	hourly := r.Step < 24*time.Hour
	for from := r.Since; from.Before(r.Until); from = from.Add(r.Step) {
		s := at[from.Unix()]
		before := at[from.Add(-r.length()).Unix()]
		b := templates.Bar{
			Label: templates.Day(from),
			Tick:  templates.DayOfYear(from),
			Open:  from.Add(r.Step).After(r.now),
			Href:  r.over(from.Format(days), ""),
		}
		if hourly {
			b.Label = templates.Minute(from)
			b.Tick = templates.Hour(from)
			b.Href = r.calls("from", from.Format(hours), "to", "", "days", "")
		}
		b.Value = s.Calls
		b.Part = s.Errors
		b.Before = before.Calls
		counts.Bars = append(counts.Bars, b)
		b.Value = int64(s.P95)
		b.Part = int64(s.P50)
		b.Before = int64(before.P95)
		times.Bars = append(times.Bars, b)
	}

	return []templates.Chart{counts, times}
}

// MaxSums bounds the rows of the table of sums; the export has all.
const MaxSums = 25

// Table lists sums. The name narrows the page, and the number of calls leads to them.
func (r *Report) Table(sums []usage.Sum) *templates.Table {
	i := slices.IndexFunc(groups, func(g group) bool { return g.by == r.By })
	t := &templates.Table{Columns: []templates.Column{
		{Name: groups[i].kind},
		{Name: "Calls", Right: true},
		{Name: "Errors", Right: true},
		{Name: "p50 latency", Right: true},
		{Name: "p95 latency", Right: true},
	}}
	costly := slices.ContainsFunc(sums, func(s usage.Sum) bool { return s.Costs != nil })
	if costly {
		t.Columns = append(t.Columns, templates.Column{Name: "Costs", Right: true})
	}
	for _, s := range sums {
		cells := r.cells(s)
		if costly {
			cells = append(cells, amounts(s.Costs))
		}
		t.Rows = append(t.Rows, templates.Entry{Cells: cells})
	}

	switch len(t.Rows) {
	case 0:
		t.Empty = "No calls in this time."
	case MaxSums:
		t.Total = templates.Textf(
			"The {} with the most calls. The file has all.", templates.Number(MaxSums),
		)
	}

	return t
}

func (r *Report) cells(s usage.Sum) []templates.Text {
	name := templates.Textf("none")
	calls := templates.Number(s.Calls)
	failed := templates.Verbatim("–")
	if s.Errors > 0 {
		failed = templates.Row(templates.Number(s.Errors), templates.Verbatim("·"), share(s))
	}
	if s.Key != "" {
		by := string(r.By)
		name = templates.Link(r.here(by, s.Key), templates.Verbatim(cmp.Or(s.Name, s.Key)))
		calls = templates.Link(r.calls(by, s.Key, "outcome", string(r.Outcome)), calls)
		if s.Errors > 0 {
			failed = templates.Link(r.calls(by, s.Key, "outcome", string(usage.Errors)), failed)
		}
	}

	return []templates.Text{
		name,
		calls,
		failed,
		templates.Millis(int64(s.P50)),
		templates.Millis(int64(s.P95)),
	}
}
