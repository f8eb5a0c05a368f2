package server

import (
	"rialto/mcp"
	"rialto/oauth"
	"rialto/static"
)

// logo returns the icon that clients show beside the server and its tools
// (SEP-973, in revision 2025-11-25). It is on the server's own origin, as clients
// are to check (2025-11-25, basic, "Icons").
func logo(origin string, brand static.Brand) []mcp.Icon {
	address, kind := brand.Logo()
	icon := mcp.Icon{Src: origin + address, MIMEType: kind}
	if kind == "image/svg+xml" {
		icon.Sizes = []string{"any"}
	}
	return []mcp.Icon{icon}
}

// withListing adds what the list shows of each tool besides what it does: an icon,
// and which login it needs. ChatGPT reads that before it offers a tool, and asks
// for what is missing (its documentation on authentication, "securitySchemes").
func withListing(tools []mcp.Tool, icons []mcp.Icon) []mcp.Tool {
	for i := range tools {
		tools[i].Icons = icons
		tools[i].SecuritySchemes = []mcp.SecurityScheme{{Type: "oauth2", Scopes: []string{oauth.ScopeTools}}}
	}
	return tools
}

// toolsChanged has clients see the tools that the agents' skills make now.
func (s *Server) toolsChanged() {
	if err := s.mcp.SetTools(withListing(s.bridge.Tools(), s.mcp.Icons)); err != nil {
		s.log.Error("the tools of agents cannot be used", "err", err)
	}
}
