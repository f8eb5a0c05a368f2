package server

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rialto/cmd/rialto/internal/config"
	"rialto/mcp"
	"rialto/oauth"
)

// ChatGPT reads which login a tool needs from the tool, or from its _meta where
// a parser between has dropped what the specification does not know.
func TestToolsSayWhichLoginTheyNeed(t *testing.T) {
	r := newRig(t)
	var got struct {
		Result struct {
			Tools []struct {
				Name            string
				SecuritySchemes []mcp.SecurityScheme
				Meta            struct{ SecuritySchemes []mcp.SecurityScheme } `json:"_meta"`
			}
		}
	}
	r.do("POST", "/mcp", r.token("alice", oauth.ScopeTools), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).decode(t, &got)
	if len(got.Result.Tools) < 8 {
		t.Fatalf("got %d tools", len(got.Result.Tools))
	}
	for _, tool := range got.Result.Tools {
		for where, schemes := range map[string][]mcp.SecurityScheme{"securitySchemes": tool.SecuritySchemes, "_meta": tool.Meta.SecuritySchemes} {
			if len(schemes) != 1 || schemes[0].Type != "oauth2" || !slices.Equal(schemes[0].Scopes, []string{oauth.ScopeTools}) {
				t.Errorf("%s: got %v in %s, want oauth2 with the scope of the tools", tool.Name, schemes, where)
			}
		}
	}
}

// Clients ask a person before they call a tool that may destroy something, and show the icon of the
// server.
func TestToolsSayWhatTheyMayDoAndTheServerShowsTheLogo(t *testing.T) {
	r := newRig(t)
	type icon struct{ Src, MIMEType string }
	var got struct {
		Result struct {
			Tools []struct {
				Name        string
				Annotations struct{ ReadOnlyHint, DestructiveHint, OpenWorldHint bool }
			}
		}
	}
	token := r.token("alice", oauth.ScopeTools)
	r.do("POST", "/mcp", token, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).decode(t, &got)
	for _, tool := range got.Result.Tools {
		destroys := tool.Name == "send_task" || tool.Name == "cancel_task"
		changes := destroys || tool.Name == "request_upload"
		if a := tool.Annotations; a.DestructiveHint != destroys || a.ReadOnlyHint == changes {
			t.Errorf("%s: got %+v, want that it may destroy something to be %v", tool.Name, a, destroys)
		}
	}
	var init struct {
		Result struct{ ServerInfo struct{ Icons []icon } }
	}
	r.do("POST", "/mcp", token, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`).decode(t, &init)
	if icons := init.Result.ServerInfo.Icons; len(icons) != 1 || !strings.HasPrefix(icons[0].Src, r.cfg.Load().URL+"/") {
		t.Fatalf("got %v, want one icon on the server's own origin", icons)
	}
	logo := r.do("GET", strings.TrimPrefix(init.Result.ServerInfo.Icons[0].Src, r.cfg.Load().URL), "", "")
	if logo.status != 200 || logo.header.Get("Content-Type") != init.Result.ServerInfo.Icons[0].MIMEType || !strings.HasPrefix(logo.body, "<svg") {
		t.Errorf("got %d %s %.40q, want the logo", logo.status, logo.header.Get("Content-Type"), logo.body)
	}
}

// A client shows the operator's logo where there is one, as the pages do.
func TestClientsShowTheLogoOfTheOperator(t *testing.T) {
	const own = `<svg xmlns="http://www.w3.org/2000/svg"/>`
	path := filepath.Join(t.TempDir(), "logo.svg")
	if err := os.WriteFile(path, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRigWith(t, func(c *config.Config) { c.Brand.Logo = path })
	icon := r.Server.mcp.Info.Icons[0]
	if got := r.do("GET", strings.TrimPrefix(icon.Src, r.cfg.Load().URL), "", ""); got.body != own || got.header.Get("Content-Type") != icon.MIMEType {
		t.Errorf("got %d %s %.60q at %s", got.status, got.header.Get("Content-Type"), got.body, icon.Src)
	}
}
