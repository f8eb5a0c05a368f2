package console

import (
	"net/http"
	"strconv"
	"time"

	"rialto/bridge/operator"
	"rialto/internal/usage"
	"rialto/templates"
)

// adminUsage are the pages about usage.
type adminUsage struct{ *Console }

func (c adminUsage) routes() []route {
	a := adminArea
	return []route{
		{"/admin/usage", c.show(a, c.usage), nil},
		{"/admin/usage/export", c.exportUsage, nil},
	}
}

// spans are the periods of the page.
var spans = []templates.Option{
	{Value: "1", Word: "The last day"}, {Value: "7", Word: "The last week"}, {Value: "30", Word: "The last month"}, {Value: "90", Word: "The last three months"},
}

// by lists the groups of sums, as tabs.
var by = []struct {
	by   usage.By
	name string
}{
	{usage.ByAgent, "By agent"}, {usage.ByTool, "By tool"}, {usage.ByUseCase, "By use case"}, {usage.ByClient, "By app"}, {usage.ByUser, "By account"},
}

// maxSums bounds the rows of the table of sums; the export has all.
const maxSums = 100

// used is the filter of the page.
type used struct {
	query
	by   usage.By
	step time.Duration
	usage.Filter
}

func (c adminUsage) used(r *http.Request) used {
	u := used{query: parseQuery(r, "days", "by", "agent", "tool", "usecase", "client", "user"), by: usage.ByAgent, step: 24 * time.Hour}
	days, err := strconv.Atoi(u.get("days"))
	if err != nil || days < 1 || days > 366 {
		days = 7
	}
	if days <= 2 {
		u.step = time.Hour
	}
	for _, x := range by {
		if string(x.by) == u.get("by") {
			u.by = x.by
		}
	}
	until := c.Now().UTC().Truncate(u.step).Add(u.step)
	u.Filter = usage.Filter{
		Since: until.Add(-time.Duration(days) * 24 * time.Hour), Until: until,
		Agent: u.get("agent"), Tool: u.get("tool"), UseCase: u.get("usecase"), Client: u.get("client"), User: u.get("user"),
	}
	return u
}

// usage shows calls as charts and sums.
func (c adminUsage) usage(r *http.Request) (templates.Console, error) {
	u := c.used(r)
	series, err := c.Admin.Usage(r.Context(), u.Filter, "", u.step)
	if err != nil {
		return templates.Console{}, err
	}
	largest := u.Filter
	largest.Limit = maxSums
	sums, err := c.Admin.Usage(r.Context(), largest, u.by, 0)
	if err != nil {
		return templates.Console{}, err
	}
	days := templates.Field{Name: "days", Kind: "choice", Label: "Time", Options: spans}
	filter := u.filter(days,
		templates.Field{Name: "agent", Kind: "search", Label: "Agent", Max: 64}, templates.Field{Name: "tool", Kind: "search", Label: "Tool", Max: 64},
		templates.Field{Name: "usecase", Kind: "search", Label: "Use case", Max: 64})
	if filter.Fields[0].Value == "" {
		filter.Fields[0].Value = "7"
	}
	return templates.Console{
		Title: "Usage", Lead: templates.Say("All calls, without message content."), Actions: u.exports(),
		Sections: []templates.Section{
			{ID: "usage", Filter: filter, Charts: c.usageCharts(u, series)},
			{ID: "sums", Ways: u.tabs(), Table: u.table(sums)},
		},
	}, nil
}

func (u used) exports() []templates.Button {
	var all []templates.Button
	for _, f := range []struct{ format, word string }{{"csv", "Save as CSV"}, {"json", "Save as JSON"}} {
		b := templates.Button{Action: u.path + "/export", Get: true, Word: f.word, Hidden: hidden("format", f.format)}
		for name, values := range u.values {
			b.Hidden = append(b.Hidden, templates.Value{Name: name, Value: values[0]})
		}
		all = append(all, b)
	}
	return all
}

func (u used) tabs() (ways []templates.Way) {
	for _, x := range by {
		ways = append(ways, templates.Way{Href: u.at("by", string(x.by)) + "#sums", Name: x.name, Here: x.by == u.by})
	}
	return ways
}

// usageCharts draws calls with their errors, and their p95 latency.
func (c adminUsage) usageCharts(u used, series []usage.Sum) []templates.Chart {
	at := map[int64]usage.Sum{}
	var calls, errors int64
	for _, s := range series {
		at[s.From.Unix()] = s
		calls, errors = calls+s.Calls, errors+s.Errors
	}
	counts := templates.Chart{ID: "calls", Title: "Calls", Two: true, Total: templates.Say("{} in all, {} with errors", strconv.FormatInt(calls, 10), strconv.FormatInt(errors, 10))}
	times := templates.Chart{ID: "latency", Title: "p95 latency", Unit: took}
	if calls == 0 {
		return []templates.Chart{counts, times}
	}
	for from := u.Since; from.Before(u.Until); from = from.Add(u.step) {
		s, label := at[from.Unix()], templates.Moment(from, u.step < 24*time.Hour)
		counts.Bars = append(counts.Bars, templates.Bar{Label: label, Value: s.Calls, Bad: s.Errors})
		times.Bars = append(times.Bars, templates.Bar{Label: label, Value: int64(s.P95)})
	}
	return []templates.Chart{counts, times}
}

func took(ms int64) templates.Text { return templates.Took(time.Duration(ms) * time.Millisecond) }

// table lists sums, each with a link to its calls.
func (u used) table(sums []usage.Sum) *templates.Table {
	t := &templates.Table{Columns: []templates.Column{{Name: "What"}, {Name: "Calls", Right: true}, {Name: "Errors", Right: true}, {Name: "p50 latency", Right: true}, {Name: "p95 latency", Right: true}}}
	for _, s := range sums {
		var name templates.Text = templates.Say("none")
		switch {
		case s.Name != "":
			name = templates.Link(u.at(string(u.by), s.Key), templates.Data(s.Name))
		case s.Key != "":
			name = templates.Link(u.at(string(u.by), s.Key), templates.Data(s.Key))
		}
		t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{name, templates.Number(s.Calls), templates.Number(s.Errors), took(int64(s.P50)), took(int64(s.P95))}})
	}
	if len(t.Rows) == 0 {
		t.Empty = templates.Say("No calls.")
	}
	return t
}

// exportUsage sends the calls of a filter as a file.
func (c adminUsage) exportUsage(w http.ResponseWriter, r *http.Request) {
	u := c.used(r)
	c.send(w, r, "rialto-usage", func(f operator.Format) error {
		return operator.WriteCalls(w, f, c.Admin.Calls(r.Context(), u.Filter, r.URL.Query().Get("page_token")))
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
