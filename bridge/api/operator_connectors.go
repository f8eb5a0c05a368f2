package api

import (
	"net/http"

	"rialto/bridge/directory"
)

// connectorBody is a connector as an operator sends it.
type connectorBody struct {
	directory.Connector
	Version int64 `json:"version"` // of the connector that is changed
}

func (a operatorAPI) connectorRoutes() map[string]handler {
	return map[string]handler{
		"GET /admin/connectors":                a.list("connectors"),
		"POST /admin/connectors":               body(a.addConnector),
		"GET /admin/connectors/{connector}":    a.one("connectors"),
		"PUT /admin/connectors/{connector}":    body(a.changeConnector),
		"DELETE /admin/connectors/{connector}": a.remove("connectors"),
	}
}

func (a operatorAPI) addConnector(r *http.Request, in connectorBody) (any, error) {
	err := a.Operator.Agents.PutConnector(r.Context(), a.Callers.Actor(r), in.Connector, 0)
	if err != nil {
		return nil, err
	}
	c, err := a.Operator.Agents.Connector(r.Context(), in.Name)
	return created{c}, err
}

func (a operatorAPI) changeConnector(r *http.Request, in connectorBody) (any, error) {
	name := variable(r, "connector")
	if in.Name != "" && in.Name != name {
		return nil, badRequest(
			"name is %q in the body and %q in the address: a connector keeps its name.", in.Name, name,
		)
	}
	if in.Version == 0 {
		return nil, badRequest("version is missing: send that of the connector that you have seen.")
	}
	in.Name = name
	err := a.Operator.Agents.PutConnector(
		r.Context(), a.Callers.Actor(r), in.Connector, in.Version,
	)
	if err != nil {
		return nil, err
	}
	return a.one("connectors")(r)
}
