package static

import "encoding/json"

// The paths that browsers, phones and crawlers ask for at the root, whether or not a page names them.
const (
	Favicon   = "/favicon.ico"
	TouchIcon = "/apple-touch-icon.png"
	Manifest  = "/site.webmanifest"
	Robots    = "/robots.txt"
)

// icon is the logo of the operator, or else a file of ours.
func (b Brand) icon(name string) file {
	if own := files["logo.svg"]; b.logo.content == nil || b.logo.hash == own.hash {
		return files[name]
	}
	return b.logo
}

// manifest names the server where it is kept as an app (W3C, Web Application Manifest).
func (b Brand) manifest() file {
	type icon struct {
		Source string `json:"src"`
		Sizes  string `json:"sizes,omitempty"`
		Type   string `json:"type"`
	}
	icons := []icon{{Source: BrandLogo, Type: b.icon("logo.svg").contentType}}
	if icons[0].Type == "image/svg+xml" {
		icons[0].Sizes = "any"
	}

	content, err := json.Marshal(struct {
		Name  string `json:"name,omitempty"`
		Start string `json:"start_url"`
		Shown string `json:"display"`
		Icons []icon `json:"icons"`
	}{b.name, "/", "browser", icons})
	if err != nil {
		panic("static: " + err.Error()) // strings can be marshalled
	}
	return newFile(content, "application/manifest+json")
}
