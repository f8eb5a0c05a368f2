package mcp

// Icon is a picture that clients show beside a name.
type Icon struct {
	Src      string   `json:"src"` // an https: or data: URI
	MIMEType string   `json:"mimeType,omitempty"`
	Sizes    []string `json:"sizes,omitempty"` // as "48x48", or "any"
	Theme    string   `json:"theme,omitempty"` // "light", "dark", or "" for both
}
