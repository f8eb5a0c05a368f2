package api

import (
	"net/http"

	"rialto/bridge/operator"
)

func (a *API) clients(r *http.Request) (int, any, error) {
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

// registerClient registers a client that cannot register itself. Only this answer has
// its secret.
func (a *API) registerClient(r *http.Request, in struct {
	Name         string   `json:"client_name"`
	RedirectURIs []string `json:"redirect_uris"`
	Secret       bool     `json:"secret"`
}) (int, any, error) {
	c, err := a.Operator.RegisterClient(r.Context(), a.Actor(r), in.Name, in.RedirectURIs, in.Secret)
	return http.StatusCreated, c, err
}

func (a *API) client(r *http.Request) (int, any, error) {
	return answered(a.Operator.Client(r.Context(), variable(r, "client")))
}

func (a *API) removeClient(r *http.Request) (int, any, error) {
	return done(a.Operator.RemoveClient(r.Context(), a.Actor(r), variable(r, "client")))
}

func (a *API) grants(r *http.Request) (int, any, error) {
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

func (a *API) grant(r *http.Request) (int, any, error) {
	return answered(a.Operator.Grant(r.Context(), variable(r, "grant")))
}

func (a *API) revokeGrant(r *http.Request) (int, any, error) {
	return done(a.Operator.RevokeGrant(r.Context(), a.Actor(r), variable(r, "grant")))
}

// revokeGrants ends all grants of an account, of a client, or of both.
func (a *API) revokeGrants(r *http.Request, in struct {
	AccountID string `json:"account_id"`
	ClientID  string `json:"client_id"`
}) (int, any, error) {
	n, err := a.Operator.RevokeGrants(r.Context(), a.Actor(r), in.AccountID, in.ClientID)
	return answered(map[string]int{"revoked": n}, err)
}

func (a *API) accounts(r *http.Request) (int, any, error) {
	span, err := span(r)
	if err != nil {
		return 0, nil, err
	}
	only, err := choice(r, "only", "admin", "disabled")
	if err != nil {
		return 0, nil, err
	}
	p, err := a.Operator.Accounts(r.Context(), operator.AccountFilter{
		Span: span, Text: r.URL.Query().Get("text"), Admin: only == "admin", Disabled: only == "disabled",
	})
	return page("accounts", p, err)
}

func (a *API) account(r *http.Request) (int, any, error) {
	return answered(a.Operator.Account(r.Context(), variable(r, "account")))
}

func (a *API) addAccount(r *http.Request, in struct {
	Name     string `json:"name"`
	Password string `json:"password"`
	Admin    bool   `json:"admin"`
}) (int, any, error) {
	if err := a.Operator.AddAccount(r.Context(), a.Actor(r), in.Name, in.Password, in.Admin); err != nil {
		return 0, nil, err
	}
	made, err := a.Operator.Account(r.Context(), in.Name)
	return http.StatusCreated, made, err
}

// changeAccount changes what the body names, and leaves the rest.
func (a *API) changeAccount(r *http.Request, in struct {
	Admin    *bool   `json:"admin"`
	Disabled *bool   `json:"disabled"`
	Password *string `json:"password"`
}) (int, any, error) {
	ctx, by, name := r.Context(), a.Actor(r), variable(r, "account")
	if in.Password != nil {
		if err := a.Operator.SetPassword(ctx, by, name, *in.Password); err != nil {
			return 0, nil, err
		}
	}
	if in.Admin != nil {
		if err := a.Operator.SetAdmin(ctx, by, name, *in.Admin); err != nil {
			return 0, nil, err
		}
	}
	if in.Disabled != nil {
		if err := a.Operator.SetDisabled(ctx, by, name, *in.Disabled); err != nil {
			return 0, nil, err
		}
	}
	return answered(a.Operator.Account(ctx, name))
}

func (a *API) removeAccount(r *http.Request) (int, any, error) {
	return done(a.Operator.RemoveAccount(r.Context(), a.Actor(r), variable(r, "account")))
}
