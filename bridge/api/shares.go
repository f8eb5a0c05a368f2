package api

import (
	"errors"
	"net/http"

	"github.com/gorilla/mux"

	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
)

// share makes a link to a document of the caller's.
func (a *API) share(r *http.Request, in struct {
	ID string `json:"id"`
}) (any, error) {
	s, link, err := a.Bridge.Documents.ShareDocument(r.Context(), a.access(r), in.ID)
	if err != nil {
		return nil, shareError(err)
	}
	return created{documents.Shared{Share: *s, URL: link}}, nil
}

// shareError says what is wrong in the terms of the API.
func shareError(err error) error {
	switch {
	case errors.Is(err, documents.ErrNoShare):
		return notFound("Nothing can be shared here: the operator has not turned it on.")
	case errors.Is(err, ledger.ErrNoTask):
		return notFound("There is no such task, or not yours.")
	case errors.Is(err, documents.ErrNotShareable):
		return &refusal{
			http.StatusConflict,
			"invalid_task_state",
			"This can be shared when its task has ended.",
		}
	case errors.Is(err, documents.ErrTooManyShares):
		return &refusal{
			http.StatusConflict,
			"too_many_shares",
			"You've reached the limit of shared links. Stop sharing some first.",
		}
	}

	if words, ok := ledger.InputText(err); ok {
		return badRequest("%s", words)
	}
	if down, ok := errors.AsType[directory.Unreachable](err); ok {
		return &refusal{http.StatusServiceUnavailable, "unavailable", down.Error()}
	}

	return err
}

// shares lists what the caller shares, the latest first.
func (a *API) shares(r *http.Request) (any, error) {
	size, err := pageSize(r)
	if err != nil {
		return nil, err
	}

	list, next, err := a.Bridge.Documents.ListShares(
		r.Context(),
		a.access(r),
		r.URL.Query().Get("page_token"),
		size,
	)
	if errors.Is(err, ledger.ErrCursor) {
		err = errPageToken
	}
	if err != nil {
		return nil, err
	}

	return struct {
		Shares []documents.Share `json:"shares"`
		Next   string            `json:"next_page_token"`
	}{append([]documents.Share{}, list...), next}, nil
}

// unshare ends a link.
func (a *API) unshare(r *http.Request) (any, error) {
	err := a.Bridge.Documents.EndShare(r.Context(), a.access(r), mux.Vars(r)["share"])
	if errors.Is(err, documents.ErrNoShare) {
		return nil, notFound("There is no such share, or not yours.")
	}
	return struct{}{}, err
}
