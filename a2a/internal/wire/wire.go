// Package wire encodes and decodes the types of package a2a as the JSON and the
// protocol buffers of each generation of A2A.
//
// Each generation has a strict encoder, in a file named after it. All share one tolerant JSON
// decoder (decode.go): it accepts what real peers send, tells objects apart by "kind", by the
// member of a oneof or by their members, and ignores unknown members. Only error numbers depend on
// the generation. gRPC uses the types that a2a-go generates: 1.0 directly (v10_grpc.go), 0.3 and
// rare operations by way of their JSON form (codec.go, protobuf.go).
//
// The package knows bodies, not how they are sent: a2aclient and a2aserver frame them
// and send them over HTTP.
package wire

import (
	"net/http"
	"slices"
	"strings"

	"rialto/a2a"
)

// VersionHeader is the HTTP header, and the query parameter, that names the
// generation of a call (A2A 1.0 section 3.6).
const VersionHeader = "A2A-Version"

// The HTTP headers, and names of metadata, that declare the extensions of a call, and tell which ones
// were activated: since 1.0, and before.
const (
	ExtensionsHeader    = "A2A-Extensions"
	oldExtensionsHeader = "X-A2A-Extensions"
)

// ExtensionsIn returns the values of the header of extensions in h, of any generation.
func ExtensionsIn(h http.Header) []string {
	return append(h.Values(ExtensionsHeader), h.Values(oldExtensionsHeader)...)
}

// ExtensionsHeader returns the header of extensions of d.
func (d *Dialect) ExtensionsHeader() string {
	if d.Versioned {
		return ExtensionsHeader
	}
	return oldExtensionsHeader
}

// Op is an operation of the protocol, whatever a generation calls it.
type Op int

// The operations that A2A defines. Not every generation has each.
const (
	Send Op = iota + 1
	Stream
	Task
	Cancel
	Subscribe
	List
	PushSet
	PushGet
	PushList
	PushDelete
	ExtendedCard
)

// Streams reports whether op is answered by an event stream.
func (op Op) Streams() bool { return op == Stream || op == Subscribe }

// Push reports whether op is about push notifications.
func (op Op) Push() bool { return op >= PushSet && op <= PushDelete }

// Envelope holds what a request carries in addition to an a2a.SendRequest.
type Envelope struct {
	Tenant  string     // the interface's tenant (A2A 1.0.1 section 4.4.6)
	NewTask a2a.TaskID // the id of a task that the request starts, if CallersName
}

// Dialect is one generation of A2A over one binding.
type Dialect struct {
	Generation a2a.Generation

	// Versioned dialects send VersionHeader.
	Versioned bool

	// Replays is set if a subscription begins with the current task (A2A 1.0 section
	// 3.1.6). Before 1.0 it has only later events.
	Replays bool

	// CallersName is set if the caller chooses the id of a task that it starts (A2A
	// 0.1). Then a send cannot ask for an immediate answer either.
	CallersName bool

	Codec
	rareCodec

	service string // the gRPC service; "" for other bindings
	methods []method
	errors  []errorNumber
	reasons reasons
}

// method is the name of an operation.
type method struct {
	op   Op
	name string
}

// Dialects returns the dialects that we speak, the newest first. To add a generation,
// add a file and a line here.
func Dialects() []*Dialect { return []*Dialect{&v10, &v03, &v02, &v01} }

// CardDialects returns the dialects that a card can name, the newest first. Cards before 0.3
// had one URL and no version.
func CardDialects() []*Dialect { return []*Dialect{&v10, &v03} }

// ByGeneration returns the dialect of generation g.
func ByGeneration(g a2a.Generation) (*Dialect, bool) {
	for _, d := range Dialects() {
		if d.Generation == g {
			return d, true
		}
	}
	return nil, false
}

// ByLikelihood returns every dialect in the order in which an agent that claims
// generation g is likely to understand them: g itself, or the newest of its major
// version, then its neighbors. Cards often name the wrong generation.
func ByLikelihood(g a2a.Generation) []*Dialect {
	ds := Dialects()
	claim := max(0, slices.IndexFunc(ds, func(d *Dialect) bool {
		return d.Generation == g || major(d.Generation) == major(g) && !isKnown(g)
	}))
	distance := map[*Dialect]int{}
	for i, d := range ds {
		distance[d] = max(i-claim, claim-i)
	}

	slices.SortStableFunc(ds, func(a, b *Dialect) int { return distance[a] - distance[b] })
	return ds
}

func isKnown(g a2a.Generation) bool {
	_, ok := ByGeneration(g)
	return ok
}

func major(g a2a.Generation) string {
	m, _, _ := strings.Cut(string(g), ".")
	return m
}

// ParseGeneration returns the Major.Minor of a version, which may have a patch
// number ("0.3.0") or lack the minor one ("1"). What is no number stays as it is.
func ParseGeneration(version string) a2a.Generation {
	version = strings.TrimPrefix(strings.TrimSpace(version), "v")
	if version == "" {
		return ""
	}
	if version[0] < '0' || version[0] > '9' {
		return a2a.Generation(version)
	}
	parts := append(strings.Split(version, "."), "0")
	return a2a.Generation(parts[0] + "." + parts[1])
}

// Method returns the name of op in d, or "" if d does not have it.
func (d *Dialect) Method(op Op) string {
	for _, m := range d.methods {
		if m.op == op {
			return m.name
		}
	}
	return ""
}

// Op returns the operation that d calls name.
func (d *Dialect) Op(name string) (Op, bool) {
	for _, m := range d.methods {
		if m.name == name {
			return m.op, true
		}
	}
	return 0, false
}

// Route finds the dialect and operation of a call by its version and the name of its method. A
// version that is absent means 0.3 by the letter (A2A 1.0 section 3.6.2), but the names of the
// generations differ and clients forget the header, so then the name decides. The dialect is never
// nil: on error it is the one to encode the error in.
func Route(version, name string) (*Dialect, Op, error) {
	if strings.TrimSpace(version) == "" {
		return routeByName(name)
	}

	d, ok := ByGeneration(ParseGeneration(version))
	if !ok {
		return Dialects()[0], 0, a2a.Errorf(
			a2a.VersionNotSupported,
			"A2A version %q is not supported; this agent speaks %s",
			version,
			strings.Join(generations(), ", "),
		)
	}

	op, ok := d.Op(name)
	if !ok {
		return d, 0, unknownMethod(name)
	}

	return d, op, nil
}

// routeByName finds the newest dialect that has the name. The calls about a
// task have the same names since 0.1.
func routeByName(name string) (*Dialect, Op, error) {
	for _, d := range Dialects() {
		if op, ok := d.Op(name); ok {
			return d, op, nil
		}
	}
	return &v03, 0, unknownMethod(name)
}

func unknownMethod(name string) error {
	return a2a.Errorf(a2a.MethodNotFound, "there is no method %q", name)
}

func generations() []string {
	return each(Dialects(), func(d *Dialect) string { return string(d.Generation) })
}
