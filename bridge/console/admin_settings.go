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

// settings shows the settings in force, in groups, without those of agents, which are on their own pages.
func (c adminSettings) settings(r *http.Request) (*templates.Console, error) {
	q := parseQuery(r, "text", "changed")
	onlyChanged := q.get("changed") != ""
	t := &templates.Table{
		Dense:   true,
		Columns: columns("Setting", "Value", "Source", "Takes effect"),
	}
	groups := map[string][]templates.Entry{}
	order := []string{""}
	for _, s := range c.Admin.Settings() {
		group, name, grouped := strings.Cut(s.Key, ".")
		group, _, _ = strings.Cut(group, "[")
		if !grouped {
			group = ""
		}
		ofAgent := group == "agents" && name != "name"
		unchanged := s.Source == "" || s.Value == s.Default
		words := strings.ToLower(s.Key + "\n" + s.Value + "\n" + s.About)
		if ofAgent || !strings.Contains(words, strings.ToLower(q.get("text"))) {
			continue
		}
		if unchanged && onlyChanged {
			continue
		}
		if !slices.Contains(order, group) {
			order = append(order, group)
		}
		groups[group] = append(groups[group], settingRow(group, s))
	}

	for _, group := range order {
		if rows := groups[group]; len(rows) > 0 {
			rows[0].Group = cmp.Or(settingGroups[group], group)
			t.Rows = append(t.Rows, rows...)
		}
	}

	t.Total = total(len(t.Rows))
	filter := q.filter(templates.Field{
		Name:  "text",
		Kind:  "search",
		Label: "Search settings",
		Hint:  "Search settings",
		Max:   128,
	})
	if onlyChanged {
		filter.Hidden = hidden("changed", "yes")
		filter.Clear = ""
	}

	return &templates.Console{
		Title: "Settings",
		Lead:  templates.Textf("Settings in force and where each comes from. Secrets aren't shown."),
		Sections: []templates.Section{
			{ID: "settings", Table: q.pages(t, "", ""), Filter: filter, Ways: []templates.Way{
				{Href: "/admin/settings", Name: "All settings", Here: !onlyChanged},
				{Href: "/admin/settings?changed=yes", Name: "Changed settings", Here: onlyChanged},
			}},
		},
	}, nil
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
