package console

import (
	"errors"
	"net/http"

	"rialto/bridge/console/usagereport"
	"rialto/bridge/operator"
	"rialto/internal/usage"
	"rialto/templates"
)

// adminUsage are the pages about usage.
type adminUsage struct{ *Console }

// used is the filter of a page, and what it shows.
type used struct {
	query
	*usagereport.Report
}

func (c adminUsage) used(r *http.Request) (used, error) {
	f := &operator.CallFilter{}
	q, err := c.parse(r, operator.Filters(f), "days", "from", "to", "by")
	u := used{q, usagereport.New(r.URL.Path, q.values, c.Now().In(usagereport.Zone(r)))}
	f.Since = u.Since
	f.Until = u.Until
	f.Offset = u.Offset
	u.Filter = f.Filter
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
	both := f
	largest := f
	earlier.Since, earlier.Until = u.Earlier()
	both.Since = earlier.Since
	largest.Limit = usagereport.MaxSums

	var errs [5]error
	var filter *templates.Filter
	var now, before, series, sums []usage.Sum
	now, errs[0] = c.Admin.Usage(r.Context(), f, "", 0)
	before, errs[1] = c.Admin.Usage(r.Context(), earlier, "", 0)
	series, errs[2] = c.Admin.Usage(r.Context(), both, "", u.Step)
	sums, errs[3] = c.Admin.Usage(r.Context(), largest, u.By, 0)
	filter, errs[4] = c.usageFilter(r, u)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}

	return &templates.Console{
		Title: "Usage",
		Lead: templates.Textf(
			"Calls from {} to {}. Message contents are never recorded.",
			templates.Minute(u.Since),
			templates.Minute(u.Until),
		),
		Actions: u.exports("/admin/usage/export"),
		Sections: []templates.Section{
			{
				ID:     "usage",
				Ways:   u.Spans(),
				Choose: "Time",
				Filter: filter,
				Stats:  u.Stats(first(now), first(before)), Charts: u.Charts(series),
			},
			{ID: "sums", Ways: u.Tabs(), Table: u.Table(sums)},
		},
	}, nil
}

func first(sums []usage.Sum) usage.Sum {
	if len(sums) == 0 {
		return usage.Sum{}
	}
	return sums[0]
}

func (c adminUsage) usageFilter(r *http.Request, u used) (*templates.Filter, error) {
	f, err := c.filter(r, u.query, operator.Filters(&operator.CallFilter{}))
	if err != nil {
		return nil, err
	}

	for i := range f.Fields {
		if x := &f.Fields[i]; x.Kind != "choice" {
			x.Kind = "search"
			x.Hint = x.Label
			x.Max = 512
		}
	}

	for _, name := range []string{"days", "from", "to", "by"} {
		if v := u.get(name); v != "" {
			f.Hidden = append(f.Hidden, hidden(name, v)...)
		}
	}

	f.Clear = u.ClearFilter()
	return f, nil
}

// usageCalls lists the calls behind a number, the latest first.
func (c adminUsage) usageCalls(r *http.Request) (*templates.Console, error) {
	u, err := c.used(r)
	if err != nil {
		return nil, err
	}
	section, err := c.section(
		r,
		u.query,
		&operator.CallFilter{Filter: u.Filter},
		calls{c.Console, u.Report},
	)
	if err != nil {
		return nil, err
	}

	section.Table.Empty, section.Ways = operator.NewQuery("calls").Table().Empty, u.Spans()
	section.Filter, err = c.usageFilter(r, u)
	return &templates.Console{
		Title:   "Calls",
		Up:      link(u.Address("/admin/usage"), "Usage"),
		Actions: u.exports("/admin/usage/export"),
		Lead: templates.Textf(
			"The calls from {} to {}, the latest first.",
			templates.Minute(u.Since),
			templates.Minute(u.Until),
		),
		Sections: []templates.Section{section},
	}, err
}

// calls shows calls. The row of a call about a task leads to the task.
type calls struct {
	*Console
	report *usagereport.Report
}

func (c calls) cell(_ *http.Request, entry any, column string) templates.Text {
	call := entry.(usage.Record)
	if column == "time" && call.Task != "" {
		return templates.Link(taskAt(call.Task), c.when(call.At))
	}
	return c.report.Cell(call, column)
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
		return operator.WriteCalls(w, format, c.Admin.Calls(r.Context(), f, param(r, "page_token")))
	})
}

// send sends a file. After an error it aborts the response, so that the browser sees
// that the file is not whole.
func (c *Console) send(
	w http.ResponseWriter,
	r *http.Request,
	name string,
	write func(operator.Format) error,
) {
	format := operator.CSV
	if param(r, "format") == string(operator.JSON) {
		format = operator.JSON
	}

	format.SetHeader(w.Header(), name)
	if err := write(format); err != nil && r.Context().Err() == nil {
		c.Log.ErrorContext(
			r.Context(), "console: an export ended early",
			"path", r.URL.Path,
			"err", err,
		)
		panic(http.ErrAbortHandler) // so that the browser does not take it for whole
	}
}
