package tableexpert

import (
	"encoding/json"

	"rialto/a2a"
)

// skillForms describes the data that each skill takes, for callers that make a form or a
// tool of a skill. Every skill also takes text.
func skillForms() a2a.Extension {
	return a2a.NewSkillForms(map[string]a2a.SkillForm{
		skillSearch: form(
			`"query": {"type": "string", "minLength": 1, "description": "Words to look for."}, `+topicForm,
			`"query"`,
		),
		skillFetch: form(
			`"id": {"type": "string", "minLength": 1, "description": "An id that search has found, such as claims/42 or table:claims."}`,
			`"id"`,
		),
		skillQuery: form(
			`"sql": {"type": "string", "description": "One SELECT (SQLite). The skills schema and peek describe the tables."},
			"question": {"type": "string", "description": "Instead of sql, a simple question in English or Spanish."}, `+
				limitForm("rows of the answer")+`, `+topicForm,
			``,
		),
		skillTopics: form(topicForm, ``),
		skillSchema: form(
			`"table": {"type": "string", "description": "Only this table."}, `+topicForm, ``,
		),
		skillExplain: form(`"sql": {"type": "string", "description": "One SELECT (SQLite)."},
			"question": {"type": "string", "description": "Instead of sql, a simple question."}, `+topicForm, ``),
		skillGold: form(topicForm, ``),
		skillPeek: form(
			`"table": {"type": "string", "minLength": 1, "description": "Name of the table."}, `+
				limitForm("rows to show"),
			`"table"`,
		),
	})
}

const topicForm = `"topic": {"type": "string", "description": "Keep to the tables of this topic, from discover_topics."}`

func limitForm(of string) string {
	return `"limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "At most so many ` + of + `."}`
}

func form(properties, required string) a2a.SkillForm {
	return a2a.SkillForm{ReadOnly: true, Input: json.RawMessage(
		`{"type": "object", "properties": {` + properties + `}, "required": [` + required + `], ` +
			`"additionalProperties": false}`,
	)}
}
