package console

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"rialto/bridge/operator"
	"rialto/internal/usage"
	"rialto/templates"
)

// adminUsage are the pages about usage.
type adminUsage struct{ *Console }

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

// maxSums bounds the rows of the table of sums; the export has all.
const maxSums = 25

// period is the time of the page. Its times are whole hours, or whole days if its step is a day.
type period struct {
	usage.Filter
	step time.Duration
}

// days and hours are how the addresses of the page spell times.
const (
	days  = "2006-01-02"
	hours = "2006-01-02T15"
)

// parsePeriod reads the time of the page: from a day or hour on, up to another or for one day or
// hour, or else the last days.
func parsePeriod(q query, now time.Time) period {
	p := period{step: 24 * time.Hour}
	since, whole, ok := parseTime(q.get("from"))
	if !ok {
		n, err := strconv.Atoi(q.get("days"))
		if err != nil || n < 1 || n > 366 {
			n = 7
		}
		if n <= 2 {
			p.step = time.Hour
		}
		p.Until = now.UTC().Truncate(p.step).Add(p.step)
		p.Since = p.Until.AddDate(0, 0, -n)
		return p
	}
	p.Since, p.Until = since, since.Add(whole)
	if until, _, ok := parseTime(q.get("to")); ok && until.After(since) && until.Sub(since) <= 366*24*time.Hour {
		p.Until = until
	}
	if p.Until.Sub(p.Since) <= 48*time.Hour || whole == time.Hour {
		p.step = time.Hour
	}
	return p
}

// parseTime reads a day or an hour, and returns how long it is.
func parseTime(s string) (t time.Time, whole time.Duration, ok bool) {
	if t, err := time.Parse(days, s); err == nil {
		return t, 24 * time.Hour, true
	}
	t, err := time.Parse(hours, s)
	return t, time.Hour, err == nil
}

// used is the filter of the page.
type used struct {
	query
	period
	by  usage.By
	now time.Time
}

func (c adminUsage) used(r *http.Request) (used, error) {
	u := used{by: usage.ByAgent, now: c.Now().UTC()}
	f := &operator.CallFilter{}
	var err error
	u.query, err = c.parse(r, f.Filters(), "days", "from", "to", "by")
	u.period = parsePeriod(u.query, u.now)
	f.Since, f.Until = u.Since, u.Until
	u.Filter = f.Filter
	for _, x := range groups {
		if string(x.by) == u.get("by") {
			u.by = x.by
		}
	}
	return u, err
}

// usage shows calls as numbers, charts and sums, beside those of the period before.
func (c adminUsage) usage(r *http.Request) (*templates.Console, error) {
	u, err := c.used(r)
	if err != nil {
		return nil, err
	}
	f, err := c.Admin.ResolveFilter(r.Context(), u.Filter)
	if err != nil {
		return nil, err
	}
	earlier := f
	earlier.Since, earlier.Until = f.Since.Add(-f.Until.Sub(f.Since)), f.Since
	if passed := u.now.Truncate(time.Hour).Add(time.Hour); f.Since.Before(passed) && passed.Before(f.Until) {
		earlier.Until = earlier.Until.Add(passed.Sub(f.Until)) // compare as many hours as have passed
	}
	both, largest := f, f
	both.Since, largest.Limit = earlier.Since, maxSums
	var now, before, series, sums []usage.Sum
	for _, q := range []struct {
		into *[]usage.Sum
		f    usage.Filter
		by   usage.By
		step time.Duration
	}{{&now, f, "", 0}, {&before, earlier, "", 0}, {&series, both, "", u.step}, {&sums, largest, u.by, 0}} {
		*q.into, err = c.Admin.Usage(r.Context(), q.f, q.by, q.step)
		if err != nil {
			return nil, err
		}
	}
	filter, err := c.usageFilter(r, u)
	if err != nil {
		return nil, err
	}
	return &templates.Console{
		Title: "Usage", Lead: templates.Textf("All calls from {} to {} UTC, without message content.", u.Since.Format(days+" 15:04"), u.Until.Format(days+" 15:04")), Actions: u.exports("/admin/usage/export"),
		Sections: []templates.Section{
			{ID: "usage", Ways: u.spans(), Choose: "Time", Filter: filter, Stats: u.stats(first(now), first(before)), Charts: u.charts(series)},
			{ID: "sums", Ways: u.tabs(), Table: u.table(sums)},
		},
	}, nil
}

