package wire

import (
	"bytes"
	"encoding/json"
	"strings"

	"rialto/internal/jsonrpc"
)

// Client is what is known of the calling program. Name and Version are what it says of itself.
type Client struct {
	Name, Version string
	// Revision is the protocol revision of the request.
	Revision string
	// Capabilities is the object in which the client declared what it can do; nil if unknown.
	Capabilities json.RawMessage `json:",omitempty"`
}

// Extends tells whether the client declared an extension.
func (c *Client) Extends(extension string) bool {
	for name, extensions := range jsonrpc.Members(c.Capabilities) {
		if string(name) != "extensions" {
			continue
		}
		for name := range jsonrpc.Members(extensions) {
			if string(name) == extension {
				return true
			}
		}
	}
	return false
}

// FromUserAgent returns c with the name and version of the first product of a User-Agent header.
func (c Client) FromUserAgent(agent string) Client {
	product, _, _ := strings.Cut(agent, " ")
	name, version, _ := strings.Cut(product, "/")
	c.Name = Truncate(name)
	c.Version = Truncate(version)
	return c
}

// maxCapabilities bounds what a session id carries of them, for an id is a header.
const maxCapabilities = 1024

// Kept returns a copy of c to keep for later requests, without capabilities that are
// too long. It shares no memory with the message that c came in.
func (c Client) Kept() Client {
	c.Name = strings.Clone(c.Name)
	c.Version = strings.Clone(c.Version)
	c.Capabilities = bytes.Clone(c.Capabilities)
	if len(c.Capabilities) > maxCapabilities {
		c.Capabilities = nil
	}
	return c
}
