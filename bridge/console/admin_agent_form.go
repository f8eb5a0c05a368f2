package console

import (
	_ "embed" // for agent_form.yaml
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"rialto/bridge/console/cardreport"
	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/internal/embedded"
	"rialto/templates"
)

// newAgent shows the form that adds an agent.
func (c adminAgents) newAgent(*http.Request) (*templates.Console, error) {
	return agentForm(url.Values{}, nil), nil
}

// agentForm is the form that adds an agent: first its address, and then what its card says. It
// never shows a secret.
func agentForm(values url.Values, wrong templates.Text) *templates.Console {
	form := &templates.Form{
		Action: "/admin/agents/new",
		Word:   "Preview the card",
		Busy:   "Reading its card…",
		Cancel: "/admin/agents",
		Error:  wrong,
		Hidden: hidden("do", "preview"),
		Fields: fields(values, "address"),
		More:   fields(values, "name", "credentials", "settings"),
		Open:   values.Get("auth") != "",
	}
	return &templates.Console{
		Title:    "Add an agent",
		Up:       link("/admin/agents", "Agents"),
		Lead:     templates.Textf("Any A2A agent. You see its card before you add it."),
		Sections: []templates.Section{{ID: "new", Form: form}},
	}
}

// withScheme adds the scheme to an address that has none.
func withScheme(address string) string {
	address = strings.TrimSpace(address)
	if address == "" || strings.Contains(address, "://") {
		return address
	}

	for _, local := range []string{"localhost", "127.", "[::1]"} {
		if strings.HasPrefix(address, local) {
			return "http://" + address
		}
	}

	return "https://" + address
}

// agentField is a field of the form.
type agentField struct {
	templates.Field `yaml:",inline"`

	Fact string // the name on the page of the agent; "" leaves the setting out there
}

//go:embed agent_form.yaml
var agentFormFile []byte

// agentFields are the fields in their groups.
var agentFields = embedded.YAML[map[string][]agentField](agentFormFile)

// fields returns the fields of some groups with the values of a form. Passwords stay empty.
func fields(values url.Values, groups ...string) (all []templates.Field) {
	for _, group := range groups {
		for _, f := range agentFields()[group] {
			if f.Kind != "password" {
				f.Value = values.Get(f.Name)
			}
			all = append(all, f.Field)
		}
	}
	return all
}

// The types of credentials that need more than a secret.
const (
	bearer    = "bearer"
	apiKey    = "api_key"
	byClient  = "client_credentials"
	exchanged = "token_exchange"
	byUser    = "user"
)

// agentOf reads the settings of an agent from the form. Settings that the form does
// not show stay as they are at present.
func agentOf(form url.Values, present directory.AgentConfig) (directory.AgentConfig, error) {
	a := present
	a.Name = strings.TrimSpace(form.Get("name"))
	a.URL = withScheme(form.Get("url"))
	a.Credentials = credentialsOf(form, present.Credentials)
	for _, in := range agentFields()["settings"] {
		if err := a.SetText(in.Name, form.Get(in.Name)); err != nil {
			return a, err
		}
	}

	return a, nil
}

// credentialsOf reads the credentials from the form. A change of the type resets them: settings
// that belong to another type would be refused, and the form could not remove them.
func credentialsOf(form url.Values, present directory.Credentials) directory.Credentials {
	value := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	kind := form.Get("auth")

	c := present
	bothGetTokens := getsTokens(kind) && getsTokens(present.Type)
	if kind != present.Type && !bothGetTokens {
		c = directory.Credentials{}
	}

	c.Type = kind
	c.Secret = form.Get("secret")

	// The form hides the fields of other types.
	c.Name = ""
	c.In = ""
	c.ClientID = ""
	c.User = ""
	c.TokenURL = ""
	c.Scopes = nil
	switch {
	case kind == apiKey:
		c.Name = value("auth_key")
		c.In = value("auth_in")
	case getsTokens(kind), kind == byUser:
		c.ClientID = value("auth_client_id")
		if scopes := strings.Fields(form.Get("auth_scopes")); len(scopes) > 0 {
			c.Scopes = scopes
		}
	case kind != bearer:
		c.User = value("auth_user")
	}

	if getsTokens(kind) {
		c.TokenURL = value("auth_token_url")
	}

	return c
}

// getsTokens reports whether a type of credentials gets tokens at an endpoint. These
// types have the same settings.
func getsTokens(kind string) bool { return kind == byClient || kind == exchanged }

// formOf is the reverse of agentOf.
func formOf(s *directory.AgentStatus) url.Values {
	c := s.Credentials
	form := url.Values{
		"name":           {s.Name},
		"url":            {s.URL},
		"auth":           {c.Type},
		"auth_user":      {c.User},
		"auth_key":       {c.Name},
		"auth_in":        {c.In},
		"auth_client_id": {c.ClientID},
		"auth_token_url": {c.TokenURL},
		"auth_scopes":    {strings.Join(c.Scopes, " ")},
		"keep":           {checked(s.HasSecret)},
		"stored":         {checked(s.HasSecret)},
		"version":        {strconv.FormatInt(s.Version, 10)},
	}
	for _, in := range agentFields()["settings"] {
		form.Set(in.Name, s.Text(in.Name))
	}

	return form
}

