package config

// MCP sets how the MCP endpoint treats clients.
type MCP struct {
	Strict        bool `koanf:"strict"`         // refuse requests that mix revisions
	PublicListing bool `koanf:"public_listing"` // list the tools without a token
}
