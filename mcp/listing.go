package mcp

import (
	"encoding/json"
	"fmt"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/wire"
)

// cacheHint lets a client cache what does not change while the server runs. The scope
// is private, because the list was shown to an authenticated client.
const cacheHint = `,"ttlMs":300000,"cacheScope":"private"`

// noCacheHint is for results that can change at any time.
const noCacheHint = `,"ttlMs":0,"cacheScope":"private"`

// listing is the answer to a method that lists, made once: the same for all clients
// and in one order, so that they and the prompt caches behind them can keep it.
type listing struct {
	member         string
	modern, legacy page
}

// page is one form of a list: its items, and the result with all of them.
type page struct {
	items  []json.RawMessage
	result json.RawMessage
}

// newListing makes the answers to a method that lists a member. Before 2026-07-28 the
// items are the legacy ones.
func (b *built) newListing(member string, items, legacy []any) (l listing, err error) {
	l.member = member
	l.modern, err = b.newPage(true, member, items)
	if err != nil {
		return l, err
	}
	l.legacy, err = b.newPage(false, member, legacy)
	return l, err
}

func (b *built) newPage(modern bool, member string, items []any) (p page, err error) {
	for _, item := range items {
		text, err := json.Marshal(item)
		if err != nil {
			return p, fmt.Errorf("mcp: %s: %w", member, err)
		}
		p.items = append(p.items, text)
	}
	p.result = b.identity.result(modern, cacheHint, member, jsonrpc.Array(p.items))
	return p, nil
}

// result returns a result with one member. Since 2026-07-28 it says that it is
// complete and whose it is, and some results have a hint for caches.
func (id *Identity) result(modern bool, hint, member string, value json.RawMessage) json.RawMessage {
	if !modern {
		return fmt.Appendf(nil, `{%q:%s}`, member, value)
	}
	return fmt.Appendf(nil, `{"resultType":"complete"%s,%s,%q:%s}`, hint, id.meta(), member, value)
}

// quoted returns s in JSON.
func quoted(s string) string { return string(jsonrpc.AppendString(nil, s)) }

// listOnePage answers a method whose list has one page.
func (r *request) listOnePage() (json.RawMessage, error) {
	p, err := r.onlyPage(r.s.built.lists[r.Message.Method])
	return p.result, err
}

// onlyPage returns the form of a list for the request's era.
func (r *request) onlyPage(l listing) (page, error) {
	if !r.Modern() {
		return l.legacy, r.noCursor()
	}
	p := l.modern
	if r.identity != r.s.built.identity {
		p.result = r.result(cacheHint, l.member, jsonrpc.Array(p.items))
	}
	return p, r.noCursor()
}

// noCursor refuses a cursor: the server has not given any.
func (r *request) noCursor() error {
	if r.Params.Other().Cursor == "" {
		return nil
	}
	return wire.InvalidParams("the cursor is not one of this server's: the list has one page; leave it out")
}
