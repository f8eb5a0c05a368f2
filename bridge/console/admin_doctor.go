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
	return c.doctorPage(cmp.Or(param(r, "url"), c.OAuth.Resource), nil), nil
}

func (c adminDoctor) doctorPage(address string, wrong templates.Text) *templates.Console {
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
			},
		}}},
	}
}

// examine runs the doctor on an address.
func (c adminDoctor) examine(f *form) error {
	address := doctor.Complete(f.Get("url"))
	report, err := c.Admin.Examine(f.Context(), address)
	if refused, ok := errors.AsType[*operator.Error](err); ok {
		return f.show(c.doctorPage(address, say(refused)))
	}
	if err != nil {
		return err
	}

	p := c.doctorPage(address, nil)
	p.Sections = append(p.Sections, doctorreport.Sections(report)...)
	return f.show(p)
}
