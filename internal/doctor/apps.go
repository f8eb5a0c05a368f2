package doctor

import (
	"cmp"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
)

const (
	appsExtension = "io.modelcontextprotocol/ui"
	appType       = "text/html;profile=mcp-app"
	maxApps       = 5 // that are read
)

// linked returns the tools that have an app.
func (c *mcpClient) linked() []document {
	return slices.DeleteFunc(
		slices.Clone(c.tools().tools), func(t document) bool { return appOf(t) == "" },
	)
}

func appOf(tool document) string {
	meta := tool.object("_meta")
	return cmp.Or(meta.object("ui").text("resourceUri"), meta.text("ui/resourceUri"))
}

func needApps(v *examination) string {
	return need(len(v.mcp.linked()) > 0, "no tool has an app")
}

func checkAppsOffered(v *examination) finding {
	for _, where := range []string{"initialize", "server/discover"} {
		if d, ok := v.mcp.capabilities()[where]; ok &&
			d.object("extensions")[appsExtension] == nil {
			return fail("not in {}", where)
		}
	}
	return pass("they are")
}

// app is a document of an app, as it was read.
type appPage struct {
	uri, kind, html string
	csp             document
	err             error
}

// apps reads the apps of the tools, once.
func (c *mcpClient) apps() []appPage {
	if c.pages != nil {
		return c.pages
	}
	seen := map[string]bool{}
	for _, t := range c.linked() {
		uri := appOf(t)
		if seen[uri] || len(c.pages) == maxApps {
			continue
		}
		seen[uri] = true
		result, err := c.ask("resources/read", uri, map[string]any{"uri": uri})
		p := appPage{uri: uri, err: err}
		for _, content := range objects(result["contents"]) {
			p.kind = content.text("mimeType")
			p.html = content.text("text")
			p.csp = content.object("_meta").object("ui").object("csp")
			if raw, err := base64.StdEncoding.DecodeString(content.text("blob")); err == nil &&
				p.html == "" {
				p.html = string(raw)
			}
		}
		c.pages = append(c.pages, p)
	}
	return c.pages
}

func checkAppsResource(v *examination) finding {
	for _, p := range v.mcp.apps() {
		switch {
		case !strings.HasPrefix(p.uri, "ui://"):
			return fail("{} is no ui:// address", p.uri)
		case p.err != nil:
			return fail("{}: {}", p.uri, p.err)
		case strings.ReplaceAll(p.kind, " ", "") != appType || p.html == "":
			return fail("{} is \"{}\" with {} bytes", p.uri, p.kind, len(p.html))
		}
	}
	return pass("{} can", len(v.mcp.apps()))
}

func checkAppsLink(v *examination) finding {
	for _, t := range v.mcp.linked() {
		if m := t.object("_meta"); m.object("ui").text("resourceUri") != m.text("ui/resourceUri") {
			return fail("the tool \"{}\" has one", t.text("name"))
		}
	}
	return pass("they do")
}

// loads finds what a document loads when it is shown.
var loads = regexp.MustCompile(
	`(?i)(?:<(?:script|img|iframe|audio|video|source|embed)\b[^>]*\bsrc|<link\b[^>]*\bhref)` +
		`\s*=\s*["']?(https?:)?//([^/"'\s>]+)` +
		`|(?:@import\s+(?:url\()?|url\()\s*["']?(https?:)?//([^/"'\s)]+)`,
)

func checkAppsCSP(v *examination) finding {
	for _, p := range v.mcp.apps() {
		declared := append(p.csp.list("resourceDomains"), p.csp.list("frameDomains")...)
		for _, m := range loads.FindAllStringSubmatch(p.html, -1) {
			host := m[2] + m[4]
			if !slices.ContainsFunc(declared, func(d string) bool {
				return strings.HasSuffix(d, host) ||
					strings.HasPrefix(d, "https://*.") && strings.HasSuffix(host, d[9:])
			}) {
				return fail("{} loads something from {}", p.uri, host)
			}
		}
	}
	return pass("they do not")
}
