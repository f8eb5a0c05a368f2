// Package wire translates the words of package a2a to and from the JSON and the
// protocol buffers of each protocol generation.
//
// Encoders are strict and there is one for each generation, in a file named
// after it. The decoder of JSON is one for all of them and tolerant: it takes what
// real peers send, tells objects apart by whatever tells them apart ("kind", the
// member of a oneof, or their members), and ignores what it does not know. Only
// numbers of errors must be read in the generation they were written in. What is
// written and read over gRPC is in the files that begin so.
//
// The package knows bodies, not how they travel: a2aclient and a2aserver frame
// them and carry them over HTTP.
package wire

import (
	"slices"
	"strings"

	"rialto/a2a"
)

// VersionHeader is the HTTP header, and the query parameter, that names the
// generation of a call (A2A 1.0 section 3.6).
const VersionHeader = "A2A-Version"

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

// Envelope is what a request says that its words do not.
type Envelope struct {
	Tenant  string     // of the interface called (A2A 1.0.1 section 4.4.6)
	NewTask a2a.TaskID // what a task that the request starts shall be called, where CallersName
}

// Dialect is how one generation spells the words.
type Dialect struct {
	Generation a2a.Generation

	// Versioned dialects name themselves in VersionHeader.
	Versioned bool

	// Replays tells that a subscription begins with the task as it stands
	// (A2A 1.0 section 3.1.6). Before, it brings only what happens later.
	Replays bool

	// CallersName tells that a caller makes up the id of a task that it starts
	// (A2A 0.1). Then a send cannot ask to be answered at once either.
	CallersName bool

	Codec

	service string // of gRPC; "" where the dialect is not spoken over it
	methods []method
	errors  []errorNumber
	reasons reasons
}

// method is the name of an operation.
type method struct {
	op   Op
	name string
}

// Dialects returns the dialects that we speak, the newest first. A generation
// more is a file, and a line here.
func Dialects() []*Dialect { return []*Dialect{&v10, &v03, &v02, &v01} }

// Listed returns the dialects that a card can name, the newest first. Cards
// before 0.3 had one URL, and whoever read them knew what was spoken there.
func Listed() []*Dialect { return []*Dialect{&v10, &v03} }

// ByGeneration returns the dialect of generation g.
func ByGeneration(g a2a.Generation) (*Dialect, bool) {
	for _, d := range Dialects() {
		if d.Generation == g {
			return d, true
		}
	}
	return nil, false
}

// Guesses returns every dialect in the order in which an agent that claims
// generation g is likely to understand them: g itself, or the newest of its
// major version, then its neighbours. Cards are often wrong about it.
func Guesses(g a2a.Generation) []*Dialect {
	ds := Dialects()
	claim := max(0, slices.IndexFunc(ds, func(d *Dialect) bool {
		return d.Generation == g || major(d.Generation) == major(g) && !known(g)
	}))
	distance := map[*Dialect]int{}
	for i, d := range ds {
		distance[d] = max(i-claim, claim-i)
	}
	slices.SortStableFunc(ds, func(a, b *Dialect) int { return distance[a] - distance[b] })
	return ds
}

func known(g a2a.Generation) bool {
	_, ok := ByGeneration(g)
	return ok
}

func major(g a2a.Generation) string {
	m, _, _ := strings.Cut(string(g), ".")
	return m
}

// ParseGeneration returns the Major.Minor of a version, which may have a patch
// number ("0.3.0") or lack the minor one ("1").
func ParseGeneration(version string) a2a.Generation {
	version = strings.TrimPrefix(strings.TrimSpace(version), "v")
	if version == "" {
		return ""
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

// Route finds the dialect and operation of a call by its version and the name
// of its method. A version that is absent means 0.3 by the letter (A2A 1.0
// section 3.6.2), but the names of the generations differ and clients forget
// the header, so then the name decides. The dialect is never nil: on error it
// is the one to say no in.
func Route(version, name string) (*Dialect, Op, error) {
	if strings.TrimSpace(version) == "" {
		return routeByName(name)
	}
	d, ok := ByGeneration(ParseGeneration(version))
	if !ok {
		return Dialects()[0], 0, a2a.Errorf(a2a.VersionNotSupported,
			"A2A version %q is not supported; this agent speaks %s", version, spoken())
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

func spoken() string {
	var names []string
	for _, d := range Dialects() {
		names = append(names, string(d.Generation))
	}
	return strings.Join(names, ", ")
}
