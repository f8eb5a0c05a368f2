package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/wire"
)

func (r *request) readResource() (json.RawMessage, error) {
	uri := r.Params.Other().URI
	if s := r.s.Extensions.skill(r.HTTP.Context(), uri); s != nil {
		b, err := json.Marshal(s.contents())
		return r.result(cacheHint, "contents", b), err
	}

	read, variables := r.s.built.reader(uri)
	if read == nil {
		return nil, noResource(uri, r.Modern())
	}

	contents, asked, err := run(
		r,
		"resource",
		wire.Truncate(uri),
		0,
		func(ctx context.Context, a *elicitor) ([]Contents, error) {
			r.observed.Read = &Read{
				URI:       uri,
				Variables: variables,
				Principal: r.Principal,
				Client:    r.Client,
				elicitor:  a,
			}
			return read(ctx, r.observed.Read)
		},
	)
	switch {
	case errors.Is(err, ErrNoResource):
		return nil, noResource(uri, r.Modern())
	case errors.Is(err, ErrNoAnswer):
		return nil, wire.InvalidParams(
			"the resource needs an answer from the person at the client, and there was none",
		)
	case err != nil || asked != nil:
		return asked, err
	case contents == nil:
		return nil, fmt.Errorf("resource %s has neither contents nor an error", wire.Truncate(uri))
	}

	for _, c := range contents {
		r.observed.Size += len(c.Text) + len(c.Data)
	}

	b, err := json.Marshal(contents)
	if err != nil {
		return nil, fmt.Errorf("contents: %w", err)
	}

	return r.result(noCacheHint, "contents", b), nil
}

// reader returns the function that reads the URI, and the values of its template's
// variables. It returns nil if there is no such resource.
func (b *built) reader(
	uri string,
) (read func(context.Context, *Read) ([]Contents, error), variables map[string]string) {
	if r := b.resource(uri); r != nil {
		return r.Read, nil
	}

	for _, t := range b.templates {
		values := t.form.Match(uri)
		if values == nil {
			continue
		}
		variables = make(map[string]string, len(values))
		for name, v := range values {
			variables[name] = v.String()
		}
		return t.Read, variables
	}

	return nil, nil
}

// noResource is the error of a URI without a resource. Since 2026-07-28 it has no code
// of its own (SEP-2164).
func noResource(uri string, modern bool) error {
	code := wire.CodeResourceNotFound
	if modern {
		code = jsonrpc.CodeInvalidParams
	}
	return &Error{
		Code:    code,
		Message: "there is no such resource",
		Data:    fmt.Appendf(nil, `{"uri":%s}`, quoted(uri)),
	}
}

// resource returns the resource that has a URI, or had it; nil if there is none.
func (b *built) resource(uri string) *Resource {
	if r := b.resources[uri]; r != nil {
		return r
	}
	for _, r := range b.resources {
		if r.Earlier != "" && strings.HasPrefix(uri, r.Earlier) {
			return r
		}
	}
	return nil
}
