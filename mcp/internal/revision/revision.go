// Package revision knows what each revision of the protocol has, and decides from
// what a request says which revision it is served by. It does not know what requests
// are answered, nor who sends them.
package revision

import (
	"encoding/json"
	"net/http"
	"slices"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/wire"
)

// The revisions of the protocol, oldest first. Revisions compare as strings.
const (
	V20241105 = gomcp.ProtocolVersion20241105
	V20250326 = gomcp.ProtocolVersion20250326
	V20250618 = gomcp.ProtocolVersion20250618
	V20251125 = gomcp.ProtocolVersion20251125
	V20260728 = gomcp.ProtocolVersion20260728
)

// All returns the revisions that are served, newest first.
func All() []string { return slices.Clone(gomcp.ValidProtocolVersions) }

// Modern tells whether a revision belongs to the era that began with 2026-07-28:
// without sessions, with _meta in each request.
func Modern(revision string) bool { return gomcp.IsModernProtocol(revision) }

// Negotiate returns the revision that answers an initialize request: the proposed
// one if it is served and has a handshake, else the last that has (2025-11-25,
// basic/lifecycle, "Version Negotiation").
func Negotiate(proposed string) string { return gomcp.NegotiateLegacyVersion(proposed) }

// HasAudio tells whether the revision has audio content.
func HasAudio(revision string) bool { return revision >= V20250326 }

// HasResourceLinks tells whether the revision has content of type resource_link.
func HasResourceLinks(revision string) bool { return revision >= V20250618 }

// HasCoreTasks tells whether tasks are a part of the revision's core. Later they are an extension.
func HasCoreTasks(revision string) bool { return revision == V20251125 }

// PrimesStreams tells whether clients of the revision accept an event without data
// that only carries an id (SEP-1699). Earlier ones take it for a message.
func PrimesStreams(revision string) bool { return revision >= V20251125 }

// HasElicitationIDs tells whether questions with a URL carry an id.
func HasElicitationIDs(revision string) bool { return !Modern(revision) }

// Claim is what a request says about its revision.
type Claim struct {
	Header      string // MCP-Protocol-Version
	Meta        *wire.Meta
	Session     string // the revision of its session, "" unless the session is valid
	SessionSent bool   // whether it names a session, valid or not
	Initialize  bool   // it is an initialize request
	Strict      bool   // refuse hybrids
}

// Decide returns the revision by which the request is served, and which hybrid it
// is. With an error it returns the revision of the answer.
func (c Claim) Decide() (string, Hybrid, error) {
	said := c.Meta.Revision
	switch {
	case Modern(said):
		return c.modern()
	case c.Session != "" && (!c.Strict || !Modern(c.Header)):
		return c.inSession()
	case c.Initialize:
		return V20251125, Pure, nil // the answer negotiates
	case c.SessionSent && c.Session == "":
		// The client has to initialize again (2025-11-25, basic/transports,
		// "Session Management", item 4).
		return V20251125, Pure, wire.Errorf(
			http.StatusNotFound, wire.CodeSession, "the session is not known, initialize a new one",
		)
	case c.Header == "":
		// From a time without the header (2025-11-25, basic/transports, "Protocol Version Header").
		return V20250326, Pure, nil
	case !known(c.Header):
		return c.Header, Pure, unsupported(c.Header)
	case Modern(c.Header) && said != "":
		return c.Header, Pure, mismatch(
			"%s says %s and _meta says %s",
			gomcp.HeaderProtocolVersion,
			c.Header,
			wire.Truncate(said),
		)
	case Modern(c.Header):
		return c.Header, Pure, missingMeta(gomcp.MetaKeyProtocolVersion)
	case c.Meta.Client != nil || c.Meta.Capabilities != nil:
		return c.Header, MetaWithoutRevision, nil
	}

	return c.Header, Pure, nil
}

// modern decides about a request whose _meta names a revision of the current era, or
// a future one. Such a request needs no session, and a session changes nothing.
func (c Claim) modern() (string, Hybrid, error) {
	said := c.Meta.Revision
	found := Pure
	if c.Header == "" {
		return said, Pure, mismatch("%s is missing", gomcp.HeaderProtocolVersion)
	}
	if c.Header != said {
		if !c.tolerableHeader() {
			return said, Pure, mismatch(
				"%s says %q and _meta says %q",
				gomcp.HeaderProtocolVersion,
				wire.Truncate(c.Header),
				wire.Truncate(said),
			)
		}
		found = OlderHeader
	}
	switch {
	case !known(said):
		return said, Pure, unsupported(said)
	case len(c.Meta.Capabilities) == 0 || c.Meta.Capabilities[0] != '{':
		return said, Pure, missingMeta(gomcp.MetaKeyClientCapabilities)
	}

	return said, found, nil
}

// tolerableHeader tells whether the header is that of a hosted client's proxy, which
// negotiated an earlier revision than the client behind it speaks.
func (c Claim) tolerableHeader() bool {
	return !c.Strict && !c.SessionSent && !Modern(c.Header) && known(c.Header)
}

// inSession decides about a request that has a session and no _meta of the current era. The
// session's revision applies even if a proxy has put a newer one into the header.
func (c Claim) inSession() (string, Hybrid, error) {
	switch {
	case Modern(c.Header):
		return c.Session, NewerHeader, nil
	case c.Header == "", known(c.Header):
		return c.Session, Pure, nil
	}
	return c.Session, Pure, unsupported(c.Header)
}

func known(revision string) bool { return slices.Contains(gomcp.ValidProtocolVersions, revision) }

func unsupported(requested string) error {
	data, _ := json.Marshal(struct { // strings always have a JSON form
		Supported []string `json:"supported"`
		Requested string   `json:"requested"`
	}{All(), wire.Truncate(requested)})
	return &wire.StatusError{
		Status: http.StatusBadRequest,
		Err: &jsonrpc.Error{
			Code:    wire.CodeVersion,
			Message: "unsupported protocol version",
			Data:    data,
		},
	}
}

func mismatch(format string, args ...any) error {
	return wire.Errorf(
		http.StatusBadRequest,
		wire.CodeHeaderMismatch,
		"header mismatch: "+format,
		args...)
}

// missingMeta is the error of a request that lacks a required member of _meta
// (2026-07-28, basic, "_meta").
func missingMeta(key string) error {
	return wire.Errorf(
		http.StatusBadRequest,
		jsonrpc.CodeInvalidParams,
		"_meta lacks %q, or it is not of its type",
		key,
	)
}
