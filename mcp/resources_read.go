package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

// readResource answers resources/read.
func (x *exchange) readResource() (json.RawMessage, error) {
	read := x.findResource()
	if read == nil {
		return nil, x.noResource()
	}
	contents, asked, err := handle(x, "resource", clip(x.params.other().URI), read)
	switch {
	case errors.Is(err, ErrNoResource):
		return nil, x.noResource()
	case errors.Is(err, ErrNoAnswer):
		return nil, invalidParams("the resource needs an answer from the person at the client, and there was none")
	case err != nil || asked != nil:
		return asked, err
	case contents == nil:
		return nil, fmt.Errorf("resource %s has neither contents nor an error", clip(x.params.other().URI))
	}
	b, err := json.Marshal(contents)
	if err != nil {
		return nil, fmt.Errorf("contents: %w", err)
	}
	// It is not known for how long it will say the same.
	return x.result(`"ttlMs":0,"cacheScope":"private"`, "contents", b), nil
}

// findResource returns what reads the URI, nil if there is nothing.
func (x *exchange) findResource() func(context.Context, *asker) ([]Contents, error) {
	call := Read{URI: x.params.other().URI, Principal: x.principal, Client: x.client}
	read := func(f func(context.Context, *Read) ([]Contents, error)) func(context.Context, *asker) ([]Contents, error) {
		return func(ctx context.Context, a *asker) ([]Contents, error) {
			call.asker = a
			return f(ctx, &call)
		}
	}
	if r := x.s.ready.resources[x.params.other().URI]; r != nil {
		return read(r.Read)
	}
	for _, t := range x.s.ready.templates {
		values := t.form.Match(x.params.other().URI)
		if values == nil {
			continue
		}
		call.Variables = make(map[string]string, len(values))
		for name, v := range values {
			call.Variables[name] = v.String()
		}
		return read(t.Read)
	}
	return nil
}

// noResource is the error of a URI under which there is nothing. Since
// 2026-07-28 it has no code of its own (SEP-2164).
func (x *exchange) noResource() error {
	code := gomcp.RESOURCE_NOT_FOUND
	if modern(x.client.Revision) {
		code = codeInvalidParams
	}
	data := append(jsonrpc.AppendString([]byte(`{"uri":`), x.params.other().URI), '}')
	return &Error{Code: code, Message: "there is no such resource", Data: data}
}
