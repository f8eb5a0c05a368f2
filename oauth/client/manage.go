package client

import (
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/mux"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
	"rialto/oauth/token"
)

// Managed serves the management of a client's registration (RFC 7592) to the
// client whose registration access token comes with the request.
func (rg *Registration) Managed(
	do func(http.ResponseWriter, *http.Request, *oauth.Client) error,
) http.HandlerFunc {
	return rg.Env.JSON(func(w http.ResponseWriter, r *http.Request) error {
		c, err := rg.manages(r)
		if err != nil {
			return err
		}
		return do(w, r, c)
	})
}

// manages returns the client that the request may manage. An unknown client
// gets the same 401 as a wrong token (RFC 7592 section 2.1).
func (rg *Registration) manages(r *http.Request) (*oauth.Client, error) {
	wrong := oauth.Refuse("invalid_token", "The registration access token is not valid for this client.")
	scheme, raw, err := token.Presented(r)
	if errors.Is(err, token.ErrNoToken) {
		return nil, wrong
	}
	if err != nil {
		return nil, err
	}
	if scheme != token.SchemeBearer {
		return nil, wrong
	}
	c, err := rg.Clients.Registered(r.Context(), mux.Vars(r)["id"])
	if errors.Is(err, oauth.ErrNotFound) {
		c = &oauth.Client{}
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if !secret.Is(raw, secret.ManagePrefix) || !secret.Same(secret.Hash(raw), c.ManageHash) {
		return nil, rg.Env.LogRefusal(r, "", wrong)
	}

	return c, nil
}

// Read returns the registration of a client (RFC 7592 section 2.1).
func (rg *Registration) Read(w http.ResponseWriter, _ *http.Request, c *oauth.Client) error {
	endpoint.WriteJSON(w, http.StatusOK, rg.describe(c, "", ""))
	return nil
}

// Replace replaces the registration of a client (RFC 7592 section 2.2) and its registration access
// token. The client keeps its secret if it still authenticates with one.
func (rg *Registration) Replace(w http.ResponseWriter, r *http.Request, old *oauth.Client) error {
	c, body, err := rg.readRegistration(w, r)
	if err != nil {
		return err
	}
	if err := checkReplacement(body, old); err != nil {
		return err
	}

	c.ID = old.ID
	c.Registered = old.Registered
	c.SecretHash = old.SecretHash
	var plain string
	switch {
	case c.AuthMethod == oauth.AuthNone || c.AuthMethod == oauth.AuthPrivateKeyJWT:
		c.SecretHash = ""
	case c.SecretHash == "":
		plain = giveSecret(c)
	}

	answer := rg.describe(c, plain, giveManageToken(c))
	err = rg.Clients.Store.UpdateClient(r.Context(), c, old.ManageHash)
	rg.Clients.forgetRecent()
	if err != nil {
		return oauth.IfNotFound(err, oauth.Refuse(
			"invalid_token", "The registration access token was replaced meanwhile.",
		))
	}

	rg.Env.Audit(r, oauth.Event{Kind: oauth.EventChanged, ClientID: c.ID, Detail: c.Name})
	rg.Env.Log.InfoContext(
		r.Context(), "oauth: client changed",
		"client", c.ID,
		"name", c.Name,
		"redirect_uris", c.RedirectURIs,
		"address", rg.Env.Address(r),
	)
	endpoint.WriteJSON(w, http.StatusOK, answer)
	return nil
}

// checkReplacement checks that a registration names its client, and that a
// secret in it is the client's: a client cannot choose one.
func checkReplacement(body []byte, old *oauth.Client) error {
	var m struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := json.Unmarshal(body, &m); err != nil || m.ID != old.ID {
		return badMetadata("client_id must be that of the client.")
	}
	if m.Secret != "" && !secret.Same(secret.Hash(m.Secret), old.SecretHash) {
		return badMetadata("client_secret is not that of the client.")
	}

	return nil
}

// Delete removes the client and revokes its grants (RFC 7592 section 2.3).
func (rg *Registration) Delete(w http.ResponseWriter, r *http.Request, c *oauth.Client) error {
	err := rg.Clients.Store.RemoveClient(r.Context(), c.ID, rg.Env.Now())
	rg.Clients.forgetRecent()
	rg.Clients.Grants.Forget()
	if err := oauth.IfNotFound(err, nil); err != nil {
		return err
	}

	p, _ := oauth.FromContext(r.Context()) // an operator, or else the client itself
	rg.Env.Audit(r, oauth.Event{
		Kind:      oauth.EventRemoved,
		AccountID: p.User,
		Account:   p.Name,
		ClientID:  c.ID,
		Detail:    c.Name,
	})
	rg.Env.Log.InfoContext(
		r.Context(), "oauth: client removed",
		"client", c.ID,
		"address", rg.Env.Address(r),
	)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// clientPage bounds how many clients are listed at once.
const clientPage = 500

// List lists the registered clients for the operator. The next page begins after the ID in next.
func (rg *Registration) List(w http.ResponseWriter, r *http.Request) error {
	page, err := rg.Clients.Store.Clients(r.Context(), r.URL.Query().Get("after"), clientPage)
	if err != nil {
		return err
	}

	answer := struct {
		Clients []*registered `json:"clients"`
		Next    string        `json:"next,omitempty"`
	}{Clients: []*registered{}}
	for _, c := range page {
		answer.Clients = append(answer.Clients, rg.describe(c, "", ""))
	}

	if len(page) == clientPage {
		answer.Next = page[clientPage-1].ID
	}

	endpoint.WriteJSON(w, http.StatusOK, answer)
	return nil
}

// Drop removes a client and revokes its grants, for the operator.
func (rg *Registration) Drop(w http.ResponseWriter, r *http.Request) error {
	c, err := rg.Clients.Registered(r.Context(), mux.Vars(r)["id"])
	if err == nil {
		err = rg.Delete(w, r, c)
	}
	return oauth.IfNotFound(err, &oauth.Error{
		Code:        "invalid_request",
		Description: "There is no such client.",
		HTTPStatus:  http.StatusNotFound,
	})
}
