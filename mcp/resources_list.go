package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"rialto/internal/jsonrpc"
)

// listResources answers resources/list where the list is the principal's own.
// What is the same for everybody comes first, on the first page.
func (x *exchange) listResources() (json.RawMessage, error) {
	p, asked, err := handle(x, "list of resources", "", func(ctx context.Context, _ *asker) (*ResourcePage, error) {
		return x.s.ListResources(ctx, x.principal, x.params.other().Cursor)
	})
	switch {
	case errors.Is(err, ErrCursor):
		return nil, invalidParams("the cursor is not the nextCursor of an earlier page; leave it out to start at the first")
	case err != nil || asked != nil:
		return asked, err
	case p == nil:
		return nil, errors.New("there is neither a list of resources nor an error")
	}
	var items []json.RawMessage
	if x.params.other().Cursor == "" {
		items = append(items, x.s.ready.lists[x.req.Method].modern.items...)
	}
	for i := range p.Resources {
		b, err := json.Marshal(p.Resources[i].listed())
		if err != nil {
			return nil, fmt.Errorf("resource %s: %w", clip(p.Resources[i].URI), err)
		}
		items = append(items, b)
	}
	page := array(items)
	if p.Next != "" {
		page = jsonrpc.AppendString(append(page, `,"nextCursor":`...), p.Next)
	}
	// It is not known for how long it will say the same.
	return x.result(`"ttlMs":0,"cacheScope":"private"`, "resources", page), nil
}
