package server

import (
	"rialto/mcp"
	"rialto/oauth"
	"rialto/static"
)

// logo returns the icon of the server and its tools (SEP-973). It is on the server's
// own origin, as clients require (2025-11-25, basic, "Icons").
func logo(origin string, brand static.Brand) []mcp.Icon {
	address, kind := brand.Logo()
	icon := mcp.Icon{Src: origin + address, MIMEType: kind}
	if kind == "image/svg+xml" {
		icon.Sizes = []string{"any"}
	}
	return []mcp.Icon{icon}
}

// withListing adds an icon and the required login to each tool. ChatGPT reads
// "securitySchemes" before it offers a tool, and asks for missing scopes.
func withListing(tools []mcp.Tool, icons []mcp.Icon) []mcp.Tool {
	for i := range tools {
		tools[i].Icons = icons
		tools[i].SecuritySchemes = []mcp.SecurityScheme{{Type: "oauth2", Scopes: []string{oauth.ScopeTools}}}
	}
	return tools
}

// toolsChanged updates the tools when the skills of agents change, and notifies
// clients.
func (s *Server) toolsChanged() {
	if err := s.mcp.SetTools(withListing(s.bridge.Tools.List(), s.mcp.Icons)); err != nil {
		s.log.Error("updating the tools of agents", "err", err)
	}
}
