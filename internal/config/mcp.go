package config

// MCP says how the MCP endpoint treats clients.
type MCP struct {
	// Strict refuses requests that mix revisions, which are otherwise
	// understood, counted and logged.
	Strict bool `koanf:"strict"`
	// PublicListing shows the tools to everybody, as chat apps expect that
	// look before they log in.
	PublicListing bool `koanf:"public_listing"`
}
