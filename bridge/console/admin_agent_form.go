package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/templates"
)

// newAgent shows the form that adds an agent.
func (c adminAgents) newAgent(*http.Request) (*templates.Console, error) {
	return agentForm(url.Values{}, nil), nil
}

// agentForm is the form that adds an agent: first its address, and then what its card says. It
// never shows a secret.
func agentForm(f url.Values, wrong templates.Text) *templates.Console {
	name := agentField(f, "name", "text", "Name", templates.Textf("Letters, digits and dashes, for tools and addresses. If it is empty, it is made of the name on the card."))
	name.Max = 64
	form := &templates.Form{
		Action: "/admin/agents/new", Word: "Preview the card", Cancel: "/admin/agents", Error: wrong, Hidden: hidden("do", "preview"), Open: f.Get("auth") != "", Busy: "Reading its card…",
		Fields: []templates.Field{addressField(f)},
		More:   slices.Concat([]templates.Field{name}, credentialFields(f), agentFields(f)),
	}
	return &templates.Console{
		Title: "Add an agent", Up: link("/admin/agents", "Agents"), Lead: templates.Textf("Any A2A agent. You see its card before you add it."),
		Sections: []templates.Section{{ID: "new", Form: form}},
	}
}

func addressField(f url.Values) templates.Field {
	return templates.Field{Name: "url", Kind: "text", Label: "Address", Value: f.Get("url"), Required: true, Max: 2048, Hint: "agent.example.com", Help: templates.Textf("The URL of the agent, of its card or of its host.")}
}

// completed adds the scheme to an address that has none.
func completed(address string) string {
	address = strings.TrimSpace(address)
	if address == "" || strings.Contains(address, "://") {
		return address
	}
	for _, here := range []string{"localhost", "127.", "[::1]"} {
		if strings.HasPrefix(address, here) {
			return "http://" + address
		}
	}
	return "https://" + address
}

func agentField(f url.Values, name, kind, label string, help templates.Text) templates.Field {
	return templates.Field{Name: name, Kind: kind, Label: label, Value: f.Get(name), Help: help, Max: 2048}
}

// credentialFields are the fields of credentials. console.css shows each for the types that need it.
func credentialFields(f url.Values) []templates.Field {
	only := func(name, kind, label string, help templates.Text, types ...string) templates.Field {
		field := agentField(f, name, kind, label, help)
		field.For = types
		return field
	}
	auth := agentField(f, "auth", "choice", "Credentials", nil)
	auth.Options = options("", "As its card asks", "bearer", "Bearer token", "basic", "User and password", "api_key", "API key", "client_credentials", "Client credentials", "token_exchange", "Token exchange", "user", "Each user connects it")
	key := only("auth_key", "text", "Name of the key", nil, "api_key")
	key.Hint = "Such as X-API-Key"
	place := only("auth_in", "choice", "Where it goes", nil, "api_key")
	place.Options = options("", "In a header", "query", "In the query", "cookie", "In a cookie")
	secret := only("secret", "password", "", templates.Textf("It is stored sealed and never shown: after a preview, type it again."), "as-card", "bearer", "basic", "api_key", "client_credentials", "token_exchange")
	secret.Value, secret.Max, secret.Complete = "", 8192, "new-password"
	secret.Labels = []templates.Label{{For: []string{"as-card"}, Word: "Token, key or password, if it asks for one"}, {For: []string{"bearer"}, Word: "Bearer token"}, {For: []string{"basic"}, Word: "Password"}, {For: []string{"api_key"}, Word: "Key"}, {For: []string{"client_credentials", "token_exchange"}, Word: "Client secret"}}
	user := only("auth_user", "text", "", nil, "as-card", "basic")
	user.Labels = []templates.Label{{For: []string{"as-card"}, Word: "Username, if it asks for a password"}, {For: []string{"basic"}, Word: "Username"}}
	return []templates.Field{
		auth, user, key, place,
		only("auth_client_id", "text", "Client ID", templates.Textf("The ID of this server at the token endpoint."), "client_credentials", "token_exchange", "user"),
		secret,
		only("auth_token_url", "text", "Token endpoint", nil, "client_credentials", "token_exchange"),
		only("auth_scopes", "text", "Scopes", templates.Textf("Scopes of the tokens, separated by spaces."), "client_credentials", "token_exchange", "user"),
	}
}

