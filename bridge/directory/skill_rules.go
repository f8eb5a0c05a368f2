package directory

import (
	"fmt"
	"strings"
)

// SkillLines formats rules for people, one on a line: peek=claims,law. A skill without use
// cases is for everybody and has no line.
func SkillLines(rules []SkillRule) (lines []string) {
	for _, r := range rules {
		if len(r.UseCases) > 0 {
			lines = append(lines, r.ID+"="+strings.Join(r.UseCases, ","))
		}
	}
	return lines
}

// ParseSkills parses the lines of SkillLines. It skips empty lines, takes spaces between use
// cases, and joins the lines of one skill.
func ParseSkills(lines []string) (rules []SkillRule, err error) {
	index := map[string]int{} // skill: the position of its rule
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		id, useCases, err := parseSkill(line)
		if err != nil {
			return nil, err
		}

		i, known := index[id]
		if !known {
			i = len(rules)
			index[id] = i
			rules = append(rules, SkillRule{ID: id})
		}
		rules[i].UseCases = append(rules[i].UseCases, useCases...)
	}

	return rules, nil
}

// parseSkill parses one line. The ID of a skill may contain an equals sign.
func parseSkill(line string) (id string, useCases []string, err error) {
	i := max(strings.LastIndexByte(line, '='), 0)
	id = strings.TrimSpace(line[:i])
	useCases = strings.FieldsFunc(line[i:], func(r rune) bool { return strings.ContainsRune("=, \t", r) })
	if id == "" || len(useCases) == 0 {
		return "", nil, fmt.Errorf("%q is not a skill with its use cases, such as peek=claims,law", line)
	}
	return id, useCases, nil
}
