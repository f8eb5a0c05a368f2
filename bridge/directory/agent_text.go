package directory

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
)

// SetText sets the member with a name in JSON from the text of a form: "yes" is true, words make a
// list, lines the rules of skills. An empty text is the zero value.
func (a *AgentConfig) SetText(member, text string) (err error) {
	field := a.field(member)
	field.SetZero()
	text = strings.TrimSpace(text)
	switch to := field.Addr().Interface().(type) {
	case *bool:
		*to = text == "yes"
	case *[]string:
		*to = strings.Fields(text)
	case *[]SkillRule:
		*to, err = ParseSkills(strings.Split(text, "\n"))
	case encoding.TextUnmarshaler:
		if text != "" {
			err = to.UnmarshalText([]byte(text))
		}
	default:
		field.SetString(text)
	}

	return err
}

// Text returns what SetText reads.
func (a AgentConfig) Text(member string) string {
	field := a.field(member)
	switch value := field.Interface().(type) {
	case bool:
		if value {
			return "yes"
		}
		return ""
	case []string:
		return strings.Join(value, " ")
	case []SkillRule:
		return strings.Join(SkillLines(value), "\n")
	default:
		if field.IsZero() {
			return ""
		}
		return fmt.Sprint(value)
	}
}

// field returns the field with a name in JSON. It panics if there is none.
func (a *AgentConfig) field(member string) reflect.Value {
	fields := reflect.ValueOf(a).Elem()
	for i := range fields.NumField() {
		name, _, _ := strings.Cut(fields.Type().Field(i).Tag.Get("json"), ",")
		if name == member {
			return fields.Field(i)
		}
	}
	panic("an agent has no setting " + member)
}
