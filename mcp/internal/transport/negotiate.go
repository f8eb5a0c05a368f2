package transport

import (
	"strings"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/mcp/internal/revision"
	"rialto/mcp/internal/session"
	"rialto/mcp/internal/wire"
)

// negotiate decides by which revision the request is served, and for which client.
func (q *Request) negotiate() error {
	e := q.endpoint
	h := q.HTTP.Header
	header, doubled := revision.Header(h)
	switch {
	case doubled && e.Strict:
		header = strings.Join(h.Values(gomcp.HeaderProtocolVersion), ", ")
	case doubled:
		q.countHybrid(revision.DoubledHeader)
	}

	id := h.Get(gomcp.HeaderSessionID)
	open := e.Sessions.Open(id, q.Principal)
	if q.Message.IsNotification() && revision.Modern(header) && open == nil {
		return nil // the specification does not define what its header must say
	}

	claim := revision.Claim{
		Header: header, Meta: &q.Params.Meta, SessionSent: id != "",
		Initialize: q.method() == "initialize", Strict: e.Strict,
	}
	if open != nil {
		claim.Session = open.Client.Revision
	}

	decided, hybrid, err := claim.Decide()
	q.Client.Revision = decided
	if err != nil {
		return err
	}

	q.identify(open)
	if hybrid != revision.Pure {
		q.countHybrid(hybrid)
	}

	q.Lenient = hybrid == revision.OlderHeader
	if open != nil && !q.Modern() {
		q.sessionID = id
		q.Session = open.Nonce
		q.response.inSession(e, q, q.Principal, open)
	}

	return nil
}

// identify fills in what is known of the client: what this request says, else what it
// said when its session began, else its User-Agent.
func (q *Request) identify(open *session.Session) {
	c := &q.Client
	m := &q.Params.Meta
	switch {
	case m.Client != nil:
		c.Name = wire.Truncate(m.Client.Name)
		c.Version = wire.Truncate(m.Client.Version)
	case open != nil:
		c.Name = open.Client.Name
		c.Version = open.Client.Version
	default:
		*c = c.FromUserAgent(q.HTTP.UserAgent())
	}

	switch {
	case m.Capabilities != nil:
		c.Capabilities = m.Capabilities
	case open != nil:
		c.Capabilities = open.Client.Capabilities
	}
}

// countHybrid counts a hybrid, and logs the 1st, 2nd, 4th, 8th ... of its kind.
func (q *Request) countHybrid(h revision.Hybrid) {
	q.Hybrid = true
	if n := q.endpoint.hybrids.Add(h); n&(n-1) == 0 {
		q.endpoint.Log.InfoContext(
			q.HTTP.Context(), "mcp request mixes revisions",
			"hybrid", h.String(),
			"count", n,
			"client", q.Client.Name,
			"version", q.Client.Version,
			"method", wire.Truncate(q.method()),
		)
	}
}
