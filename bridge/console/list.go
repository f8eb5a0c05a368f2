package console

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"rialto/bridge/operator"
	"rialto/templates"
)

// query is the filter of a list, and its order.
type query struct {
	path    string
	values  url.Values
	reverse bool
}

// parseQuery reads the known parameters of a list.
func parseQuery(r *http.Request, known ...string) query {
	q := query{r.URL.Path, url.Values{}, param(r, "order") == "reverse"}
	for _, name := range known {
		if v := strings.TrimSpace(param(r, name)); v != "" && len(v) <= 512 && clean(v) {
			q.values.Set(name, v)
		}
	}
	return q
}

func (q query) get(name string) string { return q.values.Get(name) }

func (q query) filtered() bool { return len(q.values) > 0 }

// span returns the requested page of the list.
func span(r *http.Request) operator.Span {
	v := r.URL.Query()
	s := operator.Span{Cursor: v.Get("after"), Reverse: v.Get("order") == "reverse", Count: true}
	if before := v.Get("before"); before != "" {
		s.Cursor = before
		s.Back = true
	}
	return s
}

// at returns the address of the list with another parameter.
func (q query) at(name, value string) string {
	values := url.Values{}
	for k, v := range q.values {
		values[k] = v
	}

	if q.reverse {
		values.Set("order", "reverse")
	}
	if value != "" {
		values.Set(name, value)
	} else {
		values.Del(name)
	}
	if len(values) == 0 {
		return q.path
	}

	return q.path + "?" + values.Encode()
}

// sorted is the column that sorts the list; order is how, unless it is reversed.
func (q query) sorted(name, order string) templates.Column {
	c := templates.Column{Name: name, Order: order, Sort: q.at("order", "reverse")}
	if q.reverse {
		c.Sort = q.at("order", "")
		c.Order = map[string]string{ascending: descending, descending: ascending}[order]
	}
	return c
}

const ascending, descending = "ascending", "descending"

// pager sets the links to the other pages of a table that is only read forward.
func (q query) pager(r *http.Request, t *templates.Table, next string) *templates.Table {
	if param(r, "after") != "" {
		t.First = q.at("after", "")
	}
	return q.pages(t, "", next)
}

// pages sets the links to the other pages of a table.
func (q query) pages(t *templates.Table, prev, next string) *templates.Table {
	if prev != "" {
		t.Prev = q.at("before", prev)
	}
	if next != "" {
		t.Next = q.at("after", next)
	}
	if t.Empty == "" && q.filtered() {
		t.Empty = "Nothing matches."
	}

	return t
}

// total says how many rows a list has, counted up to operator.MostTotal.
func total(n int) templates.Text {
	return templates.Textf("{} in all", boundedCount(n))
}

func boundedCount(n int) templates.Text { return templates.Count(n, operator.MostTotal) }

func (q query) filter(fields ...templates.Field) *templates.Filter {
	f := &templates.Filter{Action: q.path, Fields: fields}
	for i := range f.Fields {
		f.Fields[i].Value = q.get(f.Fields[i].Name)
	}

	if q.reverse {
		f.Hidden = hidden("order", "reverse")
	}
	if q.filtered() {
		f.Clear = q.path
	}

	return f
}

// back returns the address in the form to go to next, if it is one of our pages, or otherwise.
func back(f url.Values, otherwise string) string {
	to := f.Get("back")
	u, err := url.Parse(to)
	if err != nil || u.Host != "" || u.Scheme != "" || len(to) > 1024 {
		return otherwise
	}
	if under(u.Path, adminArea.root) || under(u.Path, accountArea.root) {
		return to
	}
	return otherwise
}

func under(path, root string) bool {
	return path == root || len(path) > len(root) && path[:len(root)+1] == root+"/"
}

// with sets a parameter in an address.
func with(to, name, value string) string {
	u, err := url.Parse(to)
	if err != nil {
		return to
	}
	values := u.Query()
	values.Set(name, value)
	u.RawQuery = values.Encode()
	return u.String()
}

// exports are the buttons that save what the page lists, from the path that writes it as a file.
func (q query) exports(path string) []templates.Button {
	var all []templates.Button
	for _, f := range []struct{ format, word string }{{"csv", "Save as CSV"}, {"json", "Save as JSON"}} {
		b := templates.Button{
			Action: path,
			Get:    true,
			Word:   f.word,
			Hidden: hidden("format", f.format),
		}
		for _, name := range slices.Sorted(maps.Keys(q.values)) {
			b.Hidden = append(b.Hidden, hidden(name, q.get(name))...)
		}
		all = append(all, b)
	}

	return all
}
