package console

import (
	"net/http"
	"net/url"
	"time"

	"rialto/templates"
)

// adminKeys are the pages about signing keys.
type adminKeys struct{ *Console }

func (c adminKeys) routes() []route {
	a := adminArea
	return []route{
		{"/admin/keys", c.show(a, c.keys), nil},
		{"/admin/keys/rotate", nil, c.do(a, confirm(askRotate, c.rotate))},
	}
}

// keys shows the keys that sign access tokens.
func (c adminKeys) keys(r *http.Request) (templates.Console, error) {
	all, err := c.Admin.Keys(r.Context())
	if err != nil {
		return templates.Console{}, err
	}
	t := &templates.Table{
		Columns: []templates.Column{{Name: "Key"}, {Name: "State"}, {Name: "Algorithm"}, {Name: "Signs from"}, {Name: "Replaced"}, {Name: "Forgotten"}},
		Empty:   templates.Say("Tokens are made with the secret of the configuration: there are no keys."),
	}
	for _, k := range all {
		state := templates.Badge(templates.Plain, "checks only")
		switch {
		case k.Signs:
			state = templates.Badge(templates.Good, "signs")
		case k.Active.After(c.Now()):
			state = templates.Badge(templates.Note, "comes next")
		}
		t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{
			templates.Code(k.ID), state, templates.Code(k.Algorithm), templates.When(k.Active, c.Now()), c.replaced(k.Rotates), templates.When(k.Expires, c.Now()),
		}})
	}
	p := templates.Console{
		Title: "Keys", Lead: templates.Say("They sign access tokens and are replaced automatically."),
		Sections: []templates.Section{{ID: "keys", Table: t}},
	}
	if len(all) > 0 {
		p.Actions = []templates.Button{{Action: "/admin/keys/rotate", Word: "Replace now"}}
	}
	return p, nil
}

func askRotate(*http.Request, url.Values) (question, error) {
	return question{
		title: "Replace the signing key?", word: "Replace it", back: "/admin/keys",
		about: templates.Say("A new key starts to sign in ten minutes. Tokens of the old key stay valid until they expire. Replace the key if it may have been read."),
	}, nil
}

func (c adminKeys) rotate(_ http.ResponseWriter, r *http.Request, _ url.Values) (string, *templates.Console, error) {
	_, err := c.Admin.RotateKeys(r.Context(), c.actor(r))
	return withDone("/admin/keys", "rotated"), nil, err
}

// replaced shows when the newest key is replaced; the other keys have no time.
func (c adminKeys) replaced(at time.Time) templates.Text {
	if at.IsZero() {
		return templates.Data("–")
	}
	return templates.When(at, c.Now())
}
