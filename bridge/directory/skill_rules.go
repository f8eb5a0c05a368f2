package directory

import (
	"fmt"
	"strings"
)

// SkillLines writes what is to be known of skills as people write it in a line: the ID of the
// skill, "=", and its use cases with commas between. A skill that is for all has no line.
func SkillLines(skills []SkillRule) (lines []string) {
	for _, s := range skills {
		if len(s.UseCases) > 0 {
			lines = append(lines, s.ID+"="+strings.Join(s.UseCases, ","))
		}
	}
	return lines
}

// ParseSkills reads what SkillLines writes. Between use cases there may be spaces too, around
// everything; empty lines say nothing, and of a skill that is named again all use cases count.
func ParseSkills(lines []string) (skills []SkillRule, err error) {
	place := map[string]int{}
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		i := strings.LastIndex(line, "=")
		id := strings.TrimSpace(line[:max(i, 0)])
		cases := strings.FieldsFunc(
			line[i+1:], func(r rune) bool { return strings.ContainsRune(", \t", r) },
		)
		if id == "" || len(cases) == 0 {
			return nil, fmt.Errorf(
				"%q is not a skill with its use cases, such as peek=claims,law", line,
			)
		}
		n, again := place[id]
		if !again {
			n, place[id] = len(skills), len(skills)
			skills = append(skills, SkillRule{ID: id})
		}
		skills[n].UseCases = append(skills[n].UseCases, cases...)
	}
	return skills, nil
}
