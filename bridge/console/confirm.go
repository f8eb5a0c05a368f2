package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"rialto/templates"
)

// question is asked before an action that cannot be undone.
type question struct {
	title string           // a sentence, for the window and the heading
	about templates.Text   // what happens
	facts []templates.Fact // what happens when
	calm  bool             // the action harms no user
	word  string           // of the button
	back  string           // where to go instead
}

// confirm asks a question before an action: the action runs when the form of the
// question is sent. ask may fail, for example with operator.ErrNotFound.
func confirm(ask func(r *http.Request, f url.Values) (question, error), d formAction) formAction {
	return func(w http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
		if f.Get("confirm") == "yes" {
			return d(w, r, f)
		}
		q, err := ask(r, f)
		if err != nil {
			return "", nil, err
		}
		return "", q.page(r, f), nil
	}
}

func (q question) page(r *http.Request, f url.Values) *templates.Console {
	form := &templates.Form{Action: r.URL.EscapedPath(), Word: q.word, Grave: !q.calm, Cancel: q.back, Hidden: []templates.Value{{Name: "confirm", Value: "yes"}}}
	for name, values := range f {
		for _, v := range values {
			if name != "confirm" {
				form.Hidden = append(form.Hidden, templates.Value{Name: name, Value: v})
			}
		}
	}
	slices.SortFunc(form.Hidden, func(a, b templates.Value) int { return strings.Compare(a.Name, b.Name) })
	return &templates.Console{
		Title:    q.title,
		Sections: []templates.Section{{ID: "confirm", Grave: !q.calm, Lead: q.about, Facts: q.facts, Form: form}},
	}
}
