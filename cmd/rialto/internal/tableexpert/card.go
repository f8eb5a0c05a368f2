package tableexpert

import (
	_ "embed" // for skills.json
	"encoding/json"
	"strings"

	"rialto/a2a"
)

// The ids of the skills.
const (
	skillSearch  = "search"
	skillFetch   = "fetch"
	skillQuery   = "query_table_expert"
	skillSchema  = "schema"
	skillPeek    = "peek"
	skillTopics  = "discover_topics"
	skillExplain = "explain"
	skillGold    = "list_gold"
)

//go:embed skills.json
var skillsFile string

// skill is a skill with the JSON Schema of the data that it takes, for callers that make a form or
// a tool of a skill. Every skill also takes text.
type skill struct {
	a2a.Skill
	Input json.RawMessage
}

// skills returns the skills, with examples about a table and a topic.
func skills(table, topic string) (all []skill) {
	file := strings.NewReplacer("{TABLE}", escaped(table), "{TOPIC}", escaped(topic)).Replace(skillsFile)
	if err := json.Unmarshal([]byte(file), &all); err != nil {
		panic("tableexpert: skills.json: " + err.Error())
	}
	return all
}

// escaped returns a text as it stands in a JSON string.
func escaped(s string) string {
	b, _ := json.Marshal(s) // a string always has a JSON form
	return string(b[1 : len(b)-1])
}

func skillIDs() []string {
	return mapped(skills("", ""), func(s skill) string { return s.ID })
}

// Card describes the agent. The server that serves it fills in the interfaces.
func (e *Expert) Card() *a2a.Card {
	var listed []a2a.Skill
	forms := map[string]a2a.SkillForm{}
	for _, s := range skills(e.catalog.tables[0].Name, e.curation.Topics[0].ID) {
		listed = append(listed, s.Skill)
		forms[s.ID] = a2a.SkillForm{ReadOnly: true, Input: s.Input}
	}

	modes := []string{"text/plain", "application/json"}
	return &a2a.Card{
		Name: "Table Expert",
		Description: "Runs SQL on tables, read-only, searches them and looks rows up. " +
			"Send one SELECT; the skills schema and peek describe the tables. " +
			"The tables are " + e.catalog.list() + ".",
		Version: "1.0.0",
		Capabilities: a2a.Capabilities{
			Streaming:  true,
			Extensions: []a2a.Extension{a2a.NewSkillForms(forms)},
		},
		DefaultInputModes:  modes,
		DefaultOutputModes: modes,
		Skills:             listed,
	}
}
