package console

import (
	"net/http"
	"net/url"

	"rialto/bridge/operator"
	"rialto/templates"
)

// query is the filter of a list.
type query struct {
	path   string
	values url.Values
}

// parseQuery reads the known parameters of a list.
func parseQuery(r *http.Request, known ...string) query {
	q := query{r.URL.Path, url.Values{}}
	for _, name := range known {
		if v := r.URL.Query().Get(name); v != "" && len(v) <= 512 && clean(v) {
			q.values.Set(name, v)
		}
	}
	return q
}

func (q query) get(name string) string { return q.values.Get(name) }

func (q query) filtered() bool { return len(q.values) > 0 }

// span returns the requested page of the list.
func span(r *http.Request) operator.Span { return operator.Span{Cursor: r.URL.Query().Get("after")} }

// at returns the address of the list with another parameter.
func (q query) at(name, value string) string {
	values := url.Values{}
	for k, v := range q.values {
		values[k] = v
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

// pager sets the links to the other pages of a table.
func (q query) pager(r *http.Request, t *templates.Table, next string) *templates.Table {
	if r.URL.Query().Get("after") != "" {
		t.First = q.at("after", "")
	}
	if next != "" {
		t.Next = q.at("after", next)
	}
	if t.Empty == nil && q.filtered() {
		t.Empty = templates.Say("Nothing matches.")
	}
	return t
}

func (q query) filter(fields ...templates.Field) *templates.Filter {
	f := &templates.Filter{Action: q.path, Fields: fields}
	for i := range f.Fields {
		f.Fields[i].Value = q.get(f.Fields[i].Name)
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
	if err != nil || u.Host != "" || u.Scheme != "" || len(to) > 1024 || (!under(u.Path, "/admin") && !under(u.Path, "/account")) {
		return otherwise
	}
	return to
}

func under(path, root string) bool {
	return path == root || len(path) > len(root) && path[:len(root)+1] == root+"/"
}

// withDone adds the parameter for doneTexts to an address.
func withDone(to, done string) string {
	u, err := url.Parse(to)
	if err != nil {
		return to
	}
	values := u.Query()
	values.Set("done", done)
	u.RawQuery = values.Encode()
	return u.String()
}