func first(sums []usage.Sum) usage.Sum {
	if len(sums) == 0 {
		return usage.Sum{}
	}
	return sums[0]
}

// with returns the address of a page with other parameters, in pairs.
func (u used) with(path string, pairs ...string) string {
	q := query{path: path, values: maps.Clone(u.values)}
	for i := 0; i < len(pairs); i += 2 {
		q.values.Set(pairs[i], pairs[i+1])
	}
	maps.DeleteFunc(q.values, func(_ string, v []string) bool { return v[0] == "" })
	return q.at("", "")
}

// over returns the address of the page over another time.
func (u used) over(from, last string) string {
	return u.with(u.path, "from", from, "to", "", "days", last)
}

// spans are the periods to choose from, as tabs.
func (u used) spans() []templates.Way {
	today := u.now.Truncate(24 * time.Hour)
	yesterday := today.AddDate(0, 0, -1)
	ways := []templates.Way{
		{Name: "Today", Href: u.over(today.Format(days), ""), Here: u.get("from") == today.Format(days)},
		{Name: "Yesterday", Href: u.over(yesterday.Format(days), ""), Here: u.get("from") == yesterday.Format(days)},
	}
	for _, x := range []struct{ n, name string }{{"1", "24 hours"}, {"7", "7 days"}, {"30", "30 days"}, {"90", "90 days"}} {
		here := u.get("from") == "" && (u.get("days") == x.n || u.get("days") == "" && x.n == "7")
		ways = append(ways, templates.Way{Name: x.name, Href: u.over("", x.n), Here: here})
	}
	if u.get("from") != "" && !ways[0].Here && !ways[1].Here {
		ways = append(ways, templates.Way{Name: "Chosen time", Href: u.with(u.path), Here: true})
	}
	return ways
}

func (c adminUsage) usageFilter(r *http.Request, u used) (*templates.Filter, error) {
	f, err := c.filter(r, u.query, (&operator.CallFilter{}).Filters())
	if err != nil {
		return nil, err
	}
	for i := range f.Fields {
		if x := &f.Fields[i]; x.Kind != "choice" {
			x.Kind, x.Hint, x.Max = "search", x.Label, 512
		}
	}
	for _, name := range []string{"days", "from", "to", "by"} {
		if v := u.get(name); v != "" {
			f.Hidden = append(f.Hidden, hidden(name, v)...)
		}
	}
	f.Clear = u.with(u.path, "agent", "", "user", "", "client", "", "tool", "", "usecase", "", "outcome", "")
	if f.Clear == u.with(u.path) {
		f.Clear = ""
	}
	return f, nil
}

// kind is what the rows of the table of sums are.
func (u used) kind() string {
	i := slices.IndexFunc(groups, func(g group) bool { return g.by == u.by })
	return groups[i].kind
}

func (u used) tabs() (ways []templates.Way) {
	for _, x := range groups {
		ways = append(ways, templates.Way{Href: u.with(u.path, "by", string(x.by)) + "#sums", Name: x.name, Here: x.by == u.by})
	}
	return ways
}

// stats are the numbers of the whole period, which lead to the calls behind them.
func (u used) stats(now, before usage.Sum) []templates.Stat {
	calls := u.with("/admin/usage/calls", "by", "")
	failures := templates.Stat{Name: "Errors", Value: templates.Verbatim(share(now)), Sub: templates.Textf("{} in all, {} before", templates.Number(now.Errors), templates.Verbatim(share(before))), Href: u.with("/admin/usage/calls", "by", "", "outcome", string(usage.Errors))}
	switch {
	case now.Errors*20 > now.Calls:
		failures.Tone = templates.Bad
	case now.Errors >= 5 && 2*now.Errors*before.Calls > 3*before.Errors*now.Calls: // half as many again
		failures.Tone = templates.Note
	}
	latency := func(name string, p, before float64) templates.Stat {
		s := templates.Stat{Name: name, Value: took(int64(p)), Sub: change(p, before), Href: calls}
		if now.Calls == 0 {
			s.Value, s.Sub = templates.Verbatim("–"), nil
		}
		return s
	}
	return []templates.Stat{
		{Name: "Calls", Value: templates.Number(now.Calls), Sub: change(float64(now.Calls), float64(before.Calls)), Href: calls},
		failures, latency("p50 latency", now.P50, before.P50), latency("p95 latency", now.P95, before.P95),
	}
}

