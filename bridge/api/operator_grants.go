package api

import "net/http"

// revokeGrants ends all grants of an account, of a client, or of both.
func (a operatorAPI) revokeGrants(r *http.Request, in struct {
	AccountID string `json:"account_id"`
	ClientID  string `json:"client_id"`
}) (any, error) {
	n, err := a.Operator.RevokeGrants(r.Context(), a.Callers.Actor(r), in.AccountID, in.ClientID)
	return map[string]int{"revoked": n}, err
}
