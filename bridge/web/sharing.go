package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"rialto/bridge/documents"
	"rialto/templates"
)

// sharing adds the links of a document to s.
func sharing(ctx context.Context, l *documents.Service, id string, now time.Time, s templates.Sharing) (*templates.Sharing, error) {
	shares, _, err := l.ListShares(ctx, l.Directory.Access(ctx), "", documents.MostShares)
	if err != nil {
		return nil, err
	}
	for _, share := range shares {
		if share.Document == id {
			s.Links = append(s.Links, templates.SharedLink{ID: share.ID, Made: templates.When(share.Created, now), Ends: templates.When(share.Expires, now)})
		}
	}
	s.For, s.Task = templates.Took(l.Sharing.TTL), strings.HasPrefix(id, "task:")
	return &s, nil
}

// changeSharing makes a link to a document or ends one, as a form asks. An Error of the result is
// for the owner.
func changeSharing(r *http.Request, l *documents.Service, id string) (s templates.Sharing, err error) {
	access := l.Directory.Access(r.Context())
	if r.PostForm.Has("revoke") {
		if err = l.EndShare(r.Context(), access, r.PostForm.Get("revoke")); errors.Is(err, documents.ErrNoShare) {
			err = nil // it has ended
		}
		return s, err
	}
	made, link, err := l.ShareDocument(r.Context(), access, id)
	switch {
	case errors.Is(err, documents.ErrNotShareable):
		s.Error, err = "This can be shared when its task has ended.", nil
	case errors.Is(err, documents.ErrTooManyShares):
		s.Error, err = "You have the largest number of shared links. End some of them first.", nil
	case err == nil:
		s.Link, s.Until = link, templates.When(made.Expires, made.Created)
	}
	return s, err
}