// share says how many calls of a hundred went wrong.
func share(s usage.Sum) string {
	if s.Calls == 0 {
		return "–"
	}
	return strconv.FormatFloat(100*float64(s.Errors)/float64(s.Calls), 'g', 3, 64) + " %"
}

// change compares a number with that of the period before.
func change(now, before float64) templates.Text {
	if before == 0 {
		return templates.Textf("no calls in the period before")
	}
	percent := math.Round(100 * (now - before) / before)
	if percent == 0 {
		return templates.Textf("as in the period before")
	}
	return templates.Textf("{} from the period before", strings.Replace(fmt.Sprintf("%+.0f", percent), "-", "−", 1)+" %")
}

// charts draw calls with their errors, and latency. The series begins with the period before.
func (u used) charts(series []usage.Sum) []templates.Chart {
	at := map[int64]usage.Sum{}
	for _, s := range series {
		at[s.From.Unix()] = s
	}
	counts := templates.Chart{ID: "calls", Title: "Calls", Whole: "Calls", Part: "Errors", Before: "Period before", Grave: true}
	times := templates.Chart{ID: "latency", Title: "Latency", Whole: "p95", Part: "p50", Before: "p95 of the period before", Millis: true, Range: true, Total: templates.Textf("logarithmic scale")}
	if len(series) == 0 {
		return []templates.Chart{counts, times}
	}
	hourly := u.step < 24*time.Hour
	for from := u.Since; from.Before(u.Until); from = from.Add(u.step) {
		s, before := at[from.Unix()], at[from.Add(-u.Until.Sub(u.Since)).Unix()]
		b := templates.Bar{Label: templates.Moment(from, hourly), Tick: templates.Tick(from, hourly), Value: s.Calls, Part: s.Errors, Before: before.Calls, Open: from.Add(u.step).After(u.now), Href: u.over(from.Format(days), "")}
		if hourly {
			b.Href = u.with("/admin/usage/calls", "from", from.Format(hours), "to", "", "days", "", "by", "")
		}
		counts.Bars = append(counts.Bars, b)
		b.Value, b.Part, b.Before = int64(s.P95), int64(s.P50), int64(before.P95)
		times.Bars = append(times.Bars, b)
	}
	return []templates.Chart{counts, times}
}

func took(ms int64) templates.Text { return templates.Took(time.Duration(ms) * time.Millisecond) }

// table lists sums. The name narrows the page, and the number of calls leads to them.
func (u used) table(sums []usage.Sum) *templates.Table {
	t := &templates.Table{Columns: []templates.Column{{Name: u.kind()}, {Name: "Calls", Right: true}, {Name: "Errors", Right: true}, {Name: "p50 latency", Right: true}, {Name: "p95 latency", Right: true}}}
	for _, s := range sums {
		name, calls, failed := templates.Textf("none"), templates.Number(s.Calls), templates.Verbatim("–")
		if s.Errors > 0 {
			failed = templates.Row(templates.Number(s.Errors), templates.Verbatim("("+share(s)+")"))
		}
		if s.Key != "" {
			shown := cmp.Or(s.Name, s.Key)
			name = templates.Link(u.with(u.path, string(u.by), s.Key), templates.Verbatim(shown))
			list := func(outcome string) string {
				return u.with("/admin/usage/calls", "by", "", string(u.by), s.Key, "outcome", outcome)
			}
			calls = templates.Link(list(string(u.Outcome)), calls)
			if s.Errors > 0 {
				failed = templates.Link(list(string(usage.Errors)), failed)
			}
		}
		t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{name, calls, failed, took(int64(s.P50)), took(int64(s.P95))}})
	}
	switch len(t.Rows) {
	case 0:
		t.Empty = "No calls in this time."
	case maxSums:
		t.Total = templates.Textf("The {} with the most calls. The file has all.", templates.Number(maxSums))
	}
	return t
}

