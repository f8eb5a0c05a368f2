// Package signinpages shows how a person signs in: passkeys, recovery codes and sessions. It
// decides nothing: package signin does. Package console puts the frame around its pages and guards
// its forms.
package signinpages

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/oauth/authserver"
	"rialto/templates"
)

// Pages are the pages of the account that is signed in. All fields are required.
type Pages struct {
	OAuth *authserver.Server
	Now   func() time.Time
}

// Result is what a form leads to: a page, or an address with a message of package console.
type Result struct {
	Page     *templates.Console
	To, Done string
}

// Addresses of the pages.
const (
	passkeysPath = "/account/passkeys"
	sessionsPath = "/account/sessions"
)

func (c Pages) when(t time.Time) templates.Text {
	return templates.When(t, c.Now())
}

func columns(names ...string) (all []templates.Column) {
	for _, name := range names {
		all = append(all, templates.Column{Name: name})
	}
	return all
}

func byID(id string) []templates.Value {
	return []templates.Value{{Name: "id", Value: id}}
}

// Proof takes a proof of who the person is, if the values have one, and removes it from them. It
// returns the section that asks for a proof, without an action, or nil in a fresh session.
func (c Pages) Proof(
	w http.ResponseWriter, r *http.Request, values url.Values,
) (*templates.Section, error) {
	how, err := c.OAuth.Pages.Confirmation(r)
	if err != nil || how.Fresh {
		return nil, err
	}
	var wrong templates.Text
	password, passkey := values.Get("proof"), values.Get("passkey")
	values.Del("proof")
	values.Del("passkey")
	if password+passkey != "" {
		reason, err := c.OAuth.Pages.Explain(w, c.OAuth.Pages.Confirm(w, r, password, passkey))
		if err != nil || reason == "" {
			return nil, err
		}
		wrong = templates.Textf(reason)
	}
	s := proofSection(how.Issuer, how.Passkey, wrong)
	return &s, nil
}

// proofSection asks for a proof. People of a provider sign in there again.
func proofSection(issuer, passkey string, wrong templates.Text) templates.Section {
	s := templates.Section{
		ID:   "proof",
		Lead: templates.Textf("This is a sensitive action, and you signed in a while ago."),
	}
	if issuer != "" {
		s.Notes = []templates.Remark{{
			Tone: templates.Plain,
			Text: templates.Textf("Sign out, sign in again at {}, and repeat this.", issuer),
		}}
		return s
	}
	s.Form = &templates.Form{
		Word:        "Confirm",
		Error:       wrong,
		Passkey:     passkey,
		PasskeyWord: "Use a passkey",
		Fields: []templates.Field{{
			Name:     "proof",
			Kind:     "password",
			Label:    "Password",
			Help:     "Or a recovery code.",
			Complete: "current-password",
			Required: true,
			Max:      1024,
			Bad:      wrong != nil,
		}},
	}
	return s
}

// Passkeys shows the passkeys and recovery codes of the user, if the account is local.
func (c Pages) Passkeys(r *http.Request) (*templates.Console, error) {
	return c.passkeysPage(r, nil)
}

// passkeysPage shows them, and why a form on the page was refused.
func (c Pages) passkeysPage(
	r *http.Request, wrong templates.Text,
) (*templates.Console, error) {
	pages := c.OAuth.Pages
	how, err := pages.Confirmation(r)
	if err != nil {
		return nil, err
	}
	p := &templates.Console{
		Title: "Passkeys",
		Lead: templates.Textf(
			"Sign in with your fingerprint, your face or a PIN instead of a password.",
		),
	}
	switch {
	case how.Issuer != "":
		p.Sections = remarkSection(templates.Textf(
			"You sign in at {}. Passkeys don't apply here: set them up there.",
			how.Issuer,
		))
		return p, nil
	case !pages.Passkeys.On():
		p.Sections = remarkSection(templates.Textf(
			"This server has no passkeys: browsers allow them only at an address with a host name.",
		))
		return p, nil
	}

	keys, codes, creation, err := pages.OwnPasskeys(r)
	if err != nil {
		return nil, err
	}
	p.Sections = []templates.Section{
		{ID: "passkeys", Table: c.passkeyTable(keys)},
		addPasskeySection(creation, wrong),
		codesSection(codes),
	}
	if !how.Fresh {
		p.Sections[1] = proofSection("", how.Passkey, wrong)
		p.Sections[1].Form.Action = passkeysPath + "/confirm"
		p.Sections[1].Lead = templates.Textf(
			"You signed in a while ago. Confirm that it's you before you add a passkey.",
		)
	}
	return p, nil
}

func remarkSection(text templates.Text) []templates.Section {
	return []templates.Section{
		{ID: "passkeys", Notes: []templates.Remark{{Tone: templates.Plain, Text: text}}},
	}
}

func (c Pages) passkeyTable(keys []*oauth.Passkey) *templates.Table {
	t := &templates.Table{
		Columns: columns("Passkey", "Added", "Last used"),
		Empty:   "You have no passkey yet.",
	}
	for _, k := range keys {
		t.Rows = append(t.Rows, templates.Entry{
			Cells: []templates.Text{
				templates.Verbatim(k.Name),
				c.when(k.Created),
				c.when(k.Used),
			},
			Actions: []templates.Button{
				{
					Action: passkeysPath + "/rename",
					Get:    true,
					Word:   "Rename",
					About:  k.Name,
					Hidden: byID(k.ID),
				},
				{
					Action: passkeysPath + "/remove",
					Word:   "Remove",
					About:  k.Name,
					Grave:  true,
					Hidden: byID(k.ID),
				},
			},
		})
	}
	return t
}

