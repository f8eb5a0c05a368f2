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
		{"/admin/keys/revoke", nil, c.do(a, confirm(c.askRevokeKey, c.revokeKey))},
	}
}

// keys shows the keys that sign access tokens.
func (c adminKeys) keys(r *http.Request) (templates.Console, error) {
	all, err := c.Admin.Keys(r.Context())
	if err != nil {
		return templates.Console{}, err
	}
	t := &templates.Table{
		Columns: []templates.Column{{Name: "Key"}, {Name: "State"}, {Name: "Signs from"}, {Name: "Next replacement"}, {Name: "Deleted on"}},
		Empty:   templates.Say("Tokens are made with the secret of the configuration: there are no keys."),
	}
	for _, k := range all {
		state, does := templates.Badge(templates.Plain, "checks only"), templates.Say("Checks tokens that it signed earlier.")
		switch {
		case k.Signs:
			state, does = templates.Badge(templates.Good, "current"), templates.Say("Signs every new token.")
		case k.Active.After(c.Now()):
			state, does = templates.Badge(templates.Note, "comes next"), templates.Say("Published, so that servers know it before it signs.")
		}
		t.Rows = append(t.Rows, templates.Entry{
			Cells: []templates.Text{
				templates.Lines(templates.ID(k.ID), templates.Data(k.Algorithm)), templates.Lines(templates.Row(state), does), templates.When(k.Active, c.Now()), c.replaced(k.Rotates), templates.When(k.Expires, c.Now()),
			},
			Actions: []templates.Button{{Action: "/admin/keys/revoke", Word: "Revoke", About: k.ID, Grave: true, Hidden: []templates.Value{{Name: "id", Value: k.ID}}}},
		})
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
		title: "Replace the signing key?", word: "Replace it", back: "/admin/keys", calm: true,
		about: templates.Say("All sessions and connections continue. If the key may have leaked, revoke it instead."),
		facts: []templates.Fact{
			{Name: "At once", Value: templates.Say("The new key is published. The present key goes on signing.")},
			{Name: "In ten minutes", Value: templates.Say("The new key signs every new token.")},
			{Name: "After that", Value: templates.Say("Tokens of the old key stay valid until they expire. Then it is deleted.")},
		},
	}, nil
}

func (c adminKeys) rotate(_ http.ResponseWriter, r *http.Request, _ url.Values) (string, *templates.Console, error) {
	_, err := c.Admin.RotateKeys(r.Context(), c.actor(r))
	return withDone("/admin/keys", "rotated"), nil, err
}

func (c adminKeys) askRevokeKey(r *http.Request, f url.Values) (question, error) {
	k, err := c.Admin.Key(r.Context(), f.Get("id"))
	if err != nil {
		return question{}, err
	}
	q := question{title: "Revoke this key?", word: "Revoke it", back: "/admin/keys", about: templates.Say("The key {}. This cannot be undone.", k.ID)}
	refuses := templates.Fact{Name: "At once", Value: templates.Say("Every token that it signed is refused. Apps get a new token with their next refresh, without a sign-in.")}
	scripts := templates.Fact{Name: "You", Value: templates.Say("Issue the tokens of scripts again.")}
	switch {
	case k.Signs:
		q.facts = []templates.Fact{refuses, {Name: "Also at once", Value: templates.Say("A new key signs every new token.")},
			{Name: "For five minutes", Value: templates.Say("Servers that keep a copy of the key set may refuse the new tokens.")}, scripts}
	case k.Active.After(c.Now()):
		q.facts = []templates.Fact{{Name: "At once", Value: templates.Say("It is deleted. It has signed nothing yet, so no token is refused.")}, {Name: "In ten minutes", Value: templates.Say("Another new key, made now, signs every new token.")}}
	default:
		q.facts = []templates.Fact{refuses, scripts}
	}
	return q, nil
}

func (c adminKeys) revokeKey(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	return withDone("/admin/keys", "key-revoked"), nil, c.Admin.RevokeKey(r.Context(), c.actor(r), f.Get("id"))
}

// replaced shows when the newest key is replaced; the other keys have no time.
func (c adminKeys) replaced(at time.Time) templates.Text {
	if at.IsZero() {
		return templates.Data("–")
	}
	return templates.When(at, c.Now())
}