func agentFields(f url.Values) []templates.Field {
	generation := agentField(f, "protocol", "choice", "Generation", nil)
	generation.Options = options("", "Find out", "1.0", "", "0.3", "", "0.2", "", "0.1", "")
	binding := agentField(f, "binding", "choice", "Binding", nil)
	binding.Options = options("", "Find out", "JSONRPC", "", "HTTP+JSON", "", "GRPC", "")
	return []templates.Field{
		agentField(f, "use_cases", "text", "Use cases", templates.Textf("The use cases that see the agent, separated by spaces. Empty means all.")),
		agentField(f, "skills", "area", "Use cases of single skills", templates.Textf("Who sees a skill, a line for each: its ID, an equals sign, and use cases with commas between. A skill without a line is for all who see the agent.")),
		generation, binding,
		agentField(f, "retention", "text", "Keep its tasks for", templates.Textf("Such as 90d. Empty is as long as others.")),
		agentField(f, "skills_as_tools", "check", "Make a tool of each of its skills", templates.Textf("Chat apps see each skill by its own name, in addition to the tools for all agents.")),
		agentField(f, "skills_as_mcp_skills", "check", "Make an MCP skill of each of its skills", templates.Textf("Chat apps that read skills learn how to use each one.")),
		agentField(f, "review", "check", "A changed card waits until it is accepted", nil),
	}
}

