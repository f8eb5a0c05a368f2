package a2a

import "encoding/json"

// SkillForms is the URI of an extension with which a card describes the input of its skills: no
// generation of A2A has a member for it. Its params are {"skills": {ID: SkillForm}}. It requires
// nothing of callers: one that does not know it sends text.
const SkillForms = "urn:rialto:a2a:skill-forms:1"

// SkillForm describes the input of a skill.
type SkillForm struct {
	// Input is the JSON Schema, of an object, of the data that the skill takes.
	Input json.RawMessage `json:"input"`

	// ReadOnly says that the skill changes nothing.
	ReadOnly bool `json:"readOnly,omitempty"`
}

// SkillForm returns what the card says of the input of a skill, if it does.
func (c *Card) SkillForm(skill string) (form SkillForm, ok bool) {
	for _, e := range c.Capabilities.Extensions {
		if e.URI != SkillForms {
			continue
		}
		skills, _ := e.Params["skills"].(map[string]any)
		b, err := json.Marshal(skills[skill])
		if skills[skill] == nil || err != nil || json.Unmarshal(b, &form) != nil ||
			len(form.Input) == 0 {
			return SkillForm{}, false
		}
		return form, true
	}
	return SkillForm{}, false
}

// NewSkillForms returns the extension for a card that says it of some skills.
func NewSkillForms(forms map[string]SkillForm) Extension {
	skills := map[string]any{}
	for skill, form := range forms {
		skills[skill] = map[string]any{"input": form.Input, "readOnly": form.ReadOnly}
	}
	return Extension{
		URI:         SkillForms,
		Description: "The JSON Schema of the data that each skill takes.",
		Params:      Metadata{"skills": skills},
	}
}
