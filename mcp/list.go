package mcp

import (
	"encoding/json"
	"fmt"

	gomcp "github.com/mark3labs/mcp-go/mcp"
)

// How long a client may keep what does not change while the server runs. It is
// private: it was shown to somebody who had logged in.
const cacheHint = `"ttlMs":300000,"cacheScope":"private"`

// listing is what answers a method that lists, made once: the same for everybody
// and in one order, so that clients and the prompt caches behind them can keep
// it.
type listing struct {
	member         string
	modern, legacy page
}

// page is one form of a list: its items, and the result that has them all.
type page struct {
	items  []json.RawMessage
	result json.RawMessage
}

// makeList makes the answers to a method. Before 2026-07-28 the items are the
// earlier ones, if there are any.
func (p *prepared) makeList(method, member string, items, earlier []any) (err error) {
	if earlier == nil {
		earlier = items
	}
	p.lists[method], err = p.newListing(member, items, earlier)
	return err
}

// newListing makes the answers to a method that lists a member.
func (p *prepared) newListing(member string, items, earlier []any) (listing, error) {
	l := listing{member: member}
	for _, f := range []struct {
		to    *page
		items []any
		era   bool
	}{{&l.modern, items, true}, {&l.legacy, earlier, false}} {
		for _, item := range f.items {
			b, err := json.Marshal(item)
			if err != nil {
				return l, fmt.Errorf("mcp: %s: %w", member, err)
			}
			f.to.items = append(f.to.items, b)
		}
		f.to.result = p.result(f.era, cacheHint, member, array(f.to.items))
	}
	return l, nil
}

// array returns the items as one JSON array.
func array(items []json.RawMessage) json.RawMessage {
	b := []byte{'['}
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, item...)
	}
	return append(b, ']')
}

// result returns a result with one member. Since 2026-07-28 it says that it is
// complete and whose it is, and some have a hint for caches.
func (p *prepared) result(modern bool, hint, member string, value json.RawMessage) json.RawMessage {
	b := []byte{'{'}
	if modern {
		b = append(b, `"resultType":"complete",`...)
		if hint != "" {
			b = append(append(b, hint...), ',')
		}
		b = append(b, `"_meta":{"`+gomcp.MetaKeyServerInfo+`":`...)
		b = append(append(b, p.info...), `},`...)
	}
	b = append(append(append(b, '"'), member...), `":`...)
	return append(append(b, value...), '}')
}

func (x *exchange) result(hint, member string, value json.RawMessage) json.RawMessage {
	return x.s.ready.result(modern(x.client.Revision), hint, member, value)
}

// lists returns what answers a method that lists, nil if it is none here.
func (x *exchange) lists() func() (json.RawMessage, error) {
	if x.req.Method == "tools/list" {
		return x.listTools
	}
	l, ok := x.s.ready.lists[x.req.Method]
	if !ok {
		return nil
	}
	if x.req.Method == "resources/list" && x.s.ListResources != nil {
		return x.listResources
	}
	return func() (json.RawMessage, error) {
		p, err := x.onlyPage(l)
		return p.result, err
	}
}

// onlyPage returns the form of a list that is for the request's era.
func (x *exchange) onlyPage(l listing) (page, error) {
	switch {
	case x.params.other().Cursor != "": // so no client holds one
		return page{}, invalidParams("the cursor is not one of this server's: the list has one page")
	case modern(x.client.Revision):
		return l.modern, nil
	}
	return l.legacy, nil
}