// callOutcomes are the badges of calls.
var callOutcomes = map[usage.Outcome]templates.Text{
	usage.OK: templates.Textf("completed"), usage.Failed: templates.Badge(templates.Bad, "failed"),
	usage.Refused: templates.Badge(templates.Note, "refused"), usage.Canceled: templates.Badge(templates.Plain, "canceled"),
}

// usageCalls lists the calls behind a number, the latest first.
func (c adminUsage) usageCalls(r *http.Request) (*templates.Console, error) {
	u, err := c.used(r)
	if err != nil {
		return nil, err
	}
	section, err := c.section(r, u.query, &operator.CallFilter{Filter: u.Filter}, calls{c.Console, u})
	if err != nil {
		return nil, err
	}
	section.Table.Empty, section.Ways = operator.NewQuery("calls").Table().Empty, u.spans()
	section.Filter, err = c.usageFilter(r, u)
	return &templates.Console{
		Title: "Calls", Up: &templates.Way{Href: u.with("/admin/usage"), Name: "Usage"}, Actions: u.exports("/admin/usage/export"),
		Lead:     templates.Textf("The calls from {} to {} UTC, the latest first.", u.Since.Format(days+" 15:04"), u.Until.Format(days+" 15:04")),
		Sections: []templates.Section{section},
	}, err
}

// calls shows calls. What they are about narrows the list.
type calls struct {
	*Console
	used used
}

func (c calls) cell(_ *http.Request, entry any, column string) templates.Text {
	call := entry.(usage.Record)
	switch column {
	case "user":
		who := templates.Code(call.UserID)
		if call.User != "" {
			who = templates.Verbatim(call.User)
		}
		return c.narrowed(column, call.UserID, who)
	case "client":
		return c.narrowed(column, call.Client, templates.Verbatim(call.App))
	case "agent":
		return c.narrowed(column, call.Agent, templates.Verbatim(call.Agent))
	case "tool":
		return c.narrowed(column, call.Tool, templates.Verbatim(call.Tool))
	case "door":
		return templates.Verbatim(strings.ToUpper(call.Door))
	case "outcome":
		return callOutcomes[call.Outcome]
	case "milliseconds":
		return took(call.Millis)
	}
	return nil
}

func (c calls) narrowed(name, value string, shown templates.Text) templates.Text {
	if value == "" {
		return templates.Verbatim("–")
	}
	return templates.Link(c.used.with(c.used.path, name, value), shown)
}

// exportUsage sends the calls of a filter as a file.
func (c adminUsage) exportUsage(w http.ResponseWriter, r *http.Request) {
	u, err := c.used(r)
	var f usage.Filter
	if err == nil {
		f, err = c.Admin.ResolveFilter(r.Context(), u.Filter)
	}
	if err != nil {
		c.writeError(w, r, err)
		return
	}
	c.send(w, r, "rialto-usage", func(format operator.Format) error {
		return operator.WriteCalls(w, format, c.Admin.Calls(r.Context(), f, r.URL.Query().Get("page_token")))
	})
}

// send sends a file. After an error it aborts the response, so that the browser sees
// that the file is not whole.
func (c *Console) send(w http.ResponseWriter, r *http.Request, name string, write func(operator.Format) error) {
	format := operator.CSV
	if r.URL.Query().Get("format") == string(operator.JSON) {
		format = operator.JSON
	}
	h := w.Header()
	h.Set("Content-Type", format.MediaType())
	h.Set("Content-Disposition", `attachment; filename="`+name+"."+string(format)+`"`)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if err := write(format); err != nil && r.Context().Err() == nil {
		c.Log.ErrorContext(r.Context(), "console: an export ended early", "path", r.URL.Path, "err", err)
		panic(http.ErrAbortHandler) // so that the browser does not take it for whole
	}
}
