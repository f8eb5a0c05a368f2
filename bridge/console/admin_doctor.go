package console

import (
	"errors"
	"net/http"
	"strconv"

	"rialto/bridge/operator"
	"rialto/internal/doctor"
	"rialto/templates"
)

// adminDoctor are the pages about the doctor.
type adminDoctor struct{ *Console }

func (c adminDoctor) doctorForm(*http.Request) (*templates.Console, error) {
	return c.doctorPage(c.OAuth.Resource, nil), nil
}

func (c adminDoctor) doctorPage(address string, wrong templates.Text) *templates.Console {
	return &templates.Console{
		Title: "Doctor",
		Lead:  templates.Textf("Says why an app cannot use an MCP server, and what to do."),
		Sections: []templates.Section{{ID: "doctor", Form: &templates.Form{
			Action: "/admin/doctor",
			Word:   "Run checks",
			Error:  wrong,
			Busy:   "Examining. It takes up to a minute.",
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
	p.Sections = append(
		p.Sections,
		reportSections(report)...) // below the form, which is found again there
	return f.show(p)
}

// reportSections shows a report: the verdict, the other causes, and the other failures. What follows from
// a cause, passed or was not tried is folded.
func reportSections(r *doctor.Report) []templates.Section {
	sections := []templates.Section{{ID: "report", Verdict: verdict(r, r.Verdict)}}
	for i, c := range r.Causes {
		if i > 0 {
			sections = append(
				sections, templates.Section{ID: "cause-" + c.ID, Verdict: verdict(r, c)},
			)
		}
		if list := r.Of(c.ID); !r.Absent() {
			sections = appendChecks(sections, "because-"+c.ID, "Failed because of it", list, true)
		}
	}
	sections = appendChecks(sections, "other", "Other findings", r.Of(""), false)
	if r.Absent() {
		return sections
	}
	sections = appendChecks(sections, "passed", "Passed", r.With(doctor.Passed), true)
	if untried := r.With(doctor.Skipped); len(untried) > 0 {
		sections = appendChecks(sections, "untried", "Not tried", untried, true)
		sections[len(sections)-1].Lead = templates.Textf(
			"These checks need a login, or something that this server does not offer. Each check says why.",
		)
	}
	return sections
}

func verdict(r *doctor.Report, cause doctor.Cause) *templates.Verdict {
	v := &templates.Verdict{
		Tone:  templates.Bad,
		Mark:  doctor.Failed.Mark(),
		Text:  templates.Sentence(&cause.Text),
		Check: cause.Check,
	}
	switch cause.ID {
	case doctor.Works:
		v.Tone, v.Mark = templates.Good, doctor.Passed.Mark()
	case doctor.Unfinished:
		v.Tone, v.Mark = templates.Note, doctor.Skipped.Mark()
	}
	if cause.Do.Key != "" {
		v.Do = templates.Sentence(&cause.Do)
	}
	for i, s := range cause.Lines {
		block := templates.Block{Text: s.Text, Copy: cause.ID + "-" + strconv.Itoa(i)}
		if s.For != "" {
			block.Title = templates.Verbatim(s.For)
		}
		v.Lines = append(v.Lines, block)
	}
	if cause.ID == r.Verdict.ID && !r.Absent() && len(r.Stops) > 0 {
		v.Apps = apps(r.Stops)
	}
	return v
}

func apps(clients []doctor.Client) templates.Text {
	badges := []templates.Text{templates.Textf("Cannot connect:")}
	for _, c := range clients {
		badges = append(badges, templates.Badge(templates.Bad, c.Name()))
	}
	return templates.Row(badges...)
}

func appendChecks(
	sections []templates.Section,
	id, title string,
	results []doctor.Result,
	fold bool,
) []templates.Section {
	if len(results) == 0 {
		return sections
	}
	s := templates.Section{
		ID:    id,
		Title: title,
		Count: len(results),
		Fold:  fold,
	}
	for _, result := range results {
		s.Steps = append(s.Steps, finding(result))
	}
	return append(sections, s)
}

func finding(result doctor.Result) templates.Step {
	step := templates.Step{
		Mark:  result.Status.Mark(),
		Title: templates.Textf(result.Title),
		Tone:  templates.Plain,
	}
	switch {
	case result.Status == doctor.Passed:
		step.Tone = templates.Good
	case result.Status == doctor.Skipped || result.Cause != "":
		step.Sub = got(result)
	default:
		step.Tone = templates.Bad
		if result.Minor || len(result.Breaks) == 0 {
			step.Tone = templates.Note
			step.Mark = "!"
		}
		step.Facts = []templates.Fact{
			fact("Expected", templates.Textf(result.Expected)),
			fact("Got", got(result)),
			fact("Fix", templates.Textf(result.Fix)),
		}
		if len(result.Breaks) > 0 {
			step.Facts = append(
				step.Facts, fact("Affects", templates.Verbatim(doctor.Names(result.Breaks))),
			)
		}
	}
	return step
}

// got is what came, as a sentence that can be translated.
func got(result doctor.Result) templates.Text {
	if result.Sentence.Key == "" {
		return templates.Verbatim(result.Got)
	}
	return templates.Sentence(&result.Sentence)
}
