package client

import (
	"errors"
	"net/http"

	"github.com/gorilla/mux"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
)

// clientPage bounds how many clients are listed at once.
const clientPage = 500

// List shows the operator who has registered. Guard stands before it.
// The next page begins after the ID that next names.
func (rg *Registration) List(w http.ResponseWriter, r *http.Request) {
	page, err := rg.Clients.Store.Clients(r.Context(), r.URL.Query().Get("after"), clientPage)
	if err != nil {
		rg.Env.WriteError(w, r, err)
		return
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
}

// Drop lets the operator forget a client and revoke what it was allowed.
func (rg *Registration) Drop(w http.ResponseWriter, r *http.Request) {
	c, err := rg.Clients.Registered(r.Context(), mux.Vars(r)["id"])
	if err == nil {
		err = rg.Delete(w, r, c)
	}
	if errors.Is(err, oauth.ErrNotFound) {
		err = &oauth.Error{Code: "invalid_request", Description: "There is no such client.", HTTPStatus: http.StatusNotFound}
	}
	if err != nil {
		rg.Env.WriteError(w, r, err)
	}
}
