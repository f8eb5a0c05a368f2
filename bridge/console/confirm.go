package console

import (
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

// askFirst shows the question of a form. The form runs when the question's own form is sent.
func (f *form) askFirst(ask func(*form) (question, error)) error {
	q, err := ask(f)
	if err != nil {
		return err
	}
	again := &templates.Form{Action: f.URL.EscapedPath(), Word: q.word, Grave: !q.calm, Cancel: q.back, Hidden: hidden("confirm", "yes")}
	for name, values := range f.Values {
		for _, v := range values {
			if name != "confirm" {
				again.Hidden = append(again.Hidden, templates.Value{Name: name, Value: v})
			}
		}
	}
	slices.SortFunc(again.Hidden, func(a, b templates.Value) int { return strings.Compare(a.Name, b.Name) })
	return f.show(&templates.Console{
		Title:    q.title,
		Sections: []templates.Section{{ID: "confirm", Grave: !q.calm, Lead: q.about, Facts: q.facts, Form: again}},
	})
}
