package oauth

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// pushedPrefix begins the name of a request that was pushed (RFC 9126 section
// 2.2).
const pushedPrefix = "urn:ietf:params:oauth:request_uri:"

// pushedTTL is how long a pushed request waits for its person's browser.
const pushedTTL = 90 * time.Second

// par serves pushed authorization requests (RFC 9126): the client hands its
// request over directly, so that nobody sees or changes it in the browser.
func (s *Server) par(w http.ResponseWriter, r *http.Request) {
	uri, err := s.push(w, r)
	if err != nil {
		s.writeError(w, r, err)
		return
	}
	writeJSON(w, http.StatusCreated, struct {
		RequestURI string `json:"request_uri"`
		ExpiresIn  int64  `json:"expires_in"`
	}{uri, int64(pushedTTL / time.Second)})
}

// push decides about a request as the authorization endpoint would, and keeps
// it. It belongs to no browser yet.
func (s *Server) push(w http.ResponseWriter, r *http.Request) (uri string, err error) {
	if err := s.limitFailures(r); err != nil {
		return "", err
	}
	if wait := s.waitAuthorize(r); wait > 0 {
		return "", tooMany(wait)
	}
	f, err := readForm(w, r)
	if err != nil {
		return "", err
	}
	client, err := s.authenticate(r.Context(), r, f)
	if err != nil {
		s.countFailure(r)
		return "", err
	}
	if f.get("request_uri") != "" {
		return "", refuse("invalid_request", "request_uri has no place in a pushed request.") // RFC 9126 section 2.1
	}
	to, err := redirectFor(client, f.get("redirect_uri"))
	if err != nil {
		return "", refuse("invalid_request", "redirect_uri is not one that the client registered.")
	}
	req, err := s.checkRequest(f, client, to)
	if err != nil {
		return "", err
	}
	if jkt, err := s.proven(r, ""); err != nil {
		return "", err
	} else if jkt != "" && req.JKT != "" && jkt != req.JKT {
		return "", badProof("Its key is not that of dpop_jkt.")
	} else if jkt != "" {
		req.JKT = jkt // RFC 9449 section 10.1
	}
	name := secret("")
	req.Handle, req.Expires = hash(name), s.Now().Add(pushedTTL)
	return pushedPrefix + name, s.Store.AddRequest(r.Context(), req)
}

// pushed returns the request that was pushed under a name. It is there once,
// and for the client that pushed it. What else the link says does not count
// (RFC 9126 section 4).
func (s *Server) pushed(ctx context.Context, uri string, client *Client) (*Request, error) {
	name := strings.TrimPrefix(uri, pushedPrefix)
	if !isSecret(name, "") {
		return nil, badLink(http.StatusBadRequest, "The app's request is unknown.")
	}
	req, err := s.Store.TakePushed(ctx, hash(name), client.ID, s.Now())
	if errors.Is(err, ErrNotFound) {
		return nil, badLink(http.StatusBadRequest, "The app's request was used already, or it has waited too long.")
	}
	if err != nil {
		return nil, err
	}
	if _, err := redirectFor(client, req.RedirectURI); err != nil {
		return nil, badLink(http.StatusBadRequest, "The app has changed the addresses that it registered.")
	}
	return req, nil
}
