package console

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"rialto/bridge/operator"
	"rialto/templates"
)

// adminSettings are the pages about the settings.
type adminSettings struct{ *Console }

// settingGroups names the groups of settings, by the first part of their keys.
var settingGroups = map[string]string{
	"":                "Server",
	"agents":          "Agents",
	"audit":           "Audit log",
	"brand":           "Appearance",
	"clients":         "Apps",
	"grpc":            "gRPC",
	"limits":          "Limits",
	"log":             "Log",
	"mcp":             "MCP",
	"metrics":         "Metrics",
	"push":            "Push notifications",
	"registration":    "Registration of apps",
	"sign_in":         "Sign-in",
	"tls":             "Certificate",
	"uploads":         "Uploads",
	"tokens":          "Tokens",
	"upstream_tokens": "Token issuers",
	"usage":           "Usage",
}

// sources says what sets a setting.
var sources = map[string]templates.Text{
	"":            templates.Textf("default"),
	"file":        templates.Badge(templates.Plain, "file"),
	"environment": templates.Badge(templates.Plain, "environment"),
	"flag":        templates.Badge(templates.Plain, "flag"),
	"computed":    templates.Badge(templates.Plain, "computed"),
}

// settings shows the settings in force: those that differ from their defaults, and the others in
// groups. Those of agents are on their own pages.
func (c adminSettings) settings(r *http.Request) (*templates.Console, error) {
	q := parseQuery(r, "text")
	text := strings.ToLower(q.get("text"))
	changed := settingSection("settings", "Different from the default")
	changed.Filter = q.filter(templates.Field{
		Name:  "text",
		Kind:  "search",
		Label: "Search settings",
		Hint:  "Search settings",
		Max:   128,
	})
	all := []templates.Section{changed}
	for _, s := range c.Admin.Settings() {
		group, name, grouped := strings.Cut(s.Key, ".")
		group, _, _ = strings.Cut(group, "[")
		if !grouped {
			group = ""
		}
		ofAgent := group == "agents"
		words := strings.ToLower(s.Key + "\n" + s.Value + "\n" + s.About)
		ofOwnPage := ofAgent && name != "name"
		if ofOwnPage || !strings.Contains(words, text) {
			continue
		}

		at := 0
		if ofAgent || s.Source == "" || s.Value == s.Default {
			id := "group-" + group
			at = slices.IndexFunc(all, func(s templates.Section) bool { return s.ID == id })
			if at < 0 {
				at = len(all)
				all = append(all, settingSection(id, cmp.Or(settingGroups[group], group)))
				all[at].Fold = text == ""
			}
		}
		all[at].Count++
		all[at].Table.Rows = append(all[at].Table.Rows, settingRow(group, s))
	}

	return &templates.Console{
		Title:    "Settings",
		Lead:     templates.Textf("Settings in force and where each comes from. Secrets aren't shown."),
		Sections: all,
	}, nil
}

func settingSection(id, title string) templates.Section {
	return templates.Section{ID: id, Title: title, Table: &templates.Table{
		Dense:   true,
		Columns: columns("Setting", "Value", "Source", "Takes effect"),
		Empty:   "Nothing matches.",
	}}
}

func settingRow(group string, s operator.Setting) templates.Entry {
	if group == "agents" {
		return templates.Entry{Cells: []templates.Text{
			agentLink(s.Value),
			templates.Textf("See the agent's page."),
			sources[s.Source],
			templates.Textf("on reload"),
		}}
	}

	value := templates.Code(s.Value)
	applies := templates.Textf("on restart")
	if s.Value == "" {
		value = templates.Verbatim("–")
	}
	if s.Source != "" && s.Default != "" && s.Default != s.Value {
		value = templates.Lines(value, templates.Textf("default {}", templates.Code(s.Default)))
	}
	if s.Live {
		applies = templates.Textf("on reload")
	}

	return templates.Entry{
		Cells: []templates.Text{
			templates.Lines(templates.Code(s.Key), templates.English(s.About)),
			value,
			sources[s.Source],
			applies,
		},
	}
}
