package api

import (
	"net/http"

	"rialto/bridge/operator"
)

func (a operatorAPI) addAccount(r *http.Request, in struct {
	Name     string `json:"name"`
	Password string `json:"password"`
	Admin    bool   `json:"admin"`
}) (any, error) {
	link, err := a.Operator.AddAccount(
		r.Context(),
		a.Callers.Actor(r),
		in.Name,
		in.Password,
		in.Admin,
	)
	if err != nil {
		return nil, err
	}

	made, err := a.Operator.Account(r.Context(), in.Name)
	return created{addedAccount{made, link}}, err
}

// addedAccount is an account that was added, and the link for an invited person.
type addedAccount struct {
	*operator.Account
	Link string `json:"link,omitempty"`
}

// changeAccount changes what the body names, and leaves the rest.
func (a operatorAPI) changeAccount(r *http.Request, in operator.AccountChange) (any, error) {
	return a.Operator.ChangeAccount(r.Context(), a.Callers.Actor(r), variable(r, "account"), in)
}
