package console

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/templates"
)

// newAgent shows the form that adds an agent.
func (c adminAgents) newAgent(*http.Request) (templates.Console, error) {
	return *agentForm("/admin/agents/new", url.Values{}, nil), nil
}

// agentForm is the form with the settings of an agent. It never shows a secret.
func agentForm(action string, f url.Values, wrong templates.Text) *templates.Console {
	form := &templates.Form{
		Action: action, Word: "Add", Cancel: "/admin/agents", Error: wrong, Also: []templates.Choice{{Name: "do", Value: "preview", Word: "Look at it first"}},
	}
	if action == "/admin/agents/new" {
		form.Fields = []templates.Field{
			{Name: "name", Kind: "text", Label: "Name", Value: f.Get("name"), Required: true, Max: 64, Help: templates.Say("The name in tools and addresses: letters, digits, dashes.")},
		}
	} else {
		form.Word, form.Cancel = "Save", agentAt(f.Get("name"))
		form.Hidden = append(hidden("name", f.Get("name")), templates.Value{Name: "version", Value: f.Get("version")})
	}
	form.Fields = append(form.Fields, agentFields(f)...)
	if action != "/admin/agents/new" {
		form.Fields = append(form.Fields, templates.Field{Name: "keep", Kind: "check", Label: "Keep the present secret", Value: f.Get("keep")})
	}
	return &templates.Console{
		Title: "Add an agent", Up: link("/admin/agents", "Agents"), Lead: templates.Say("An A2A agent of any generation, by the address of its card or of its host."),
		Sections: []templates.Section{{ID: "new", Form: form}},
	}
}

func agentFields(f url.Values) []templates.Field {
	field := func(name, kind, label string, help templates.Text) templates.Field {
		return templates.Field{Name: name, Kind: kind, Label: label, Value: f.Get(name), Help: help, Max: 2048}
	}
	address := field("url", "url", "Address", nil)
	address.Required = true
	secret := templates.Field{Name: "secret", Kind: "password", Label: "Secret", Max: 8192, Complete: "new-password", Help: templates.Say("A token, key or password. It is kept sealed and never shown: type it again after a look.")}
	auth := field("auth", "choice", "Credentials", nil)
	auth.Options = []templates.Option{{Word: "As its card asks"}, {Value: "bearer"}, {Value: "basic"}, {Value: "api_key"}, {Value: "client_credentials"}, {Value: "token_exchange"}, {Value: "user", Word: "Each user connects it"}}
	generation := field("protocol", "choice", "Generation", nil)
	generation.Options = []templates.Option{{Word: "Find out"}, {Value: "1.0"}, {Value: "0.3"}, {Value: "0.2"}, {Value: "0.1"}}
	binding := field("binding", "choice", "Binding", nil)
	binding.Options = []templates.Option{{Word: "Find out"}, {Value: "JSONRPC"}, {Value: "HTTP+JSON"}, {Value: "GRPC"}}
	return []templates.Field{
		address, generation, binding,
		field("use_cases", "text", "Use cases", templates.Say("The use cases that see the agent, separated by spaces. Empty means all.")),
		field("skills", "area", "Use cases of single skills", templates.Say("Who sees a skill, a line for each: its ID, an equals sign, and use cases with commas between. A skill without a line is for all who see the agent.")),
		auth, secret,
		field("auth_name", "text", "Name of the key, or user", templates.Say("The header of an API key, the user that goes with a password, or our ID at the token endpoint.")),
		field("auth_token_url", "url", "Token endpoint", templates.Say("For client_credentials and token_exchange.")),
		field("auth_scopes", "text", "Scopes", templates.Say("Scopes of the tokens, separated by spaces.")),
		field("retention", "text", "Keep its tasks for", templates.Say("Such as 90d. Empty is as long as others.")),
		field("skills_as_tools", "check", "Make a tool of each of its skills", templates.Say("Chat apps see each skill by its own name, in addition to the tools for all agents.")),
		field("review", "check", "A changed card waits until it is accepted", nil),
	}
}

// agentOf reads the settings of an agent from the form. Settings that the form does
// not show stay as they are at present.
func agentOf(f url.Values, present directory.Settings) (a directory.Settings, err error) {
	a = present
	a.Name, a.URL = strings.TrimSpace(f.Get("name")), strings.TrimSpace(f.Get("url"))
	a.Protocol, a.Binding = a2a.Generation(f.Get("protocol")), a2a.Binding(f.Get("binding"))
	a.UseCases, a.Review = strings.Fields(f.Get("use_cases")), f.Get("review") == "yes"
	a.SkillsAsTools = f.Get("skills_as_tools") == "yes"
	a.Credentials = credentialsOf(f, present.Credentials)
	if a.Skills, err = directory.ParseSkills(strings.Split(f.Get("skills"), "\n")); err != nil {
		return a, err
	}
	a.Retention = 0
	if kept := strings.TrimSpace(f.Get("retention")); kept != "" {
		a.Retention, err = directory.ParseDuration(kept)
	}
	return a, err
}

// credentialsOf reads the credentials from the form. A change of the type resets them: the settings
// of another type would be refused, and the form could not remove them.
func credentialsOf(f url.Values, present directory.Credentials) directory.Credentials {
	c := present
	if kind := f.Get("auth"); kind != present.Type && !(tokens(kind) && tokens(present.Type)) {
		c = directory.Credentials{}
	}
	c.Type, c.Secret, c.TokenURL = f.Get("auth"), f.Get("secret"), strings.TrimSpace(f.Get("auth_token_url"))
	c.Scopes = nil
	if scopes := strings.Fields(f.Get("auth_scopes")); len(scopes) > 0 {
		c.Scopes = scopes
	}
	c.Name, c.ClientID, c.User = "", "", ""
	name := strings.TrimSpace(f.Get("auth_name"))
	switch {
	case c.Type == "api_key":
		c.Name = name
	case tokens(c.Type), c.Type == "user":
		c.ClientID = name
	default:
		c.User = name
	}
	return c
}

