package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"rialto/bridge/operator"
	"rialto/internal/doctor"
	"rialto/templates"
)

// adminDoctor are the pages about the doctor.
type adminDoctor struct{ *Console }

func (c adminDoctor) routes() []route {
	a := adminArea
	return []route{
		{"/admin/doctor", c.show(a, c.doctorForm), c.slowly(a, c.examine)},
	}
}

// examination bounds forms that wait for other servers.
const examination = 100 * time.Second

func (c adminDoctor) doctorForm(*http.Request) (templates.Console, error) {
	return *c.doctorPage(c.OAuth.Resource, nil), nil
}

func (c adminDoctor) doctorPage(address string, wrong templates.Text) *templates.Console {
	return &templates.Console{
		Title: "Doctor", Lead: templates.Say("Checks an MCP server from outside, as chat apps see it, and reports what breaks which app."),
		Sections: []templates.Section{{ID: "doctor", Form: &templates.Form{
			Action: "/admin/doctor", Word: "Examine", Error: wrong,
			Fields: []templates.Field{{Name: "url", Kind: "url", Label: "Address of the connector", Value: address, Required: true, Max: 2048, Bad: wrong != nil, Help: templates.Say("Yours, or another. It takes up to a minute, and about a hundred requests.")}},
		}}},
	}
}

// slowly serves a form that may take as long as examination.
func (c *Console) slowly(a area, d formAction) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), examination)
		defer cancel()
		c.answer(w, r.WithContext(ctx), a, d)
	}
}

// examine runs the doctor on an address.
func (c adminDoctor) examine(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	address := strings.TrimSpace(f.Get("url"))
	report, err := c.Admin.Examine(r.Context(), address)
	if refused, ok := errors.AsType[*operator.Error](err); ok {
		return "", c.doctorPage(address, say(refused)), nil
	}
	if err != nil {
		return "", nil, err
	}
	p := c.doctorPage(address, nil)
	p.Sections = append(p.Sections, findings(report)) // below the form, which is found again there
	return "", p, nil
}

// findings shows a report, the failed checks first.
func findings(report *doctor.Report) templates.Section {
	s := templates.Section{ID: "report", Title: "What the doctor found"}
	verdict := templates.Remark{Tone: templates.Good, Text: templates.Say("Everything that was looked at is in order.")}
	if !report.Healthy() {
		verdict = templates.Remark{Tone: templates.Bad, Text: templates.Say("Something is wrong with {}.", report.URL)}
	}
	s.Notes = []templates.Remark{verdict}
	if report.CutShort {
		s.Notes = append(s.Notes, templates.Remark{Tone: templates.Note, Text: templates.Say("The examination was cut short.")})
	}
	for _, status := range []doctor.Status{doctor.Failed, doctor.Passed, doctor.Skipped} {
		for _, result := range report.Results {
			if result.Status == status {
				s.Steps = append(s.Steps, finding(result))
			}
		}
	}
	return s
}

func finding(result doctor.Result) templates.Step {
	step := templates.Step{Mark: result.Status.Mark(), Title: templates.Say(result.Title), Tone: templates.Plain}
	switch result.Status {
	case doctor.Passed:
		step.Tone = templates.Good
	case doctor.Failed:
		step.Tone = templates.Bad
		step.Facts = []templates.Fact{
			{Name: "Expected", Value: templates.Say(result.Expected)},
			{Name: "Came", Value: got(result)},
			{Name: "Breaks", Value: breaks(result.Breaks)},
			{Name: "To mend it", Value: templates.Say(result.Fix)},
		}
	}
	return step
}

// got is what came, as a sentence that can be translated.
func got(result doctor.Result) templates.Text {
	if result.GotKey == "" {
		return templates.Data(result.Got)
	}
	return templates.Say(result.GotKey, result.GotValues...)
}

func breaks(clients []doctor.Client) templates.Text {
	if len(clients) == 0 {
		return templates.Say("no app that is known")
	}
	names := make([]string, len(clients))
	for i, c := range clients {
		names[i] = string(c)
	}
	return templates.Data(strings.Join(names, ", "))
}
