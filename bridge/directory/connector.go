package directory

import (
	"regexp"
	"slices"
	"strings"

	"rialto/internal/i18n"
)

// Connector is an MCP URL of its own for a team or a purpose. It narrows what its callers reach, and
// grants nothing. Empty lists narrow nothing. The members have one name in JSON and in the
// configuration file.
type Connector struct {
	Name         string   `json:"name" koanf:"name"`
	Title        string   `json:"title,omitempty" koanf:"title"` // "": Name
	Description  string   `json:"description,omitempty" koanf:"description"`
	Instructions string   `json:"instructions,omitempty" koanf:"instructions"` // to models
	Icon         string   `json:"icon,omitempty" koanf:"icon"`                 // an https address
	Agents       []string `json:"agents,omitempty" koanf:"agents"`
	Skills       []string `json:"skills,omitempty" koanf:"skills"`
	UseCase      string   `json:"use_case,omitempty" koanf:"use_case"`
	Tools        []string `json:"tools,omitempty" koanf:"tools"`
	Accounts     []string `json:"accounts,omitempty" koanf:"accounts"`
	Host         string   `json:"host,omitempty" koanf:"host"` // its URL is https://HOST/mcp
}

// Path is the path of the MCP URL of the server. Those of connectors are below it.
const Path = "/mcp"

// URL returns the MCP URL of the connector at a server.
func (c *Connector) URL(server string) string {
	if c.Host == "" {
		return server + Path + "/" + c.Name
	}
	scheme, _, _ := strings.Cut(server, "://")
	return scheme + "://" + c.Host + Path
}

// nowhere reaches nothing. It is what a token has whose connector is gone.
var nowhere = &Connector{Agents: []string{""}, Tools: []string{""}}

// reaches reports whether a call through the connector, nil being that of the whole server, may know
// of an agent and of one of its skills; skill "" is none in particular.
func (c *Connector) reaches(agent, skill string) bool {
	if c == nil {
		return true
	}
	return lists(c.Agents, agent) && (skill == "" || lists(c.Skills, skill))
}

func lists(all []string, one string) bool { return len(all) == 0 || slices.Contains(all, one) }

// sends reports whether the connector has a tool that sends: send_task, answer_task, or that of a skill.
func (c *Connector) sends() bool {
	if c == nil || len(c.Tools) == 0 {
		return true
	}
	return slices.ContainsFunc(c.Tools, func(tool string) bool {
		return tool == "send_task" || tool == "answer_task" || !slices.Contains(ToolNames, tool)
	})
}

// SetConnectors replaces the connectors.
func (d *Directory) SetConnectors(all []Connector) {
	byURL := map[string]*Connector{d.URL + Path: nil}
	for i := range all {
		byURL[all[i].URL(d.URL)] = &all[i]
	}
	d.connectors.Store(&byURL)
}

// ConnectorAt returns the connector with a URL; nil for that of the whole server, and for "", which is
// no connector. What is not there reaches nothing.
func (d *Directory) ConnectorAt(url string) *Connector {
	byURL := d.connectors.Load()
	if url == "" || byURL == nil {
		return nil
	}
	c, ok := (*byURL)[url]
	if !ok {
		return nowhere
	}
	return c
}

// ToolNames are the tools that do not depend on agents.
var ToolNames = strings.Fields(
	"search fetch send_task get_task cancel_task list_tasks list_agents get_agent share " +
		"request_upload task_view answer_task",
)

// ReservedConnectors are the names of other addresses below Path.
var ReservedConnectors = strings.Fields(
	"initialize tools resources validate health sse messages config oauth server-card server.json " +
		"server card",
)

var (
	connectorName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)
	hostName      = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$`)
)

// Check returns what is wrong with a connector of a server with these agents, beside the others. The
// error starts with the key.
func (c *Connector) Check(others []Connector, agents []AgentConfig, serverHost string) error {
	err := c.checkAddress(others, serverHost)
	if err != nil {
		return err
	}
	switch {
	case c.Icon != "" && !strings.HasPrefix(c.Icon, "https://"):
		return i18n.Errorf("icon: %q is not an https address", c.Icon)
	case len(c.Title) > 100 || len(c.Description) > 2000 || len(c.Instructions) > 8000:
		return i18n.Errorf("title, description, instructions: at most 100, 2,000 and 8,000 bytes")
	}

	return c.checkLists(agents)
}

// checkAddress says why the connector cannot have its name and its host.
func (c *Connector) checkAddress(others []Connector, serverHost string) error {
	for _, other := range others {
		if other.Name == c.Name {
			return i18n.Errorf("name: %q is there twice", c.Name)
		}
		if c.Host != "" && other.Host == c.Host {
			return i18n.Errorf("host: %q is that of the connector %s, too", c.Host, other.Name)
		}
	}

	switch {
	case !connectorName.MatchString(c.Name):
		return i18n.Errorf(
			"name: %q must be 1 to 63 of a-z, 0-9, - and _, starting with a letter or digit", c.Name,
		)
	case slices.Contains(ReservedConnectors, c.Name):
		return i18n.Errorf(
			"name: %q is taken: %s/%s is another address; choose another name", c.Name, Path, c.Name,
		)
	case c.Host != "" && !hostName.MatchString(c.Host):
		return i18n.Errorf("host: %q is not a host name in small letters, such as sales.example.com", c.Host)
	case c.Host != "" && c.Host == serverHost:
		return i18n.Errorf("host: %q is that of the server", c.Host)
	}

	return nil
}

// checkLists checks what the connector names. Which skills there are is known from cards alone.
func (c *Connector) checkLists(agents []AgentConfig) error {
	for _, name := range c.Agents {
		if !slices.ContainsFunc(agents, func(a AgentConfig) bool { return a.Name == name }) {
			return i18n.Errorf("agents: there is no agent named %q", name)
		}
	}

	for _, tool := range c.Tools {
		ofSkill := func(skill string) bool { return tool == skill || strings.HasSuffix(tool, "_"+skill) }
		if !slices.Contains(ToolNames, tool) && !slices.ContainsFunc(c.Skills, ofSkill) {
			return i18n.Errorf(
				"tools: %q is no tool, and not that of a skill in skills; tools are %s",
				tool, strings.Join(ToolNames, ", "),
			)
		}
	}

	if slices.Contains(c.Skills, "") || slices.Contains(c.Accounts, "") {
		return i18n.Errorf("skills, accounts: there is an empty entry")
	}

	inUse := func(a AgentConfig) bool {
		of := func(s SkillRule) bool { return slices.Contains(s.UseCases, c.UseCase) }
		return slices.Contains(a.UseCases, c.UseCase) || slices.ContainsFunc(a.Skills, of)
	}
	if c.UseCase != "" && !slices.ContainsFunc(agents, inUse) {
		return i18n.Errorf("use_case: no agent is for the use case %q", c.UseCase)
	}

	return nil
}