// addAgent adds the agent of the form, or previews it. An agent that was previewed
// is added only if its card is still the one that was shown.
func (c adminAgents) addAgent(f *form) error {
	var seen *directory.Preview
	a, err := agentOf(f.Values, directory.AgentConfig{})
	preview := f.Get("do") == "preview"
	switch {
	case err != nil:
	case preview:
		seen, err = c.Admin.Agents.Preview(f.Context(), a)
	default:
		a, seen, err = c.Admin.Agents.Add(
			f.Context(), f.by, operator.NewAgent{AgentConfig: a, Digest: f.Get("card")},
		)
	}

	if err == nil && !preview {
		return f.done(agentAt(a.Name), "added", nil)
	}

	f.Set("url", withScheme(f.Get("url")))
	p := agentForm(f.Values, refused(err, "Couldn't add this agent: {}"))
	shows := err == nil || errors.Is(err, operator.ErrOtherCard)
	if shows && seen != nil {
		form := p.Sections[0].Form
		form.Word = "Add"
		form.Hidden = hidden("card", seen.Digest())
		form.Also = []templates.Choice{{Name: "do", Value: "preview", Word: "Preview again"}}
		p.Sections = []templates.Section{
			previewSection(seen),
			p.Sections[0],
			cardreport.Skills(seen.Skills),
		}
	}

	return f.show(p)
}

// refused says why an agent cannot be added or changed; sentence is for what is
// wrong with the agent.
func refused(err error, sentence string) templates.Text {
	if err == nil {
		return nil
	}
	if refused, ok := errors.AsType[*operator.Error](err); ok {
		return say(refused)
	}
	return templates.Errorf(sentence, err, upTo(1000))
}

// previewSection shows what the card of an agent says.
func previewSection(seen *directory.Preview) templates.Section {
	var offers []string
	for _, o := range seen.Offers {
		offers = append(offers, o.String())
	}
	name := templates.Lines(templates.Verbatim(seen.Name), templates.Verbatim(seen.Description))
	s := templates.Section{
		ID:    "preview",
		Title: "This is what its card says",
		Facts: []templates.Fact{
			fact("Name", name),
			fact("Version", templates.Verbatim(seen.Version)),
			fact("Protocol", templates.Verbatim(seen.Interface.String())),
			fact("Authentication", verbatimLines(seen.Schemes)),
			fact("Streams", yesNo(seen.Streaming)),
			fact("Push notifications", yesNo(seen.Push)),
			fact("Endpoints", verbatimLines(offers)),
		},
	}
	for _, problem := range seen.Problems {
		text := templates.Message(problem, upTo(1000))
		s.Notes = append(s.Notes, templates.Remark{Tone: templates.Note, Text: text})
	}

	return s
}

func (c adminAgents) changeForm(r *http.Request) (*templates.Console, error) {
	s, err := c.Admin.Agents.Agent(r.Context(), param(r, "name"))
	if err != nil {
		return nil, err
	}
	return changePage(formOf(s), nil), nil
}

func changePage(values url.Values, wrong templates.Text) *templates.Console {
	name := values.Get("name")
	page := agentAt(name)
	form := &templates.Form{
		Action: "/admin/agents/change",
		Word:   "Save",
		Cancel: page,
		Error:  wrong,
		Hidden: hidden("name", name, "version", values.Get("version")),
		Fields: fields(values, "address", "credentials"),
		More:   fields(values, "settings"),
		Open:   wrong != nil,
	}

	secret := slices.IndexFunc(
		form.Fields, func(f templates.Field) bool { return f.Name == "secret" },
	)
	form.Fields[secret].Help = "Nothing is stored yet. It will be stored encrypted; you won't see it again."
	if values.Get("stored") == "yes" {
		form.Fields[secret].Help = "Leave it empty to keep the stored one. It is stored encrypted; you won't see it again."
		form.Hidden = append(form.Hidden, hidden("stored", "yes")...)
		form.Fields = append(form.Fields, fields(values, "keep")...)
	}

	return &templates.Console{
		Title:    "Settings of an agent",
		Name:     name,
		Heading:  templates.Textf("Settings of {}", templates.Verbatim(name)),
		Up:       link(page, "Agent"),
		Sections: []templates.Section{{ID: "new", Form: form}},
	}
}

// changeAgent saves the form. The version finds out if the agent was changed after
// the form was shown.
func (c adminAgents) changeAgent(f *form) error {
	version, err := strconv.ParseInt(f.Get("version"), 10, 64)
	if err != nil {
		return errForm
	}

	present, err := c.Admin.Agents.Agent(f.Context(), f.Get("name"))
	if err != nil {
		return err
	}

	a, err := agentOf(f.Values, present.AgentConfig)
	if err == nil {
		// A secret that was typed is meant, whatever the box says.
		keep := f.Get("keep") == "yes" && a.Credentials.Secret == ""
		err = c.Admin.Agents.Change(f.Context(), f.by, a, version, keep)
	}
	if errors.Is(err, operator.ErrNotFound) {
		return err
	}
	if err != nil {
		return f.show(changePage(f.Values, refused(err, "Couldn't change this agent: {}")))
	}

	return f.done(agentAt(a.Name), "saved", nil)
}
