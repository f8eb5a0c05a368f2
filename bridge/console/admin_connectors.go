package console

import (
	"net/http"

	"rialto/bridge/console/connectorform"
	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/templates"
)

// adminConnectors are the pages about connectors.
type adminConnectors struct{ *Console }

func (c adminConnectors) connectors(r *http.Request) (*templates.Console, error) {
	return c.listPage(r, operator.NewQuery("connectors"), c, connectorform.List())
}

func (c adminConnectors) cell(_ *http.Request, entry any, column string) templates.Text {
	return connectorform.Cell(entry.(directory.ConnectorStatus), column)
}

// buttons lets one that is not used be removed: its page may be that of another.
func (c adminConnectors) buttons(_ query, entry any) []templates.Button {
	x := entry.(directory.ConnectorStatus)
	if x.Unused == "" {
		return nil
	}
	return []templates.Button{removeButton(operator.NewQuery("connectors"), x.Name, x.Name)}
}

func (c adminConnectors) connector(r *http.Request) (*templates.Console, error) {
	x, err := c.Admin.Agents.Connector(r.Context(), param(r, "name"))
	if err != nil {
		return nil, err
	}
	p := connectorform.Page(*x, nil)
	if !x.Configured {
		p.Actions = append(p.Actions, removeButton(operator.NewQuery("connectors"), x.Name, x.Name))
	}
	return p, nil
}

func (c adminConnectors) newConnector(*http.Request) (*templates.Console, error) {
	return connectorform.Page(directory.ConnectorStatus{}, nil), nil
}

func (c adminConnectors) put(f *form) error {
	x := connectorform.Read(f.Values)
	err := c.Admin.Agents.PutConnector(f.Context(), f.by, x.Connector, x.Version)
	if err == nil {
		return f.done(connectorform.At(x.Name), "changed", nil)
	}
	return f.show(connectorform.Page(x, refused(err, "Couldn't save this connector: {}")))
}
