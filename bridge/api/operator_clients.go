package api

import (
	"net/http"

	"rialto/bridge/operator"
)

// registerClient registers a client that cannot register itself. Only this answer has its secret.
func (a operatorAPI) registerClient(r *http.Request, in struct {
	Name         string   `json:"client_name"`
	RedirectURIs []string `json:"redirect_uris"`
	Secret       bool     `json:"secret"`
	App          string   `json:"app"`
	Connector    string   `json:"connector"`
}) (any, error) {
	c, err := a.Operator.RegisterClient(r.Context(), a.Callers.Actor(r), operator.NewClient{
		App:          in.App,
		Connector:    in.Connector,
		Name:         in.Name,
		RedirectURIs: in.RedirectURIs,
		KeepsSecret:  in.Secret,
	})
	return created{c}, err
}
