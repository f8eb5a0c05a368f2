package directory

import (
	"time"

	"rialto/a2a"
	"rialto/bridge/sanitize"
)

// Health is how this process reached an agent lately. Its texts are for the operator,
// because they describe the network.
type Health struct {
	Asked   time.Time // when the card was last asked for; zero if it never was
	Problem string    // why it did not come, then
	Err     error     // the error that Problem is the text of
	Card    *a2a.Card // in force; nil before the first has come. It must not be changed.

	a2a.Contact
}

// Health returns how the agent with a name was reached lately, and false if there is no
// such agent. It makes no request.
func (d *Directory) Health(name string) (Health, bool) {
	p := d.Lookup(name)
	if p == nil {
		return Health{}, false
	}

	last := p.last.Load()
	if last == nil {
		return Health{}, true
	}

	h := Health{Asked: last.at}
	if last.err != nil {
		h.Problem = sanitize.Short(last.err.Error(), 500)
		h.Err = last.err
	}
	if last.conn != nil {
		h.Card = last.conn.Card()
	}
	if c, ok := last.conn.(a2a.Contacted); ok {
		h.Contact = c.Contact()
		h.Failure = sanitize.Short(h.Failure, 500)
	}

	return h, true
}
