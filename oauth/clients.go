package oauth

import (
	"errors"
	"net/http"

	"github.com/gorilla/mux"
)

// clientPage bounds how many clients are listed at once.
const clientPage = 500

// listClients shows the operator who has registered. Guard stands before it.
// The next page begins after the ID that next names.
func (s *Server) listClients(w http.ResponseWriter, r *http.Request) {
	page, err := s.Store.Clients(r.Context(), r.URL.Query().Get("after"), clientPage)
	if err != nil {
		s.writeError(w, r, err)
		return
	}
	answer := struct {
		Clients []*registered `json:"clients"`
		Next    string        `json:"next,omitempty"`
	}{Clients: []*registered{}}
	for _, c := range page {
		answer.Clients = append(answer.Clients, s.describe(c, "", ""))
	}
	if len(page) == clientPage {
		answer.Next = page[clientPage-1].ID
	}
	writeJSON(w, http.StatusOK, answer)
}

// dropClient lets the operator forget a client and revoke what it was allowed.
func (s *Server) dropClient(w http.ResponseWriter, r *http.Request) {
	c, err := s.registeredClient(r.Context(), mux.Vars(r)["id"])
	if err == nil {
		err = s.deleteClient(w, r, c)
	}
	if errors.Is(err, ErrNotFound) {
		err = &Error{Code: "invalid_request", Description: "There is no such client.", status: http.StatusNotFound}
	}
	if err != nil {
		s.writeError(w, r, err)
	}
}
