// Package cardreport shows the card of an agent on a page: its skills, and how it has changed.
package cardreport

import (
	"strings"

	"rialto/bridge/directory"
	"rialto/templates"
)

// Skills shows the skills of a card.
func Skills(skills []directory.SkillInfo) templates.Section {
	t := &templates.Table{
		Columns: columns("Skill", "What it does", "Tags"),
		Empty:   "Its card names no skills.",
	}
	for _, s := range skills {
		t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{
			templates.Lines(templates.Verbatim(s.Name), templates.Code(s.ID)),
			templates.Verbatim(s.Description),
			templates.Verbatim(strings.Join(s.Tags, ", ")),
		}})
	}

	return templates.Section{ID: "skills", Title: "Skills", Table: t}
}

// Differences shows the differences of two cards side by side.
func Differences(list []directory.Difference) *templates.Table {
	t := &templates.Table{Columns: columns("Part", "Before", "New"), Empty: "No differences."}
	for _, d := range list {
		t.Rows = append(t.Rows, templates.Entry{
			Cells: []templates.Text{templates.Code(d.Path), member(d.Was), member(d.Is)},
		})
	}
	return t
}

func member(value string) templates.Text {
	if value == "" {
		return templates.Textf("not there")
	}
	return templates.Pre(value)
}

func columns(names ...string) (all []templates.Column) {
	for _, name := range names {
		all = append(all, templates.Column{Name: name})
	}
	return all
}
