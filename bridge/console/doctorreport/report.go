// Package doctorreport shows what the doctor found as the sections of a page: the verdict with what to
// do, the other causes, and each check. It examines nothing: package operator does, and package console
// serves the page.
package doctorreport

import (
	"strconv"
	"strings"

	"rialto/internal/doctor"
	"rialto/templates"
)

// Sections shows a report: the verdict, the other causes, and the other failures. What follows from
// a cause, passed or was not tried is folded.
func Sections(r *doctor.Report) []templates.Section {
	sections := []templates.Section{{ID: "report", Verdict: verdict(r, r.Verdict)}}
	if r.Account != "" {
		sections[0].Notes = []templates.Remark{{Tone: templates.Good, Text: templates.Textf(
			"Tested past the login as {}. The token of these checks has ended.", r.Account,
		)}}
	}
	for i, c := range r.Causes {
		if i > 0 {
			sections = append(
				sections, templates.Section{ID: "cause-" + c.ID, Verdict: verdict(r, c)},
			)
		}
		if list := r.Of(c.ID); !r.Absent() {
			sections = appendChecks(sections, "because-"+c.ID, "Caused by this", list, true)
		}
	}
	sections = appendChecks(sections, "other", "Other findings", r.Of(""), false)
	if !r.Absent() {
		sections = appendRest(sections, r)
	}

	var text strings.Builder
	_ = r.WriteText(&text, true, doctor.Status.Mark) // a Builder takes all
	return append(sections, templates.Section{
		ID:    "text",
		Title: "Report as text",
		Fold:  true,
		Pages: []templates.Block{{Text: text.String(), Copy: "report-text"}},
	})
}

// appendRest appends the checks that passed, and those that were not tried.
func appendRest(sections []templates.Section, r *doctor.Report) []templates.Section {
	sections = appendChecks(sections, "passed", "Passed", r.With(doctor.Passed), true)
	if untried := r.With(doctor.Skipped); len(untried) > 0 {
		sections = appendChecks(sections, "untried", "Not tried", untried, true)
		sections[len(sections)-1].Lead = templates.Textf(
			"These checks need a login, or something that this server doesn't offer. Each check says why.",
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
			{Name: "Expected", Value: templates.Textf(result.Expected)},
			{Name: "Got", Value: got(result)},
			{Name: "Fix", Value: templates.Textf(result.Fix)},
		}
		if len(result.Breaks) > 0 {
			affected := templates.Verbatim(doctor.Names(result.Breaks))
			step.Facts = append(step.Facts, templates.Fact{Name: "Affects", Value: affected})
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
