package console

import (
	"net/http"

	"rialto/templates"
)

// adminSettings are the pages about the settings.
type adminSettings struct{ *Console }

func (c adminSettings) routes() []route {
	a := adminArea
	return []route{
		{"/admin/settings", c.show(a, c.settings), nil},
	}
}

// settings shows the settings in force. The service masks secrets.
func (c adminSettings) settings(*http.Request) (templates.Console, error) {
	t := &templates.Table{Columns: []templates.Column{{Name: "Setting"}, {Name: "Value"}}}
	for _, s := range c.Admin.Settings() {
		t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{templates.Code(s.Key), templates.Code(s.Value)}})
	}
	return templates.Console{
		Title: "Settings", Lead: templates.Say("What is in force, from the file, the environment and the flags. Secrets are not shown."),
		Sections: []templates.Section{{ID: "settings", Table: t}},
	}, nil
}
