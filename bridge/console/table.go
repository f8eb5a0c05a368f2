package console

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"rialto/bridge/operator"
	"rialto/templates"
)

// lister shows the entries of a list of operators. Console has both methods for entries that are
// shown plainly.
type lister interface {
	// cell returns what a column shows of an entry; nil is the value of the column.
	cell(r *http.Request, entry any, column string) templates.Text
	// buttons returns what can be done with an entry.
	buttons(q query, entry any) []templates.Button
}

func (c *Console) cell(*http.Request, any, string) templates.Text { return nil }

func (c *Console) buttons(query, any) []templates.Button { return nil }

// list returns a list with its filter, as the request asks for it.
func (c *Console) list(r *http.Request, l operator.Query, show lister) (templates.Section, error) {
	q, err := c.parse(r, operator.Filters(l))
	if err != nil {
		return templates.Section{}, err
	}
	return c.filtered(r, q, l, show)
}

// listPage puts a list with its filter on a page.
func (c *Console) listPage(
	r *http.Request, l operator.Query, show lister, page templates.Console,
) (*templates.Console, error) {
	section, err := c.list(r, l, show)
	page.Sections = []templates.Section{section}
	return &page, err
}

// filtered returns a list, whose filters are set, with its filter.
func (c *Console) filtered(
	r *http.Request, q query, l operator.Query, show lister,
) (templates.Section, error) {
	s, err := c.section(r, q, l, show)
	if err == nil && len(l.Table().Filters) > 0 {
		s.Filter, err = c.filter(r, q, operator.Filters(l))
	}
	return s, err
}

// section returns a list without the columns in without.
func (c *Console) section(
	r *http.Request, q query, l operator.Query, show lister, without ...string,
) (templates.Section, error) {
	p, err := l.Read(r.Context(), c.Admin, span(r))
	if err != nil {
		return templates.Section{}, err
	}

	table := l.Table()
	columns := slices.DeleteFunc(slices.Clone(table.Page), func(x operator.Column) bool {
		return slices.Contains(without, x.Name)
	})
	t := &templates.Table{Dense: table.Latest}
	bulk(t, table.Name, "/admin/"+table.Name)
	for _, x := range columns {
		t.Columns = append(t.Columns, q.column(table, x))
	}

	for _, entry := range p.Items {
		row := templates.Entry{Actions: show.buttons(q, entry), Pick: pick(entry)}
		for _, x := range columns {
			row.Cells = append(row.Cells, c.shown(r, show, entry, x.Name))
		}
		t.Rows = append(t.Rows, row)
	}

	switch {
	case table.Whole, table.NoTotal:
	case table.Latest && q.get("text") != "":
		t.Total = templates.Textf(
			"{} found in the latest {}",
			boundedCount(p.Total),
			templates.Number(operator.MostSearched),
		)
	default:
		t.Total = total(p.Total)
	}

	if table.Empty != "" && !q.filtered() {
		t.Empty = table.Empty
	}
	if table.Whole {
		q.pager(r, t, p.Next)
	}

	return templates.Section{ID: table.Name, Table: q.pages(t, p.Prev, p.Next)}, nil
}

// column returns the heading of a column.
func (q query) column(table *operator.Table, x operator.Column) templates.Column {
	ranked := table.Ranked && q.get("text") != ""
	if x.Name == table.Sorted && !ranked {
		order := descending
		if x.Name == table.Key {
			order = ascending
		}
		return q.sorted(x.Title, order)
	}
	return templates.Column{Name: x.Title, Right: slices.Contains(table.Right, x.Name)}
}

// shown returns a cell. The lister's own comes first, then the value by its type.
func (c *Console) shown(r *http.Request, show lister, entry any, column string) templates.Text {
	if own := show.cell(r, entry, column); own != nil {
		return own
	}
	switch v := operator.Value(entry, column).(type) {
	case time.Time:
		return c.when(v)
	case int:
		return count(v)
	case []string:
		return verbatimLines(v)
	default:
		return templates.Verbatim(fmt.Sprint(v))
	}
}

// parse reads a list's filters, and other known parameters, from the address.
func (c *Console) parse(
	r *http.Request, filters []operator.Filter, known ...string,
) (q query, err error) {
	for _, f := range filters {
		known = append(known, f.Field)
	}

	q = parseQuery(r, known...)
	for _, f := range filters {
		if f.Field == "" {
			continue
		}
		value := q.get(f.Field)
		switch f.Kind {
		case operator.Days:
			*f.To.(*time.Time) = c.since(value)
			continue
		case operator.OfApp:
			*f.To.(*[]string), err = c.Admin.ClientIDs(r.Context(), value)
			value = ""
		case operator.OfOwner:
			value, err = c.Admin.AccountID(r.Context(), value)
		}
		if err == nil {
			err = f.Set(value)
		}
		if err != nil {
			return q, err
		}
	}

	return q, nil
}

