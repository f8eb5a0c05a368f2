package api

import "net/http"

// registerClient registers a client that cannot register itself. Only this answer has its secret.
func (a operatorAPI) registerClient(r *http.Request, in struct {
	Name         string   `json:"client_name"`
	RedirectURIs []string `json:"redirect_uris"`
	Secret       bool     `json:"secret"`
}) (any, error) {
	c, err := a.Operator.RegisterClient(
		r.Context(),
		a.Callers.Actor(r),
		in.Name,
		in.RedirectURIs,
		in.Secret,
	)
	return created{c}, err
}
