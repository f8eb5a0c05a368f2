package api

import (
	"net/http"
)

func (a operatorAPI) keys(r *http.Request) (int, any, error) {
	keys, err := a.Operator.Keys(r.Context())
	return answered(map[string]any{"keys": keys}, err)
}

func (a operatorAPI) rotateKeys(r *http.Request) (int, any, error) {
	return answered(a.Operator.RotateKeys(r.Context(), a.Actor(r)))
}

func (a operatorAPI) revokeKey(r *http.Request) (int, any, error) {
	return done(a.Operator.RevokeKey(r.Context(), a.Actor(r), variable(r, "key")))
}

func (a operatorAPI) settings(*http.Request) (int, any, error) {
	return answered(map[string]any{"settings": a.Operator.Settings()}, nil)
}

// examine has the doctor look at an MCP server.
func (a operatorAPI) examine(r *http.Request, in struct {
	URL string `json:"url"`
}) (int, any, error) {
	return answered(a.Operator.Examine(r.Context(), in.URL))
}
