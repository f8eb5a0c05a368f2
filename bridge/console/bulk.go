package console

import (
	"fmt"
	"path"
	"strconv"

	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/templates"
)

// bulk lets the rows of a list of a resource be ticked, and a form below home act on those.
func bulk(t *templates.Table, resource, home string) {
	b := operator.NewQuery(resource).Table().Bulk
	if b.Path != "" {
		t.Bulk = &templates.Button{Action: home + "/" + b.Path, Word: b.Button, Grave: true}
	}
}

// pick returns the value of the box that ticks an entry; "" if the action of its list does nothing to it.
func pick(entry any) string {
	switch x := entry.(type) {
	case operator.Task:
		if !x.State.Terminal() {
			return x.ID
		}
	case ledger.Summary:
		if !x.State.Terminal() {
			return x.TaskID
		}
	case operator.Grant:
		if endable(x) {
			return x.ID
		}
	}
	return ""
}

// several lets the form of a route take several entries of a resource: it asks once, and acts on each.
func several(o route, resource string, do func(f *form, id string) error) route {
	one := o
	home := path.Dir(o.path)
	b := operator.NewQuery(resource).Table().Bulk
	o.slow = true
	o.ask = func(f *form) (question, error) {
		n := len(f.Values["id"])
		if n < 2 {
			return one.ask(f)
		}
		return question{
			title: b.Title,
			word:  b.Word,
			back:  home,
			about: templates.Textf(b.About, strconv.Itoa(n)),
		}, nil
	}

	o.form = func(f *form) error {
		ids := f.Values["id"]
		if len(ids) < 2 {
			return one.form(f)
		}
		done := 0
		var refused error
		for _, id := range ids {
			refused = do(f, id)
			if refused == nil {
				done++
			}
		}
		if done > 0 {
			refused = nil
		}
		return f.done(home, fmt.Sprintf("%s.%d.%d", b.Done, done, len(ids)), refused)
	}

	return o
}
