package operator

import (
	"context"
	"strings"

	"rialto/bridge/directory"
	"rialto/internal/audit"
)

// connectorQuery lists the connectors. There are a few hundred at most.
type connectorQuery struct{}

// Table implements Query.
func (connectorQuery) Table() *Table { return tables()["connectors"] }

// Read implements Query.
func (connectorQuery) Read(ctx context.Context, s *Service, _ Span) (*Page[any], error) {
	all, err := s.Agents.Registry.Connectors(ctx)
	return untyped(&Page[directory.ConnectorStatus]{Items: all}, err)
}

// ConnectorField is a setting of a connector, for forms, flags and their help.
type ConnectorField struct {
	Name  string // the JSON member; the flag has dashes
	Label string
	Help  string
	Text  *string
	List  *[]string // if it has several values, instead of Text
	Long  bool      // it has several lines
}

// ConnectorFields returns the settings of a connector except its name.
func ConnectorFields(c *directory.Connector) []ConnectorField {
	return []ConnectorField{
		{Name: "title", Label: "Title", Help: "What people see.", Text: &c.Title},
		{Name: "description", Label: "Description", Help: "What it is for.", Text: &c.Description},
		{
			Name:  "instructions",
			Label: "Instructions",
			Text:  &c.Instructions,
			Long:  true,
			Help:  "What models should know about it.",
		},
		{Name: "icon", Label: "Icon", Help: "The https address of a picture.", Text: &c.Icon},
		{Name: "agents", Label: "Agents", Help: "Their names. None: all.", List: &c.Agents},
		{
			Name:  "skills",
			Label: "Skills",
			List:  &c.Skills,
			Help:  "Their IDs. None: all. A call then has to name one.",
		},
		{Name: "tools", Label: "Tools", Help: "Their names. None: all.", List: &c.Tools},
		{Name: "accounts", Label: "Accounts", Help: "Who may use it. None: everybody.", List: &c.Accounts},
		{
			Name:  "use_case",
			Label: "Use case",
			Text:  &c.UseCase,
			Help:  "What its tokens are narrowed to. Empty: that of the account.",
		},
		{
			Name:  "host",
			Label: "Host",
			Text:  &c.Host,
			Help:  "A host name of its own that leads here. Its address is then https://HOST/mcp.",
		},
	}
}

// Set sets the field. A list has commas or spaces between its values.
func (f ConnectorField) Set(value string) {
	if f.List == nil {
		*f.Text = strings.TrimSpace(value)
		return
	}
	*f.List = strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(", \r\n\t", r) })
}

// Value returns the field as Set reads it.
func (f ConnectorField) Value() string {
	if f.List == nil {
		return *f.Text
	}
	return strings.Join(*f.List, ", ")
}

// Connector returns a connector, or ErrNotFound.
func (s Agents) Connector(ctx context.Context, name string) (*directory.ConnectorStatus, error) {
	c, err := s.Registry.Connector(ctx, name)
	return c, refusal(err)
}

// PutConnector adds a connector, with version 0, or changes the one with a version. It fails with an
// *AgentError if its settings are wrong, and with an Error.
func (s Agents) PutConnector(
	ctx context.Context, by Actor, c directory.Connector, version int64,
) error {
	kind := audit.ConnectorChanged
	if version == 0 {
		kind = audit.ConnectorAdded
	}
	err := refusal(s.Registry.PutConnector(ctx, c, version))
	return record(ctx, s.Audit, by, kind, c.Name, "", err)
}

// RemoveConnector removes a connector that was added. Its tokens stop at once.
func (s Agents) RemoveConnector(ctx context.Context, by Actor, name string) error {
	err := refusal(s.Registry.RemoveConnector(ctx, name))
	return record(ctx, s.Audit, by, audit.ConnectorRemoved, name, "", err)
}
