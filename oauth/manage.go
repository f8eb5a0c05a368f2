package oauth

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/mux"
)

// managed serves the management of a client's registration (RFC 7592) to the
// client whose registration access token comes with the request.
func (s *Server) managed(do func(http.ResponseWriter, *http.Request, *Client) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := s.manages(r)
		if err == nil {
			err = do(w, r, c)
		}
		if err != nil {
			s.writeError(w, r, err)
		}
	}
}

// manages returns the client that the request may manage. A client that does
// not exist is answered as one of somebody else: 401 (RFC 7592 section 2.1).
func (s *Server) manages(r *http.Request) (*Client, error) {
	if err := s.limitFailures(r); err != nil {
		return nil, err
	}
	wrong := refuse("invalid_token", "The registration access token is not valid for this client.")
	scheme, token, err := presented(r)
	if errors.Is(err, errNoToken) || err == nil && scheme != schemeBearer {
		err = wrong
	}
	if err != nil {
		return nil, err
	}
	c, err := s.registeredClient(r.Context(), mux.Vars(r)["id"])
	if errors.Is(err, ErrNotFound) {
		c, err = &Client{}, nil
	}
	if err != nil {
		return nil, err
	}
	if !isSecret(token, managePrefix) || !same(hash(token), c.ManageHash) {
		s.countFailure(r)
		return nil, wrong
	}
	return c, nil
}

// registeredClient finds a client that registered itself.
func (s *Server) registeredClient(ctx context.Context, id string) (*Client, error) {
	if !isSecret(id, clientPrefix) {
		return nil, ErrNotFound
	}
	return s.Store.Client(ctx, id)
}

// readClient says how the client is registered (RFC 7592 section 2.1).
func (s *Server) readClient(w http.ResponseWriter, _ *http.Request, c *Client) error {
	writeJSON(w, http.StatusOK, s.describe(c, "", ""))
	return nil
}

// replaceClient registers the client anew under its ID (RFC 7592 section 2.2).
// The token is replaced with it. The client keeps its secret as long as it
// goes on to prove itself by one.
func (s *Server) replaceClient(w http.ResponseWriter, r *http.Request, old *Client) error {
	if mediaType(r.Header) != "application/json" {
		return refuse("invalid_client_metadata", "The body must be application/json.")
	}
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	c, err := s.parseRegistration(body)
	if err != nil {
		return err
	}
	if err := checkReplacement(body, old); err != nil {
		return err
	}
	c.ID, c.Registered, c.SecretHash = old.ID, old.Registered, old.SecretHash
	var plain string
	switch {
	case c.AuthMethod == authNone || c.AuthMethod == authKey:
		c.SecretHash = ""
	case c.SecretHash == "":
		plain = giveSecret(c)
	}
	answer := s.describe(c, plain, giveManageToken(c))
	err = s.Store.UpdateClient(r.Context(), c, old.ManageHash)
	s.forgetClients()
	if errors.Is(err, ErrNotFound) {
		return refuse("invalid_token", "The registration access token was replaced meanwhile.")
	}
	if err != nil {
		return err
	}
	s.happenedAt(r, Event{Kind: EventChanged, ClientID: c.ID, Detail: c.Name})
	s.Log.InfoContext(r.Context(), "oauth: client changed", "client", c.ID, "name", c.Name, "redirect_uris", c.RedirectURIs, "address", s.address(r))
	writeJSON(w, http.StatusOK, answer)
	return nil
}

// checkReplacement demands that a registration says whose it is, and that a
// secret in it is the client's: a client cannot choose one.
func checkReplacement(body []byte, old *Client) error {
	var m struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := json.Unmarshal(body, &m); err != nil || m.ID != old.ID {
		return refuse("invalid_client_metadata", "client_id must be that of the client.")
	}
	if m.Secret != "" && !same(hash(m.Secret), old.SecretHash) {
		return refuse("invalid_client_metadata", "client_secret is not that of the client.")
	}
	return nil
}

// deleteClient forgets the client and revokes everything that it was allowed
// (RFC 7592 section 2.3).
func (s *Server) deleteClient(w http.ResponseWriter, r *http.Request, c *Client) error {
	if err := s.removeClient(r, c); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) removeClient(r *http.Request, c *Client) error {
	err := s.Store.RemoveClient(r.Context(), c.ID, s.Now())
	s.forgetClients()
	s.forgetGrants()
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	p, _ := FromContext(r.Context()) // an operator, or else the client itself
	s.happenedAt(r, Event{Kind: EventRemoved, AccountID: p.User, Account: p.Name, ClientID: c.ID, Detail: c.Name})
	s.Log.InfoContext(r.Context(), "oauth: client removed", "client", c.ID, "address", s.address(r))
	return nil
}