// agentOf reads the settings of an agent from the form. Settings that the form does
// not show stay as they are at present.
func agentOf(f url.Values, present directory.AgentConfig) (a directory.AgentConfig, err error) {
	a = present
	a.Name, a.URL = strings.TrimSpace(f.Get("name")), completed(f.Get("url"))
	a.Protocol, a.Binding = a2a.Generation(f.Get("protocol")), a2a.Binding(f.Get("binding"))
	a.UseCases, a.Review = strings.Fields(f.Get("use_cases")), f.Get("review") == "yes"
	a.SkillsAsTools, a.SkillsAsMCPSkills = f.Get("skills_as_tools") == "yes", f.Get("skills_as_mcp_skills") == "yes"
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

// credentialsOf reads the credentials from the form. A change of the type resets them: settings
// that belong to another type would be refused, and the form could not remove them.
func credentialsOf(f url.Values, present directory.Credentials) directory.Credentials {
	c := present
	if kind := f.Get("auth"); kind != present.Type && !(tokens(kind) && tokens(present.Type)) {
		c = directory.Credentials{}
	}
	c.Type, c.Secret = f.Get("auth"), f.Get("secret")
	c.Name, c.In, c.ClientID, c.User, c.TokenURL, c.Scopes = "", "", "", "", "", nil // of other types they are hidden
	switch value := func(name string) string { return strings.TrimSpace(f.Get(name)) }; {
	case c.Type == "api_key":
		c.Name, c.In = value("auth_key"), value("auth_in")
	case tokens(c.Type), c.Type == "user":
		c.ClientID = value("auth_client_id")
		if scopes := strings.Fields(f.Get("auth_scopes")); len(scopes) > 0 {
			c.Scopes = scopes
		}
		if tokens(c.Type) {
			c.TokenURL = value("auth_token_url")
		}
	case c.Type != "bearer":
		c.User = value("auth_user")
	}
	return c
}

// tokens reports whether a type of credentials gets tokens at an endpoint. These
// types have the same settings.
func tokens(kind string) bool { return kind == "client_credentials" || kind == "token_exchange" }

// formOf is the reverse of agentOf.
func formOf(s *directory.AgentStatus) url.Values {
	f := url.Values{}
	c := s.Credentials
	for name, value := range map[string]string{
		"name": s.Name, "url": s.URL, "protocol": string(s.Protocol), "binding": string(s.Binding), "use_cases": strings.Join(s.UseCases, " "),
		"skills": strings.Join(directory.SkillLines(s.Skills), "\n"),
		"auth":   c.Type, "auth_user": c.User, "auth_key": c.Name, "auth_in": c.In, "auth_client_id": c.ClientID, "auth_token_url": c.TokenURL, "auth_scopes": strings.Join(c.Scopes, " "),
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
	if s.SkillsAsMCPSkills {
		f.Set("skills_as_mcp_skills", "yes")
	}
	if s.Review {
		f.Set("review", "yes")
	}
	if s.HasSecret {
		f.Set("keep", "yes")
		f.Set("stored", "yes")
	}
	return f
}

// addAgent adds the agent of the form, or previews it. An agent that was previewed
// is added only if its card is still the one that was shown.
func (c adminAgents) addAgent(f *form) error {
	a, err := agentOf(f.Values, directory.AgentConfig{})
	var seen *directory.Preview
	switch {
	case err != nil:
	case f.Get("do") == "preview":
		seen, err = c.Admin.Agents.Preview(f.Context(), a)
	default:
		if a, seen, err = c.Admin.Agents.Add(f.Context(), f.by, operator.NewAgent{AgentConfig: a, Digest: f.Get("card")}); err == nil {
			return f.done(agentAt(a.Name), "added", nil)
		}
	}
	f.Set("url", completed(f.Get("url")))
	p := agentForm(f.Values, refused(err, "Couldn't add this agent: {}"))
	if seen != nil && (err == nil || errors.Is(err, operator.ErrOtherCard)) {
		form := p.Sections[0].Form
		form.Hidden, form.Word, form.Also = hidden("card", seen.Digest()), "Add", []templates.Choice{{Name: "do", Value: "preview", Word: "Preview again"}}
		p.Sections = []templates.Section{previewSection(seen), p.Sections[0], skillSection(seen.Skills)}
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
func previewSection(look *directory.Preview) templates.Section {
	s := templates.Section{ID: "preview", Title: "This is what its card says", Facts: []templates.Fact{
		{Name: "Name", Value: templates.Lines(templates.Verbatim(look.Name), templates.Verbatim(look.Description))},
		{Name: "Version", Value: templates.Verbatim(look.Version)},
		{Name: "Calls would take", Value: templates.Verbatim(look.Interface.String())},
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
		s.Notes = append(s.Notes, templates.Remark{Tone: templates.Note, Text: templates.Message(problem, upTo(1000))})
	}
	return s
}

func (c adminAgents) changeForm(r *http.Request) (*templates.Console, error) {
	s, err := c.Admin.Agents.Agent(r.Context(), r.URL.Query().Get("name"))
	if err != nil {
		return nil, err
	}
	return changePage(formOf(s), nil), nil
}

func changePage(f url.Values, wrong templates.Text) *templates.Console {
	p := agentForm(f, wrong)
	p.Title, p.Lead, p.Up, p.Name, p.Heading = "Settings of an agent", nil, link(agentAt(f.Get("name")), "Agent"), f.Get("name"), templates.Textf("Settings of {}", templates.Verbatim(f.Get("name")))
	form := p.Sections[0].Form
	form.Action, form.Word, form.Cancel, form.Busy = "/admin/agents/change", "Save", agentAt(f.Get("name")), ""
	form.Hidden = hidden("name", f.Get("name"), "version", f.Get("version"))
	credentials := credentialFields(f)
	secret := &credentials[slices.IndexFunc(credentials, func(f templates.Field) bool { return f.Name == "secret" })]
	secret.Help = templates.Textf("Nothing is stored yet. What you type is stored sealed and never shown.")
	if f.Get("stored") == "yes" {
		secret.Help = templates.Textf("Leave it empty to keep the stored one. It is stored sealed and never shown.")
	}
	form.Fields, form.More, form.Open = append(form.Fields, credentials...), agentFields(f), wrong != nil
	if f.Get("stored") == "yes" {
		form.Hidden = append(form.Hidden, hidden("stored", "yes")...)
		form.Fields = append(form.Fields, templates.Field{Name: "keep", Kind: "check", Label: "Keep the stored secret", Value: f.Get("keep"), Help: templates.Textf("Unless you type another one.")})
	}
	return p
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
