package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"rialto/mcp/internal/wire"
)

// listResources answers resources/list. Server.Resources and the skills come first, on the first page.
func (r *request) listResources() (json.RawMessage, error) {
	switch {
	case r.s.built.resources == nil: // only an address of its own has the method then
		return r.result(cacheHint, "resources", json.RawMessage("[]")), nil
	case r.s.MoreResources == nil && r.s.Extensions.Skills == nil:
		return r.listOnePage()
	}
	cursor := r.Params.Other().Cursor
	p, asked, err := run(
		r,
		"list of resources",
		"",
		0,
		func(ctx context.Context, _ *elicitor) (*ResourcePage, error) {
			return r.s.moreResources(ctx, r.Principal, cursor)
		},
	)
	switch {
	case errors.Is(err, ErrCursor):
		return nil, wire.InvalidParams(
			"the cursor is not the nextCursor of an earlier page; leave it out to start at the first",
		)
	case err != nil || asked != nil:
		return asked, err
	case p == nil:
		return nil, errors.New("there is neither a list of resources nor an error")
	}
	var items []json.RawMessage
	var listed []*Resource
	if cursor == "" {
		items = append(items, r.s.built.lists[r.Message.Method].modern.items...)
		if r.s.Extensions.showsApps(r.Client) {
			items = append(items, r.s.built.apps.items...)
		}
		listed = r.s.Extensions.skillFiles(r.HTTP.Context())
	}
	for i := range p.Resources {
		listed = append(listed, &p.Resources[i])
	}
	for _, l := range listed {
		b, err := json.Marshal(l)
		if err != nil {
			return nil, fmt.Errorf("resource %s: %w", wire.Truncate(l.URI), err)
		}
		items = append(items, b)
	}
	page := array(items)
	if p.Next != "" {
		page = fmt.Appendf(page, `,"nextCursor":%s`, quoted(p.Next))
	}
	return r.result(noCacheHint, "resources", page), nil
}

// moreResources returns a page of the resources that come after Resources.
func (s *Server) moreResources(
	ctx context.Context, principal, cursor string,
) (*ResourcePage, error) {
	switch {
	case s.MoreResources != nil:
		return s.MoreResources.ListResources(ctx, principal, cursor)
	case cursor != "":
		return nil, ErrCursor
	}
	return &ResourcePage{}, nil
}
