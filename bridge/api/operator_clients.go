package api

import (
	"net/http"

	"rialto/bridge/operator"
)

func (a operatorAPI) clients(r *http.Request) (int, any, error) {
	span, err := span(r)
	if err != nil {
		return 0, nil, err
	}
	kind, err := choice(r, "kind", operator.Registered, operator.Document, operator.Configured)
	if err != nil {
		return 0, nil, err
	}
	p, err := a.Operator.Clients(r.Context(), operator.ClientFilter{Span: span, Kind: kind, Text: r.URL.Query().Get("text")})
	return page("clients", p, err)
}

// registerClient registers a client that cannot register itself. Only this answer has its secret.
func (a operatorAPI) registerClient(r *http.Request, in struct {
	Name         string   `json:"client_name"`
	RedirectURIs []string `json:"redirect_uris"`
	Secret       bool     `json:"secret"`
}) (int, any, error) {
	c, err := a.Operator.RegisterClient(r.Context(), a.Actor(r), in.Name, in.RedirectURIs, in.Secret)
	return http.StatusCreated, c, err
}

func (a operatorAPI) client(r *http.Request) (int, any, error) {
	return answered(a.Operator.Client(r.Context(), variable(r, "client")))
}

func (a operatorAPI) removeClient(r *http.Request) (int, any, error) {
	return done(a.Operator.RemoveClient(r.Context(), a.Actor(r), variable(r, "client")))
}