// tokens reports whether a type of credentials gets tokens at an endpoint. These
// types have the same settings.
func tokens(kind string) bool { return kind == "client_credentials" || kind == "token_exchange" }

// formOf is the reverse of agentOf.
func formOf(s *directory.Status) url.Values {
	f := url.Values{}
	c := s.Credentials
	for name, value := range map[string]string{
		"name": s.Name, "url": s.URL, "protocol": string(s.Protocol), "binding": string(s.Binding), "use_cases": strings.Join(s.UseCases, " "),
		"skills": strings.Join(directory.SkillLines(s.Skills), "\n"),
		"auth":   c.Type, "auth_name": c.Name + c.ClientID + c.User, "auth_token_url": c.TokenURL, "auth_scopes": strings.Join(c.Scopes, " "),
		"version": strconv.FormatInt(s.Version, 10),
	} {
		f.Set(name, value)
	}
	if s.Retention != 0 {
		f.Set("retention", s.Retention.String())
	}
	if s.SkillsAsTools {
		f.Set("skills_as_tools", "yes")
	}
	if s.Review {
		f.Set("review", "yes")
	}
	if s.HasSecret {
		f.Set("keep", "yes")
	}
	return f
}

// addAgent adds the agent of the form, or previews it. An agent that was previewed
// is added only if its card is still the one that was shown.
func (c adminAgents) addAgent(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	a, err := agentOf(f, directory.Settings{})
	var seen *directory.Preview
	switch {
	case err != nil:
	case f.Get("do") == "preview":
		seen, err = c.Admin.PreviewAgent(r.Context(), a)
	default:
		if a, seen, err = c.Admin.AddAgent(r.Context(), c.actor(r), operator.NewAgent{Settings: a, Digest: f.Get("card")}); err == nil {
			return withDone(agentAt(a.Name), "added"), nil, nil
		}
	}
	p := agentForm("/admin/agents/new", f, refused(err, "Couldn't add this agent: {}"))
	if seen != nil && (err == nil || errors.Is(err, operator.ErrOtherCard)) {
		p.Sections[0].Form.Hidden = append(p.Sections[0].Form.Hidden, templates.Value{Name: "card", Value: seen.Digest()})
		p.Sections = append([]templates.Section{previewSection(seen)}, p.Sections...)
	}
	return "", p, nil
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
	return templates.Because(sentence, err, upTo(1000))
}

// previewSection shows what the card of an agent says.
func previewSection(look *directory.Preview) templates.Section {
	s := templates.Section{ID: "preview", Title: "This is what its card says", Facts: []templates.Fact{
		{Name: "Name", Value: templates.Lines(templates.Data(look.Name), templates.Data(look.Description))},
		{Name: "Version", Value: templates.Data(look.Version)},
		{Name: "Calls would take", Value: templates.Data(look.Interface.String())},
		{Name: "Asks for", Value: dataLines(look.Schemes)},
		{Name: "Streams", Value: yes(look.Streaming)},
		{Name: "Tells of changes", Value: yes(look.Push)},
	}}
	var offers []string
	for _, o := range look.Offers {
		offers = append(offers, o.String())
	}
	s.Facts = append(s.Facts, templates.Fact{Name: "Offers", Value: dataLines(offers)})
	for _, problem := range look.Problems {
		s.Notes = append(s.Notes, templates.Remark{Tone: templates.Note, Text: templates.Sentence(problem, upTo(1000))})
	}
	skills := skillSection(look.Skills)
	s.Table = skills.Table
	return s
}

func (c adminAgents) changeForm(r *http.Request) (templates.Console, error) {
	s, err := c.Admin.Agent(r.Context(), r.URL.Query().Get("name"))
	if err != nil {
		return templates.Console{}, err
	}
	return *changePage(formOf(s), nil), nil
}

func changePage(f url.Values, wrong templates.Text) *templates.Console {
	p := agentForm("/admin/agents/change", f, wrong)
	p.Title, p.Lead, p.Heading = "Change an agent", nil, templates.Data(f.Get("name"))
	p.Sections[0].Form.Also = nil
	return p
}

// changeAgent saves the form. The version finds out if the agent was changed after
// the form was shown.
func (c adminAgents) changeAgent(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	version, err := strconv.ParseInt(f.Get("version"), 10, 64)
	if err != nil {
		return "", nil, errForm
	}
	present, err := c.Admin.Agent(r.Context(), f.Get("name"))
	if err != nil {
		return "", nil, err
	}
	a, err := agentOf(f, present.Settings)
	if err == nil {
		// A secret that was typed is meant, whatever the box says.
		keep := f.Get("keep") == "yes" && a.Credentials.Secret == ""
		err = c.Admin.ChangeAgent(r.Context(), c.actor(r), a, version, keep)
	}
	if errors.Is(err, operator.ErrNotFound) {
		return "", nil, err
	}
	if err != nil {
		return "", changePage(f, refused(err, "Couldn't change this agent: {}")), nil
	}
	return withDone(agentAt(a.Name), "saved"), nil, nil
}
