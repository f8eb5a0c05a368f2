package a2aclient

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// route is one way to the agent: an interface of its card, in one dialect.
type route struct {
	url     string
	target  *url.URL // what url is to the binding; nil if that is none
	tenant  string
	dialect *wire.Dialect
	binding binding

	// subscribeByPOST is set where a subscription over HTTP+JSON is not a GET.
	subscribeByPOST bool

	// metadata is the metadata of calls over gRPC, without credentials. It is read-only.
	metadata map[string][]string
}

// call is an operation over a route.
type call struct {
	route
	op     wire.Op
	params []byte
}

// binding is a protocol binding of A2A. Each one has a file named after it.
type binding interface {
	name() a2a.Binding

	// dialects lists what is spoken over it, the newest first.
	dialects() []*wire.Dialect

	// target returns where to call for the URL that a card names, of an agent that
	// was dialled at another; nil if it is none.
	target(dialed *url.URL, raw string) *url.URL

	// send makes a call. It returns the answer, whatever it says, and the request
	// that showed credentials to the agent, or nil if none did.
	send(ctx context.Context, c *Client, q call) (*http.Request, *http.Response, error)

	// decode reads the body of an answer with that HTTP status, or the data of
	// an event. It reports whether it is one at all.
	decode(d *wire.Dialect, status int, body []byte) (result []byte, refusal *a2a.Error, ok bool)

	// events reads the body of resp as a stream, all of it through in. limit bounds each event, and
	// memory what is held of it. If it is no stream but a single answer it returns nil, and what
	// to read it from.
	events(
		d *wire.Dialect,
		resp *http.Response,
		in *metered,
		limit int,
		memory *reservation,
	) (events, io.Reader)
}

// events are those of a stream.
type events interface {
	// next returns the data of the next event, for decode. io.EOF is the end. An
	// *a2a.Error is the agent's error, which ends the stream too.
	next() ([]byte, error)
}

// bindings returns the bindings that we speak, the preferred first.
func (d *Dialer) bindings() []binding {
	if d.GRPC == nil {
		return []binding{jsonRPC{}, rest{}}
	}
	return []binding{jsonRPC{}, rest{}, overGRPC{}}
}

func (d *Dialer) bindingOf(name a2a.Binding) binding {
	for _, b := range d.bindings() {
		if strings.EqualFold(string(name), string(b.name())) {
			return b
		}
	}
	return nil
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
	for _, newest := range d.dialects(wire.Dialects()) {
		for _, b := range d.bindings() {
			for _, i := range usable {
				if d.bindingOf(i.Binding) == b && i.Version == newest.Generation {
					list.add(i, b, i.Version)
				}
			}
		}
	}
	for _, i := range usable {
		for _, guess := range d.dialects(wire.ByLikelihood(i.Version)) {
			list.add(i, d.bindingOf(i.Binding), guess.Generation)
		}
	}
	if len(list) == 0 {
		return nil, a2a.Errorf(a2a.VersionNotSupported, "A2A %s is not supported", d.Protocol)
	}

	return list, nil
}

type routes []route

// add adds the routes to an interface in the dialects of generation g, unless the list has them.
func (rs *routes) add(i a2a.Interface, b binding, g a2a.Generation) {
	for _, d := range only(b.dialects(), g) {
		next := route{
			url:     i.URL,
			tenant:  i.Tenant,
			dialect: d,
			binding: b,
		}
		known := slices.ContainsFunc(*rs, func(r route) bool {
			return r.url == next.url && r.binding == next.binding && next.sameCall(r)
		})
		if !known && len(*rs) < maxRoutes {
			*rs = append(*rs, next)
		}
	}
}

// sameCall reports whether a call would be the same over r and other: over
// JSON-RPC, 0.2 and 0.3 have the same names.
func (r route) sameCall(other route) bool {
	return r.dialect == other.dialect ||
		r.binding == jsonRPC{} && r.dialect.Method(wire.Send) == other.dialect.Method(wire.Send)
}

// only returns the dialects of generation g, which may be several. It changes ds.
func only(ds []*wire.Dialect, g a2a.Generation) []*wire.Dialect {
	return slices.DeleteFunc(ds, func(d *wire.Dialect) bool { return d.Generation != g })
}

// dialects holds those of ds that may be spoken. It changes ds.
func (d *Dialer) dialects(ds []*wire.Dialect) []*wire.Dialect {
	if d.Protocol == "" {
		return ds
	}
	return only(ds, wire.ParseGeneration(string(d.Protocol)))
}

// usable returns the interfaces whose binding we speak and may use.
func (d *Dialer) usable(card *a2a.Card) ([]a2a.Interface, error) {
	var list []a2a.Interface
	var others []string
	for _, i := range card.Interfaces {
		wanted := d.Binding == "" || strings.EqualFold(string(i.Binding), string(d.Binding))
		if wanted && d.bindingOf(i.Binding) != nil {
			list = append(list, i)
		} else {
			others = append(others, string(i.Binding))
		}
	}

	offered := strings.Join(others, " and ")
	switch {
	case len(list) > 0:
		return list, nil
	case d.Binding == "":
		return nil, a2a.Errorf(
			a2a.UnsupportedOperation, "the agent offers only %s, which is not supported", offered,
		)
	case d.bindingOf(d.Binding) == nil:
		return nil, a2a.Errorf(a2a.UnsupportedOperation, "the binding %s is not supported", d.Binding)
	default:
		return nil, a2a.Errorf(
			a2a.UnsupportedOperation,
			"the agent offers only %s, not %s",
			offered, d.Binding,
		)
	}
}

// tryRoutes makes a call over the route that worked last. If the agent does not
// know the method nothing ran, so the other routes are tried, and the one that
// is answered is remembered. Any other answer, or none, is final.
func tryRoutes[T any](
	ctx context.Context,
	c *Client,
	op wire.Op,
	call func(context.Context, route) (T, error),
) (T, error) {
	first := int(c.route.Load())
	v, err := observed(ctx, c, c.routes[first], op, call)
	if !c.unknown(c.routes[first], err) {
		c.rememberRoute(ctx, first, first, err)
		return v, err
	}

	for i, r := range c.routes {
		if i == first {
			continue
		}
		other, otherErr := observed(ctx, c, r, op, call)
		if !r.dialect.MethodUnknown(otherErr) {
			c.rememberRoute(ctx, first, i, otherErr)
			return other, otherErr
		}
	}

	return v, err
}

// unknown reports whether err says that the agent does not speak r. An invalid
// request says so only as long as nothing else has been answered: it is also
// what servers of 0.3 say to a message for a task that has ended (a2a-js).
func (c *Client) unknown(r route, err error) bool {
	return r.dialect.MethodUnknown(err) && (!c.answered.Load() || !a2a.Is(err, a2a.InvalidRequest))
}

// rememberRoute stores the route that was answered.
func (c *Client) rememberRoute(ctx context.Context, tried, answered int, err error) {
	if err != nil && !remote(err) {
		return
	}
	if !c.answered.Load() { // written once, for those who call at one time share it
		c.answered.Store(true)
	}
	if tried == answered {
		return
	}

	c.route.Store(int32(answered))
	c.dialer.log().InfoContext(
		ctx, "the agent speaks another dialect than was tried first",
		"url", c.routes[answered].url,
		"binding", c.routes[answered].binding.name(),
		"tried", c.routes[tried].dialect.Generation,
		"speaks", c.routes[answered].dialect.Generation,
	)
}
