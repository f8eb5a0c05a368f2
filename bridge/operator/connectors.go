package operator

import (
	"context"
	"reflect"
	"slices"
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

// ConnectorField is a setting of a connector, for forms, flags and their help: tables.yaml has them.
type ConnectorField struct {
	Name  string // the JSON member; the flag has dashes
	Label string
	Help  string
	Sets  string    // a field of the connector
	Long  bool      // it has several lines
	Text  *string   `yaml:"-"` // that field
	List  *[]string `yaml:"-"` // that field if it has several values, instead of Text
}

// ConnectorFields returns the settings of a connector except its name.
func ConnectorFields(c *directory.Connector) []ConnectorField {
	all := slices.Clone(tables()["connectors"].Fields)
	for i, f := range all {
		switch to := reflect.ValueOf(c).Elem().FieldByName(f.Sets).Addr().Interface().(type) {
		case *string:
			all[i].Text = to
		case *[]string:
			all[i].List = to
		}
	}
	return all
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
