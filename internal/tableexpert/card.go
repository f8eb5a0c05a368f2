package tableexpert

import "rialto/a2a"

// The ids of the skills.
const (
	skillSearch = "search"
	skillFetch  = "fetch"
	skillQuery  = "query_table_expert"
	skillSchema = "schema"
	skillPeek   = "peek"
)

// Card introduces the agent. Its interfaces are for whoever serves it to
// fill in.
func (e *Expert) Card() *a2a.Card {
	modes := []string{"text/plain", "application/json"}
	return &a2a.Card{
		Name:               "Table Expert",
		Description:        "Answers questions about tables, read-only: searches them, looks rows up, and runs SQL on them. The tables are " + e.catalog.list() + ".",
		Version:            "1.0.0",
		Capabilities:       a2a.Capabilities{Streaming: true},
		DefaultInputModes:  modes,
		DefaultOutputModes: modes,
		Skills:             e.skills(),
	}
}

func skillIDs() []string {
	return []string{skillSearch, skillFetch, skillQuery, skillSchema, skillPeek}
}

func (e *Expert) skills() []a2a.Skill {
	name := e.catalog.tables[0].Name
	return []a2a.Skill{
		{
			ID: skillSearch, Name: "Search the tables",
			Description: `Finds rows, tables and columns by words. Takes text, or data {"query": "…"}; returns {"results": [{"id", "title", "snippet"}]}, best first.`,
			Tags:        []string{"search", "read-only"}, Examples: []string{"hail Munich truck"},
		},
		{
			ID: skillFetch, Name: "Fetch a row or table",
			Description: `Returns one thing that search has found, with the rows that refer to it and that it refers to. Takes an id as text, or data {"id": "…"}; returns {"id", "title", "text", "metadata"}.`,
			Tags:        []string{"fetch", "read-only"}, Examples: []string{name + "/42", "table:" + name},
		},
		{
			ID: skillQuery, Name: "Query the tables",
			Description: `Runs one reading SQL statement (SQLite: SELECT, WITH … SELECT, VALUES, EXPLAIN QUERY PLAN), or tells what is known about the tables that a question names. Takes text, or data {"sql": "…", "limit": 200}; returns a table and {"sql", "columns", "rows", "row_count", "truncated"}.`,
			Tags:        []string{"sql", "analytics", "read-only"}, Examples: []string{"SELECT count(*) FROM " + name, "How many " + name + " are there?"},
		},
		{
			ID: skillSchema, Name: "Describe the tables",
			Description: `Lists tables, columns, types, keys and row counts. Takes nothing, or a table as text or data {"table": "…"}.`,
			Tags:        []string{"schema", "read-only"}, Examples: []string{"What tables are there?", name},
		},
		{
			ID: skillPeek, Name: "Peek into a table",
			Description: `Shows the first rows of a table. Takes its name as text, or data {"table": "…", "limit": 10}.`,
			Tags:        []string{"sample", "read-only"}, Examples: []string{name},
		},
	}
}
