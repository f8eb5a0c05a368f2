package web

import (
	"errors"
	"net/http"
	"strings"

	"rialto/bridge/documents"
	"rialto/templates"
)

// sharing adds the links of a document to s.
func (p *Site) sharing(
	r *http.Request, id string, s templates.Sharing,
) (*templates.Sharing, error) {
	service := p.Bridge.Documents
	now := p.Now()
	shares, _, err := service.ListShares(r.Context(), p.access(r), "", documents.MostShares)
	if err != nil {
		return nil, err
	}

	for _, share := range shares {
		if share.Document == id {
			s.Links = append(s.Links, templates.SharedLink{
				ID:   share.ID,
				Made: templates.When(share.Created, now),
				Ends: templates.When(share.Expires, now),
			})
		}
	}

	s.For, s.Task = templates.Took(service.Sharing.TTL), strings.HasPrefix(id, "task:")
	return &s, nil
}

// changeSharing makes a link to a document or ends one, as a form asks. An Error of the result is
// for the owner.
func (p *Site) changeSharing(r *http.Request, id string) (s templates.Sharing, err error) {
	if r.PostForm.Has("revoke") {
		err = p.Bridge.Documents.EndShare(r.Context(), p.access(r), r.PostForm.Get("revoke"))
		if errors.Is(err, documents.ErrNoShare) {
			err = nil // it has ended
		}
		return s, err
	}

	made, link, err := p.Bridge.Documents.ShareDocument(r.Context(), p.access(r), id)
	switch {
	case errors.Is(err, documents.ErrNotShareable):
		s.Error = "This can be shared when its task has ended."
		err = nil
	case errors.Is(err, documents.ErrTooManyShares):
		s.Error = "You've reached the limit of shared links. Stop sharing some first."
		err = nil
	case err == nil:
		s.Link = link
		s.Undo = made.ID
		s.Until = templates.When(made.Expires, made.Created)
	}

	return s, err
}
