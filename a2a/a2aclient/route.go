package a2aclient

import (
	"context"
	"strings"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// route is one way to the agent: an interface of its card, in one dialect.
type route struct {
	url     string
	tenant  string
	dialect *wire.Dialect
}

// maxRoutes bounds what a card can make us try.
const maxRoutes = 8

// routesTo lists the ways to the agent that card describes. First come those
// that the card declares, the newest dialect first; then the same places in the
// other dialects, the likeliest first, for cards are often wrong about it.
func (d *Dialer) routesTo(card *a2a.Card) ([]route, error) {
	usable, err := d.usable(card)
	if err != nil {
		return nil, err
	}
	var list routes
	for _, dialect := range d.dialects(wire.Dialects()) {
		for _, i := range usable {
			if i.Version == dialect.Generation {
				list.add(i, dialect)
			}
		}
	}
	for _, i := range usable {
		for _, dialect := range d.dialects(wire.Guesses(i.Version)) {
			list.add(i, dialect)
		}
	}
	if len(list) == 0 {
		return nil, a2a.Errorf(a2a.VersionNotSupported, "A2A %s is not a generation that we speak", d.Protocol)
	}
	return list, nil
}

type routes []route

func (rs *routes) add(i a2a.Interface, d *wire.Dialect) {
	for _, r := range *rs {
		// 0.2 and 0.3 have the same names: it would be the same call again.
		if r.url == i.URL && r.dialect.Method(wire.Send) == d.Method(wire.Send) {
			return
		}
	}
	if len(*rs) < maxRoutes {
		*rs = append(*rs, route{i.URL, i.Tenant, d})
	}
}

// dialects holds those of ds that may be spoken.
func (d *Dialer) dialects(ds []*wire.Dialect) []*wire.Dialect {
	if d.Protocol == "" {
		return ds
	}
	for _, dialect := range ds {
		if dialect.Generation == wire.ParseGeneration(string(d.Protocol)) {
			return []*wire.Dialect{dialect}
		}
	}
	return nil
}

// usable returns the interfaces whose binding we speak and may use.
func (d *Dialer) usable(card *a2a.Card) ([]a2a.Interface, error) {
	var list []a2a.Interface
	var others []string
	for _, i := range card.Interfaces {
		switch {
		case !strings.EqualFold(string(i.Binding), string(a2a.JSONRPC)):
			others = append(others, string(i.Binding))
		case d.Binding == "" || d.Binding == a2a.JSONRPC:
			list = append(list, i)
		}
	}
	switch {
	case len(list) > 0:
		return list, nil
	case d.Binding != "" && d.Binding != a2a.JSONRPC:
		return nil, a2a.Errorf(a2a.UnsupportedOperation, "the binding %s is not one that we speak", d.Binding)
	default:
		return nil, a2a.Errorf(a2a.UnsupportedOperation, "the agent offers only %s, which we do not speak", strings.Join(others, " and "))
	}
}

// attempt makes a call over the route that worked last. If the agent does not
// know the method nothing ran, so the other routes are tried, and the one that
// is answered is remembered. Any other answer, or none, is final.
func attempt[T any](ctx context.Context, c *Client, call func(route) (T, error)) (T, error) {
	first := int(c.route.Load())
	v, err := call(c.routes[first])
	if !c.unknown(c.routes[first], err) {
		c.learn(ctx, first, first, err)
		return v, err
	}
	for i, r := range c.routes {
		if i == first {
			continue
		}
		other, otherErr := call(r)
		if !r.dialect.MethodUnknown(otherErr) {
			c.learn(ctx, first, i, otherErr)
			return other, otherErr
		}
	}
	return v, err
}

// unknown reports whether err says that the agent does not speak r. An invalid
// request says so only as long as nothing else has been answered: it is also
// what servers of 0.3 say to a message for a task that has ended (a2a-js).
func (c *Client) unknown(r route, err error) bool {
	return r.dialect.MethodUnknown(err) && (!c.proven.Load() || !a2a.Is(err, a2a.InvalidRequest))
}

// learn remembers the route that was answered.
func (c *Client) learn(ctx context.Context, tried, answered int, err error) {
	if err != nil && !remote(err) {
		return
	}
	c.proven.Store(true)
	if tried == answered {
		return
	}
	c.route.Store(int32(answered))
	c.dialer.log().InfoContext(ctx, "the agent speaks another dialect than was tried first", "url", c.routes[answered].url,
		"tried", c.routes[tried].dialect.Generation, "speaks", c.routes[answered].dialect.Generation)
}