// filter returns the fields of filters. A filter without a label stays as it is.
func (c *Console) filter(
	r *http.Request, q query, filters []operator.Filter,
) (*templates.Filter, error) {
	var fields []templates.Field
	var kept []templates.Value
	for _, f := range filters {
		switch {
		case f.Field == "" || len(fields) > 0 && fields[len(fields)-1].Name == f.Field:
		case f.Label != "":
			field, err := c.field(r, f)
			if err != nil {
				return nil, err
			}
			fields = append(fields, field)
		case q.get(f.Field) != "":
			kept = append(kept, hidden(f.Field, q.get(f.Field))...)
		}
	}

	out := q.filter(fields...)
	out.Hidden = append(out.Hidden, kept...)
	return out, nil
}

// field returns the field of a filter, which suggests names or has choices.
func (c *Console) field(r *http.Request, f operator.Filter) (field templates.Field, err error) {
	field = templates.Field{
		Name:  f.Field,
		Kind:  "text",
		Label: f.Label,
		Max:   512,
	}
	switch f.Kind {
	case operator.Search:
		field.Kind = "search"
		field.Hint = f.Label
		field.Max = 128
	case operator.OfState:
		field = stateField()
	case operator.OfOwner, operator.OfActor:
		field.Suggest, err = c.names(r, "accounts")
	case operator.OfApp:
		field.Suggest, err = c.names(r, "clients")
	case operator.OfAgent:
		field.Suggest, err = c.names(r, "agents")
	default:
		field.Kind = "choice"
		field.Max = 0
		field.Options = []templates.Option{{Word: "Any"}}
		if f.Field == "only" {
			field.Options[0].Word = "All"
		}
		for _, x := range f.Choices {
			field.Options = append(field.Options, templates.Option(x))
		}
	}

	return field, err
}

// maxSuggested bounds the names that a filter suggests.
const maxSuggested = 100

// names returns names of the entries of a resource, for suggestions.
func (c *Console) names(r *http.Request, resource string) (names []string, err error) {
	page, err := operator.NewQuery(resource).Read(r.Context(), c.Admin, operator.Span{Size: maxSuggested})
	if err != nil {
		return nil, err
	}
	for _, entry := range page.Items[:min(len(page.Items), maxSuggested)] {
		names = append(names, operator.Value(entry, "name").(string))
	}
	slices.Sort(names) // clients come by time, and may share a name
	return slices.Compact(names), nil
}

// removal is the form that removes an entry of a resource. Its question comes first, so it may name
// the entry in its address.
func (c *Console) removal(resource string) route {
	table := operator.NewQuery(resource).Table()
	x := table.Remove
	home := "/admin/" + resource
	return route{
		path: home + "/" + x.Path,
		ask: func(f *form) (question, error) {
			key := cmp.Or(f.Get(table.Key), f.URL.Query().Get(table.Key))
			f.Set(table.Key, key)
			entry, err := c.Admin.Entry(f.Context(), resource, key)
			if err != nil {
				return question{}, err
			}
			if _, ok := entry.(*operator.Account); ok && operator.Value(entry, "id") == f.by.ID {
				return question{}, operator.ErrOwnAccount
			}
			q := question{title: x.Title, word: x.Word, back: back(f.Values, home)}
			if x.Back != "" {
				q.back = x.Back + url.QueryEscape(key)
			}
			var of []any
			for _, column := range x.Of {
				of = append(of, fmt.Sprint(operator.Value(entry, column)))
			}
			q.about = templates.Textf(x.About, of...)
			return q, nil
		},
		form: func(f *form) error {
			err := c.Admin.Remove(f.Context(), f.by, resource, f.Get(table.Key))
			return f.done(back(f.Values, home), x.Done, err)
		},
	}
}

// removeButton opens the form of removal for an entry. about names the entry to screen readers.
func removeButton(l operator.Query, key, about string) templates.Button {
	table := l.Table()
	return templates.Button{
		Action: "/admin/" + table.Name + "/" + table.Remove.Path, Word: table.Remove.Button,
		About:  about,
		Grave:  true,
		Hidden: hidden(table.Key, key),
	}
}
