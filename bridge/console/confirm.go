package console

import (
	"maps"
	"slices"

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

// confirmation returns the question of a form.
type confirmation func(*form) (question, error)

// always asks the same question.
func always(q question) confirmation {
	return func(*form) (question, error) { return q, nil }
}

// askFirst shows the question of a form. The form runs when the question's own form is sent.
func (f *form) askFirst(ask confirmation) error {
	q, err := ask(f)
	if err != nil {
		return err
	}

	again := &templates.Form{
		Action: f.URL.EscapedPath(),
		Word:   q.word,
		Grave:  !q.calm,
		Cancel: q.back,
	}
	f.Set("confirm", "yes")
	again.Hidden = f.hidden()

	return f.show(&templates.Console{
		Title: q.title,
		Sections: []templates.Section{
			{ID: "confirm", Grave: !q.calm, Lead: q.about, Facts: q.facts, Form: again},
		},
	})
}

// hidden returns the form as hidden fields.
func (f *form) hidden() (all []templates.Value) {
	for _, name := range slices.Sorted(maps.Keys(f.Values)) {
		for _, v := range f.Values[name] {
			all = append(all, hidden(name, v)...)
		}
	}
	return all
}
