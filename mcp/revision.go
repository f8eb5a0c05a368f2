package mcp

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

// opening is what a request says about its revision, before it is believed.
type opening struct {
	header      string // MCP-Protocol-Version
	meta        *meta
	session     *session // nil unless it is good
	sessionSent bool
	initialize  bool
	strict      bool
}

// settle decides by which revision the request is served, and for which
// client.
func (x *exchange) settle() error {
	h := x.r.Header
	header, doubled := revisionHeader(h)
	if doubled {
		if x.s.Strict {
			header = strings.Join(h.Values(gomcp.HeaderProtocolVersion), ", ")
		} else {
			x.tolerate(doubledHeader)
		}
	}
	id := h.Get(gomcp.HeaderSessionID)
	o := opening{
		header: header, meta: &x.params.Meta, strict: x.s.Strict,
		session: x.s.openSession(id, x.principal), sessionSent: id != "",
		initialize: x.method() == "initialize",
	}
	if x.req.IsNotification() && modern(header) && o.session == nil {
		return nil // what a notification's header must say is not defined
	}
	revision, hybrid, err := o.revision()
	x.client.Revision = revision
	if err != nil {
		return err
	}
	x.know(o)
	if hybrid != pure {
		x.tolerate(hybrid)
	}
	if modern(revision) {
		return x.checkHeaders(hybrid == olderHeader)
	}
	if o.session != nil {
		x.session, x.nonce = id, o.session.Nonce
		x.answer.inSession(&x.s.replays, x.principal, o.session, x.s.resumeFor())
	}
	return nil
}

// know notes what is known of the client: what it says in this request, else
// what it said when its session began, else what its User-Agent says.
func (x *exchange) know(o opening) {
	c := &x.client
	switch m := o.meta; {
	case m.Client != nil:
		c.Name, c.Version = clip(m.Client.Name), clip(m.Client.Version)
	case o.session != nil:
		c.Name, c.Version = o.session.Name, o.session.Version
	default:
		*c = fromUserAgent(*c, x.r.UserAgent())
	}
	switch {
	case o.meta.Capabilities != nil:
		c.Capabilities = o.meta.Capabilities
	case o.session != nil:
		c.Capabilities = o.session.Capabilities
	}
}

// fromUserAgent returns c with the name and version of the first product.
func fromUserAgent(c Client, agent string) Client {
	product, _, _ := strings.Cut(agent, " ")
	name, version, _ := strings.Cut(product, "/")
	c.Name, c.Version = clip(name), clip(version)
	return c
}

// revision decides by which revision a request is served. With an error it
// returns the revision of the answer.
func (o opening) revision() (string, hybrid, error) {
	said := o.meta.Revision
	known := slices.Contains(gomcp.ValidProtocolVersions, o.header)
	switch {
	case modern(said):
		return o.modern()
	case o.session != nil && (!o.strict || !modern(o.header)):
		return o.inSession()
	case o.initialize:
		return Revision20251125, pure, nil // the answer negotiates
	case o.sessionSent && o.session == nil:
		// The client is to begin anew (2025-11-25, basic/transports,
		// "Session Management", item 4).
		return Revision20251125, pure, faultf(http.StatusNotFound, codeSession, "the session is not known, initialize a new one")
	case o.header == "":
		// From a time without the header (2025-11-25, basic/transports,
		// "Protocol Version Header").
		return Revision20250326, pure, nil
	case !known:
		return o.header, pure, unsupported(o.header)
	case modern(o.header) && said != "":
		return o.header, pure, mismatch("%s says %s and _meta says %s", gomcp.HeaderProtocolVersion, o.header, clip(said))
	case modern(o.header):
		return o.header, pure, missingMeta(gomcp.MetaKeyProtocolVersion)
	case o.meta.Client != nil || o.meta.Capabilities != nil:
		return o.header, metaWithoutRevision, nil
	}
	return o.header, pure, nil
}

// modern decides about a request whose _meta names a revision of the current
// era, or of one to come. It needs no session and a session changes nothing.
func (o opening) modern() (string, hybrid, error) {
	said, found := o.meta.Revision, pure
	if o.header == "" {
		return said, pure, mismatch("%s is missing", gomcp.HeaderProtocolVersion)
	}
	if o.header != said {
		if !o.tolerableHeader() {
			return said, pure, mismatch("%s says %q and _meta says %q", gomcp.HeaderProtocolVersion, clip(o.header), clip(said))
		}
		found = olderHeader
	}
	switch {
	case !slices.Contains(gomcp.ValidProtocolVersions, said):
		return said, pure, unsupported(said)
	case len(o.meta.Capabilities) == 0 || o.meta.Capabilities[0] != '{':
		return said, pure, missingMeta(gomcp.MetaKeyClientCapabilities)
	}
	return said, found, nil
}

// tolerableHeader tells whether the header is that of a hosted client's proxy
// which negotiated an earlier revision than the client inside it speaks.
func (o opening) tolerableHeader() bool {
	return !o.strict && !o.sessionSent && !modern(o.header) &&
		slices.Contains(gomcp.ValidProtocolVersions, o.header)
}

// inSession decides about a request that has a session and no _meta of the
// current era: the revision is the one that was agreed on, even if a proxy has
// put a newer one into the header.
func (o opening) inSession() (string, hybrid, error) {
	switch known := slices.Contains(gomcp.ValidProtocolVersions, o.header); {
	case modern(o.header):
		return o.session.Revision, newerHeader, nil
	case o.header == "", known:
		return o.session.Revision, pure, nil
	}
	return o.session.Revision, pure, unsupported(o.header)
}

// revisionHeader returns the MCP-Protocol-Version header. Some proxies add it
// a second time; equal values are one, and doubled.
func revisionHeader(h http.Header) (value string, doubled bool) {
	values := h[gomcp.HeaderProtocolVersion]
	if len(values) == 1 && !strings.Contains(values[0], ",") {
		return values[0], false
	}
	all := strings.Join(values, ",")
	for i, v := range strings.Split(all, ",") {
		switch v = strings.TrimSpace(v); {
		case i == 0:
			value = v
		case v != value:
			return all, false
		default:
			doubled = true
		}
	}
	return value, doubled
}

func unsupported(requested string) error {
	data, _ := json.Marshal(struct { // strings always have a JSON form
		Supported []string `json:"supported"`
		Requested string   `json:"requested"`
	}{Revisions(), clip(requested)})
	return &fault{http.StatusBadRequest, &Error{Code: codeVersion, Message: "unsupported protocol version", Data: data}}
}

func mismatch(format string, args ...any) error {
	return &fault{http.StatusBadRequest, jsonrpc.Errorf(codeHeaderMismatch, "header mismatch: "+format, args...)}
}

// missingMeta is the error of a request that lacks a member every request of
// the era must have (2026-07-28, basic, "_meta").
func missingMeta(key string) error {
	return faultf(http.StatusBadRequest, codeInvalidParams, "_meta lacks %q, or it is not of its type", key)
}
