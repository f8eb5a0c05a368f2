package console

import (
	"net/http"

	"rialto/bridge/operator"
	"rialto/templates"
)

// adminKeys are the pages about signing keys.
type adminKeys struct{ *Console }

// keys shows the keys that sign access tokens.
func (c adminKeys) keys(r *http.Request) (*templates.Console, error) {
	p, err := c.listPage(r, operator.NewQuery("keys"), c, templates.Console{
		Title: "Keys",
		Lead:  templates.Textf("They sign access tokens and are replaced automatically."),
	})
	if err == nil && len(p.Sections[0].Table.Rows) > 0 {
		p.Actions = []templates.Button{{Action: "/admin/keys/rotate", Word: "Replace now"}}
	}
	return p, err
}

func (c adminKeys) cell(_ *http.Request, entry any, column string) templates.Text {
	k := entry.(operator.Key)
	switch {
	case column == "id":
		return templates.Lines(templates.ID(k.ID), templates.Verbatim(k.Algorithm))
	case column == "rotates" && k.Rotates.IsZero(): // only the newest key is replaced
		return templates.Verbatim("–")
	case column == "signs":
		return c.keyState(k)
	}

	return nil
}

// keyState says what a key does now.
func (c adminKeys) keyState(k operator.Key) templates.Text {
	state := templates.Badge(templates.Plain, "Checks only")
	meaning := templates.Textf("Checks tokens that it signed earlier.")
	switch {
	case k.Signs:
		state = templates.Badge(templates.Good, "Current")
		meaning = templates.Textf("Signs every new token.")
	case k.Active.After(c.Now()):
		state = templates.Badge(templates.Note, "Comes next")
		meaning = templates.Textf("Published, so that servers know it before it signs.")
	}

	return templates.Lines(templates.Row(state), meaning)
}

func (c adminKeys) buttons(_ query, entry any) []templates.Button {
	id := entry.(operator.Key).ID
	return []templates.Button{removeButton(operator.NewQuery("keys"), id, id)}
}

func askRotate() confirmation {
	return always(question{
		title: "Replace the signing key?",
		word:  "Replace",
		back:  "/admin/keys",
		calm:  true,
		about: templates.Textf(
			"All sessions and connections continue. If the key may have leaked, revoke it instead.",
		),
		facts: []templates.Fact{
			fact(
				"At once",
				templates.Textf("The new key is published. The current key keeps signing."),
			),
			fact("In ten minutes", templates.Textf("The new key signs every new token.")),
			fact(
				"After that",
				templates.Textf(
					"Tokens of the old key stay valid until they expire. Then it is deleted.",
				),
			),
		},
	})
}

func (c adminKeys) rotate(f *form) error {
	_, err := c.Admin.RotateKeys(f.Context(), f.by)
	return f.done("/admin/keys", "rotated", err)
}

func (c adminKeys) askRevokeKey(f *form) (question, error) {
	k, err := c.Admin.Key(f.Context(), f.Get("id"))
	if err != nil {
		return question{}, err
	}

	q := question{
		title: "Revoke this key?",
		word:  "Revoke",
		back:  "/admin/keys",
		about: templates.Textf("The key {}. This can't be undone.", k.ID),
	}
	refuses := fact(
		"At once",
		templates.Textf(
			"Every token that it signed is refused. Apps get a new token with their next refresh, without a sign-in.",
		),
	)
	scripts := fact("You", templates.Textf("Issue the tokens of scripts again."))
	switch {
	case k.Signs:
		q.facts = []templates.Fact{
			refuses,
			fact("Also at once", templates.Textf("A new key signs every new token.")),
			fact(
				"For five minutes",
				templates.Textf(
					"Servers that keep a copy of the key set may refuse the new tokens.",
				),
			),
			scripts,
		}
	case k.Active.After(c.Now()):
		q.facts = []templates.Fact{
			fact(
				"At once",
				templates.Textf(
					"It is deleted. It has signed nothing yet, so no token is refused.",
				),
			),
			fact(
				"In ten minutes",
				templates.Textf("Another new key, made now, signs every new token."),
			),
		}
	default:
		q.facts = []templates.Fact{refuses, scripts}
	}

	return q, nil
}
