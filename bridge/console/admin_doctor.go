package console

import (
	"cmp"
	"errors"
	"net/http"

	"rialto/bridge/console/doctorreport"
	"rialto/bridge/operator"
	"rialto/internal/doctor"
	"rialto/templates"
)

// adminDoctor are the pages about the doctor.
type adminDoctor struct{ *Console }

func (c adminDoctor) doctorForm(r *http.Request) (*templates.Console, error) {
	foreign := param(r, "url")
	return c.doctorPage(cmp.Or(foreign, c.OAuth.Resource), checked(foreign == ""), nil), nil
}

func (c adminDoctor) doctorPage(address, login string, wrong templates.Text) *templates.Console {
	return &templates.Console{
		Title: "Doctor",
		Lead:  templates.Textf("Finds out why an app can't connect to an MCP server, and how to fix it."),
		Sections: []templates.Section{{ID: "doctor", Form: &templates.Form{
			Action: "/admin/doctor",
			Word:   "Run checks",
			Error:  wrong,
			Busy:   "Running the checks. This takes up to a minute.",
			Fields: []templates.Field{
				{
					Name:     "url",
					Kind:     "text",
					Label:    "Address of the MCP server",
					Value:    address,
					Required: true,
					Max:      2048,
					Bad:      wrong != nil,
					Help:     "This server, or any other. The checks send about a hundred requests.",
				},
				{
					Name:  "login",
					Kind:  "check",
					Label: "Test past the login, as me",
					Value: login,
					Help:  "At this server only. The checks get a token of your account for the tools, which ends with them.",
				},
			},
		}}},
	}
}

// examine runs the doctor on an address.
func (c adminDoctor) examine(f *form) error {
	address := doctor.Complete(f.Get("url"))
	login := f.Get("login")
	report, err := c.Admin.Examine(f.Context(), f.by, address, login != "")
	if refused, ok := errors.AsType[*operator.Error](err); ok {
		return f.show(c.doctorPage(address, login, say(refused)))
	}
	if err != nil {
		return err
	}

	p := c.doctorPage(address, login, nil)
	p.Sections = append(p.Sections, doctorreport.Sections(report)...)
	return f.show(p)
}
