package api

import (
	"net/http"

	"rialto/bridge/operator"
)

func (a operatorAPI) grants(r *http.Request) (int, any, error) {
	span, err := span(r)
	if err != nil {
		return 0, nil, err
	}
	state, err := choice(r, "state", operator.Live)
	if err != nil {
		return 0, nil, err
	}
	q := r.URL.Query()
	p, err := a.Operator.Grants(r.Context(), operator.GrantFilter{
		Span: span, AccountID: q.Get("account_id"), ClientID: q.Get("client_id"), Live: state == operator.Live,
	})
	return page("grants", p, err)
}

func (a operatorAPI) grant(r *http.Request) (int, any, error) {
	return answered(a.Operator.Grant(r.Context(), variable(r, "grant")))
}

func (a operatorAPI) revokeGrant(r *http.Request) (int, any, error) {
	return done(a.Operator.RevokeGrant(r.Context(), a.Actor(r), variable(r, "grant")))
}

// revokeGrants ends all grants of an account, of a client, or of both.
func (a operatorAPI) revokeGrants(r *http.Request, in struct {
	AccountID string `json:"account_id"`
	ClientID  string `json:"client_id"`
}) (int, any, error) {
	n, err := a.Operator.RevokeGrants(r.Context(), a.Actor(r), in.AccountID, in.ClientID)
	return answered(map[string]int{"revoked": n}, err)
}
