package api

import "net/http"

func (a operatorAPI) rotateKeys(r *http.Request) (any, error) {
	return a.Operator.RotateKeys(r.Context(), a.Callers.Actor(r))
}

func (a operatorAPI) settings(*http.Request) (any, error) {
	return map[string]any{"settings": a.Operator.Settings()}, nil
}

// examine has the doctor look at an MCP server.
func (a operatorAPI) examine(r *http.Request, in struct {
	URL   string `json:"url"`
	Login bool   `json:"login"`
}) (any, error) {
	return a.Operator.Examine(r.Context(), a.Callers.Actor(r), in.URL, in.Login)
}
