package api

import "net/http"

func (a operatorAPI) addAccount(r *http.Request, in struct {
	Name     string `json:"name"`
	Password string `json:"password"`
	Admin    bool   `json:"admin"`
}) (any, error) {
	if err := a.Operator.AddAccount(
		r.Context(),
		a.Callers.Actor(r),
		in.Name,
		in.Password,
		in.Admin,
	); err != nil {
		return nil, err
	}

	made, err := a.Operator.Account(r.Context(), in.Name)
	return created{made}, err
}

// changeAccount changes what the body names, and leaves the rest.
func (a operatorAPI) changeAccount(r *http.Request, in struct {
	Admin    *bool   `json:"admin"`
	Disabled *bool   `json:"disabled"`
	Password *string `json:"password"`
}) (any, error) {
	ctx := r.Context()
	by := a.Callers.Actor(r)
	name := variable(r, "account")
	if in.Password != nil {
		if err := a.Operator.SetPassword(ctx, by, name, *in.Password); err != nil {
			return nil, err
		}
	}
	if in.Admin != nil {
		if err := a.Operator.SetAdmin(ctx, by, name, *in.Admin); err != nil {
			return nil, err
		}
	}
	if in.Disabled != nil {
		if err := a.Operator.SetDisabled(ctx, by, name, *in.Disabled); err != nil {
			return nil, err
		}
	}

	return a.Operator.Account(ctx, name)
}