func addPasskeySection(creation string, wrong templates.Text) templates.Section {
	s := templates.Section{
		ID:    "add",
		Title: "Add a passkey",
	}
	if creation == "" {
		s.Lead = templates.Textf("An account can have 20 passkeys. Remove one first.")
		return s
	}
	s.Lead = templates.Textf(
		"Your browser, your phone or a security key keeps it. This needs JavaScript.",
	)
	s.Form = &templates.Form{
		Action:      passkeysPath + "/add",
		Error:       wrong,
		Passkey:     creation,
		PasskeyWord: "Add a passkey",
		Fields:      []templates.Field{passkeyName("")},
	}
	return s
}

func passkeyName(value string) templates.Field {
	return templates.Field{
		Name:     "name",
		Kind:     "text",
		Label:    "Name",
		Help:     "Such as the device that keeps it.",
		Value:    value,
		Required: true,
		Max:      64,
	}
}

func codesSection(codes int) templates.Section {
	s := templates.Section{
		ID:    "codes",
		Title: "Recovery codes",
		Lead:  templates.Textf("You have no recovery codes. Each signs you in once instead of your password, for when you have lost your passkeys."),
		Form:  &templates.Form{Action: passkeysPath + "/codes", Word: "Create recovery codes"},
	}
	if codes > 0 {
		s.Lead = templates.Textf(
			"Recovery codes left: {}. Each signs you in once instead of your password. New codes replace these.",
			templates.Number(int64(codes)),
		)
		s.Form.Word = "Create new recovery codes"
	}
	return s
}

// typedName returns the name of a passkey in a form.
func typedName(values url.Values) string {
	name := cmp.Or(strings.TrimSpace(values.Get("name")), "Passkey")
	return strings.ToValidUTF8(name[:min(len(name), 256)], "")
}

// Add takes the form that adds a passkey.
func (c Pages) Add(
	w http.ResponseWriter, r *http.Request, values url.Values,
) (result Result, err error) {
	pages := c.OAuth.Pages
	err = pages.AddPasskey(r, typedName(values), values.Get("passkey"))
	reason, err := pages.Explain(w, err)
	if err != nil || reason == "" {
		return Result{To: passkeysPath, Done: "added"}, err
	}
	result.Page, err = c.passkeysPage(r, templates.Textf(reason))
	return result, err
}

// Confirm takes the proof that the page of passkeys asks for in a session that is not fresh.
func (c Pages) Confirm(
	w http.ResponseWriter, r *http.Request, values url.Values,
) (result Result, err error) {
	proof, err := c.Proof(w, r, values)
	if err != nil || proof == nil {
		return Result{To: passkeysPath, Done: "confirmed"}, err
	}
	var wrong templates.Text
	if proof.Form != nil {
		wrong = proof.Form.Error
	}
	result.Page, err = c.passkeysPage(r, wrong)
	return result, err
}

// RenameForm asks for the name of a passkey.
func (c Pages) RenameForm(r *http.Request) (*templates.Console, error) {
	keys, _, _, err := c.OAuth.Pages.OwnPasskeys(r)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if k.ID == r.URL.Query().Get("id") {
			return &templates.Console{
				Title: "Rename a passkey",
				Up:    up(),
				Sections: []templates.Section{{ID: "rename", Form: &templates.Form{
					Action: passkeysPath + "/rename",
					Word:   "Rename",
					Cancel: passkeysPath,
					Hidden: byID(k.ID),
					Fields: []templates.Field{passkeyName(k.Name)},
				}}},
			}, nil
		}
	}
	return nil, oauth.ErrNotFound
}

func up() *templates.Way {
	return &templates.Way{
		Href: passkeysPath,
		Name: "Passkeys",
	}
}

// Rename takes its form.
func (c Pages) Rename(
	_ http.ResponseWriter, r *http.Request, values url.Values,
) (Result, error) {
	err := c.OAuth.Pages.RenamePasskey(r, values.Get("id"), typedName(values))
	return Result{To: passkeysPath, Done: "saved"}, err
}

// Remove removes a passkey.
func (c Pages) Remove(
	_ http.ResponseWriter, r *http.Request, values url.Values,
) (Result, error) {
	err := c.OAuth.Pages.RemovePasskey(r, values.Get("id"))
	return Result{To: passkeysPath, Done: "removed"}, err
}

// MakeCodes shows new recovery codes, once.
func (c Pages) MakeCodes(
	_ http.ResponseWriter, r *http.Request, _ url.Values,
) (Result, error) {
	codes, err := c.OAuth.Pages.NewRecoveryCodes(r)
	if err != nil {
		return Result{}, err
	}
	return Result{Page: &templates.Console{
		Title: "Recovery codes",
		Up:    up(),
		Lead: templates.Textf(
			"Print these codes or keep them in a password manager. They aren't shown again.",
		),
		Sections: []templates.Section{{
			ID:    "codes",
			Pages: []templates.Block{{Text: strings.Join(codes, "\n"), Copy: "codes-text"}},
		}},
	}}, nil
}
