package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/wire"
)

// listResources answers resources/list: Server.Resources, the skills, and Server.MoreResources.
func (r *request) listResources() (json.RawMessage, error) {
	switch {
	case r.s.built.resources == nil: // only an address of its own has the method then
		return r.result(cacheHint, "resources", json.RawMessage("[]")), nil
	case r.s.MoreResources == nil && r.s.Extensions.Skills == nil:
		return r.listOnePage()
	}

	if err := r.noCursor(); err != nil {
		return nil, err
	}

	more, asked, err := run(
		r,
		"list of resources",
		"",
		0,
		func(ctx context.Context, _ *elicitor) ([]Resource, error) {
			if r.s.MoreResources == nil {
				return nil, nil
			}
			return r.s.MoreResources.ListResources(ctx, r.Principal)
		},
	)
	if err != nil || asked != nil {
		return asked, err
	}

	items := slices.Clone(r.s.built.lists[r.Message.Method].modern.items)
	if r.s.Extensions.showsApps(r.Client) {
		items = append(items, r.s.built.apps.items...)
	}

	listed := r.s.Extensions.skillFiles(r.HTTP.Context())
	for i := range more {
		listed = append(listed, &more[i])
	}

	for _, l := range listed {
		b, err := json.Marshal(l)
		if err != nil {
			return nil, fmt.Errorf("resource %s: %w", wire.Truncate(l.URI), err)
		}
		items = append(items, b)
	}

	return r.result(noCacheHint, "resources", jsonrpc.Array(items)), nil
}
