package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/wire"
)

// listResources answers resources/list. Server.Resources come first, on the first page.
func (r *request) listResources() (json.RawMessage, error) {
	switch {
	case r.s.built.resources == nil: // only an address of its own has the method then
		return r.result(cacheHint, "resources", json.RawMessage("[]")), nil
	case r.s.ListResources == nil:
		return r.listOnePage()
	}
	cursor := r.Params.Other().Cursor
	p, asked, err := run(r, "list of resources", "", 0, func(ctx context.Context, _ *asker) (*ResourcePage, error) {
		return r.s.ListResources(ctx, r.Principal, cursor)
	})
	switch {
	case errors.Is(err, ErrCursor):
		return nil, wire.InvalidParams("the cursor is not the nextCursor of an earlier page; leave it out to start at the first")
	case err != nil || asked != nil:
		return asked, err
	case p == nil:
		return nil, errors.New("there is neither a list of resources nor an error")
	}
	var items []json.RawMessage
	if cursor == "" {
		items = append(items, r.s.built.lists[r.Message.Method].modern.items...)
	}
	for i := range p.Resources {
		b, err := json.Marshal(p.Resources[i].listed())
		if err != nil {
			return nil, fmt.Errorf("resource %s: %w", wire.Clip(p.Resources[i].URI), err)
		}
		items = append(items, b)
	}
	page := array(items)
	if p.Next != "" {
		page = jsonrpc.AppendString(append(page, `,"nextCursor":`...), p.Next)
	}
	return r.result(noCacheHint, "resources", page), nil
}
