package mcp

import (
	"encoding/json"
	"slices"

	gomcp "github.com/mark3labs/mcp-go/mcp"
)

// How long a client may keep what does not change while the server runs. It is
// private: it was shown to somebody who had logged in.
const cacheHint = `"ttlMs":300000,"cacheScope":"private"`

// makeResults makes the answers to tools/list and server/discover.
func (p *prepared) makeResults() {
	head := `{"resultType":"complete",` + cacheHint +
		`,"_meta":{"` + gomcp.MetaKeyServerInfo + `":` + string(p.info) + `}`
	p.legacyList = json.RawMessage(`{"tools":` + string(p.earlier) + `}`)
	p.modernList = json.RawMessage(head + `,"tools":` + string(p.list) + `}`)

	versions, _ := json.Marshal(supported()) // strings always have a JSON form
	discover := head + `,"supportedVersions":` + string(versions) + `,"capabilities":` + string(p.capabilities(Revision20260728))
	if p.instructions != nil {
		discover += `,"instructions":` + string(p.instructions)
	}
	p.discover = json.RawMessage(discover + "}")
}

// supported returns the revisions that are served, newest first.
func supported() []string { return slices.Clone(gomcp.ValidProtocolVersions) }

// listTools answers tools/list. All tools fit on one page, so no client holds
// a cursor.
func (x *exchange) listTools() (json.RawMessage, error) {
	switch {
	case x.params.Cursor != "":
		return nil, invalidParams("the cursor is not one of this server's: the list has one page")
	case modern(x.client.Revision):
		return x.s.ready.modernList, nil
	}
	return x.s.ready.legacyList, nil
}
