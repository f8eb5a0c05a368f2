package tableexpert

import (
	"encoding/json"

	"rialto/a2a"
)

// skillForms describes the data that each skill takes, for callers that make a form or a
// tool of a skill. Every skill also takes text. Forms without a required member have an example.
func (e *Expert) skillForms() a2a.Extension {
	table := e.catalog.tables[0].Name
	topic := map[string]string{}
	if len(e.curation.Topics) > 0 {
		topic["topic"] = e.curation.Topics[0].ID
	}
	return a2a.NewSkillForms(map[string]a2a.SkillForm{
		skillSearch: form(
			`"query": {"type": "string", "minLength": 1, "description": "Words to look for."}, `+topicForm,
			nil, "query",
		),
		skillFetch: form(
			`"id": {"type": "string", "minLength": 1, "description": "An id that search has found, such as claims/42 or table:claims."}`,
			nil, "id",
		),
		skillQuery: form(
			`"sql": {"type": "string", "description": "One SELECT (SQLite). The skills schema and peek describe the tables."},
			"question": {"type": "string", "description": "Instead of sql, a simple question in English or Spanish."}, `+
				limitForm("rows of the answer")+`, `+topicForm,
			map[string]string{"sql": "SELECT count(*) FROM " + table},
		),
		skillTopics: form(topicForm, topic),
		skillSchema: form(
			`"table": {"type": "string", "description": "Only this table."}, `+topicForm,
			map[string]string{"table": table},
		),
		skillExplain: form(
			`"sql": {"type": "string", "description": "One SELECT (SQLite)."},
			"question": {"type": "string", "description": "Instead of sql, a simple question."}, `+topicForm,
			map[string]string{"question": "How many " + table + " are there?"},
		),
		skillGold: form(topicForm, topic),
		skillPeek: form(
			`"table": {"type": "string", "minLength": 1, "description": "Name of the table."}, `+
				limitForm("rows to show"),
			nil, "table",
		),
	})
}

const topicForm = `"topic": {"type": "string", "description": "Keep to the tables of this topic, from discover_topics."}`

func limitForm(of string) string {
	return `"limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "At most so many ` + of + `."}`
}

// form returns the form of a skill that only reads. Its properties are JSON; an example without
// members is none.
func form(properties string, example map[string]string, required ...string) a2a.SkillForm {
	needs, _ := json.Marshal(append([]string{}, required...)) // strings always have a JSON form
	words := `"required": ` + string(needs)
	if len(example) > 0 {
		shown, _ := json.Marshal(example)
		words += `, "examples": [` + string(shown) + `]`
	}
	return a2a.SkillForm{ReadOnly: true, Input: json.RawMessage(
		`{"type": "object", "properties": {` + properties + `}, ` + words + `, "additionalProperties": false}`,
	)}
}
