package a2aclient

import (
	"context"
	"strings"

	"rialto/a2a"
)

type extensionsKey struct{}

// withExtensions returns the context of the call of a message.
func withExtensions(ctx context.Context, e *a2a.Extensions) context.Context {
	if e == nil {
		return ctx
	}
	return context.WithValue(ctx, extensionsKey{}, e)
}

// extensionsOf returns the values of the header that declares the extensions of a call, and those of its
// message, if it has any. A call about a task declares what the card requires: who sent the message has
// declared that too.
func extensionsOf(
	ctx context.Context, card *a2a.Card,
) (header []string, e *a2a.Extensions) {
	e, _ = ctx.Value(extensionsKey{}).(*a2a.Extensions)
	uris := card.RequiredExtensions()
	if e != nil {
		uris = e.Declared
	}
	if len(uris) == 0 {
		return nil, e
	}
	return []string{strings.Join(uris, ", ")}, e
}
