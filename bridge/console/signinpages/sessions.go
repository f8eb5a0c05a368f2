package signinpages

import (
	"net/http"
	"net/url"
	"strings"

	"rialto/templates"
)

// Sessions shows where the user is signed in.
func (c Pages) Sessions(r *http.Request) (*templates.Console, error) {
	all, own, err := c.OAuth.Pages.OwnSessions(r)
	if err != nil {
		return nil, err
	}
	t := &templates.Table{Columns: columns("Browser", "Network", "Signed in", "Last seen")}
	for _, s := range all {
		row := templates.Entry{
			Cells: []templates.Text{
				browserName(s.UserAgent),
				templates.Verbatim(s.Network),
				c.when(s.Created),
				c.when(s.Seen),
			},
			Actions: []templates.Button{{
				Action: "/account/sessions/end",
				Word:   "Sign out",
				Hidden: byID(s.Hash),
			}},
		}
		if s.Hash == own {
			row.Cells[0] = templates.Row(row.Cells[0], templates.Badge(templates.Good, "This browser"))
			row.Actions = nil
		}
		t.Rows = append(t.Rows, row)
	}

	p := &templates.Console{
		Title: "Sessions",
		Lead: templates.Textf(
			"Browsers where you are signed in. If you don't recognize one, sign it out and change your password.",
		),
		Sections: []templates.Section{
			{
				ID:    "sessions",
				Table: t,
			},
		},
	}
	if len(all) > 1 {
		p.Actions = []templates.Button{
			{
				Action: "/account/sessions/end-others",
				Word:   "Sign out all others",
				Grave:  true,
			},
		}
	}
	return p, nil
}

// EndSession signs another browser out.
func (c Pages) EndSession(
	_ http.ResponseWriter, r *http.Request, values url.Values,
) (Result, error) {
	err := c.OAuth.Pages.EndOwnSession(r, values.Get("id"))
	return Result{To: sessionsPath, Done: "session"}, err
}

// EndOtherSessions signs all other browsers out.
func (c Pages) EndOtherSessions(
	_ http.ResponseWriter, r *http.Request, _ url.Values,
) (Result, error) {
	return Result{To: sessionsPath, Done: "sessions"}, c.OAuth.Pages.EndOtherSessions(r)
}

// Words of User-Agent headers and the names of their browsers. The first that matches counts: Edge also
// calls itself Chrome, and all call themselves Safari.
const (
	browsers = "Edg/Edge OPR/Opera Firefox/Firefox FxiOS/Firefox Chrome/Chrome CriOS/Chrome Safari/Safari"
	systems  = "iPhone/iPhone iPad/iPad Android/Android Windows/Windows Macintosh/macOS CrOS/ChromeOS Linux/Linux"
)

// browserName says in words which browser a User-Agent header names.
func browserName(agent string) templates.Text {
	browser := firstNamed(agent, browsers)
	system := firstNamed(agent, systems)
	switch {
	case browser == "":
		return templates.Textf("Another browser")
	case system == "":
		return templates.Verbatim(browser)
	}
	return templates.Textf("{} on {}", browser, system)
}

func firstNamed(agent, marks string) string {
	for pair := range strings.FieldsSeq(marks) {
		mark, name, _ := strings.Cut(pair, "/")
		if strings.Contains(agent, mark) {
			return name
		}
	}
	return ""
}
