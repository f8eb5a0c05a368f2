package tableexpert

import "rialto/a2a"

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

// Card describes the agent. The server that serves it fills in the interfaces.
func (e *Expert) Card() *a2a.Card {
	modes := []string{"text/plain", "application/json"}
	return &a2a.Card{
		Name:        "Table Expert",
		Description: "Runs SQL on tables, read-only, searches them and looks rows up. Send one SELECT; the skills schema and peek describe the tables. The tables are " + e.catalog.list() + ".",
		Version:     "1.0.0",
		Capabilities: a2a.Capabilities{
			Streaming:  true,
			Extensions: []a2a.Extension{e.skillForms()},
		},
		DefaultInputModes:  modes,
		DefaultOutputModes: modes,
		Skills:             e.skills(),
	}
}

func skillIDs() []string {
	return []string{
		skillSearch,
		skillFetch,
		skillQuery,
		skillTopics,
		skillSchema,
		skillExplain,
		skillGold,
		skillPeek,
	}
}

func (e *Expert) skills() []a2a.Skill {
	name := e.catalog.tables[0].Name
	return []a2a.Skill{
		{
			ID:          skillSearch,
			Name:        "Search the tables",
			Description: `Finds rows, tables and columns by words. Takes {"query": "…"}; returns {"results": [{"id", "title", "snippet"}]}, best first.`,
			Tags:        []string{"search", "read-only"},
			Examples:    []string{"hail Munich truck"},
		},
		{
			ID:          skillFetch,
			Name:        "Fetch a row or table",
			Description: `Returns one thing that search has found, with the rows that refer to it and that it refers to. Takes {"id": "…"}; returns {"id", "title", "text", "metadata"}.`,
			Tags: []string{
				"fetch",
				"read-only",
			},
			Examples: []string{name + "/42", "table:" + name},
		},
		{
			ID:          skillQuery,
			Name:        "Query the tables",
			Description: `Runs one reading SQL statement (SQLite: SELECT, WITH … SELECT, VALUES). Send SQL: the skills "schema" and "peek" tell the tables, columns and first rows. A simple question in English or Spanish is taken, too; one that could be misread is asked back with the schema. Takes {"sql": "…", "limit": 200} or {"question": "…"}; returns a table and {"sql", "columns", "rows", "row_count", "truncated"}.`,
			Tags: []string{
				"sql",
				"analytics",
				"read-only",
			},
			Examples: []string{"SELECT count(*) FROM " + name, "How many " + name + " are there?"},
		},
		{
			ID:          skillTopics,
			Name:        "Discover topics",
			Description: `Lists the topics that the tables belong to, and which of them is the caller's. Takes nothing, or {"topic": "…"}; returns {"topics": [{"id", "title", "description", "tables"}], "selected"}. The other skills take one as "topic".`,
			Tags: []string{
				"topics",
				"read-only",
			},
			Examples: []string{"What is there to ask about?"},
		},
		{
			ID:          skillSchema,
			Name:        "Describe the tables",
			Description: `Lists tables, columns, types, keys and row counts. Takes nothing, or {"table": "…"}.`,
			Tags: []string{
				"schema",
				"read-only",
			},
			Examples: []string{"What tables are there?", name},
		},
		{
			ID:          skillExplain,
			Name:        "Explain a query",
			Description: `Says what a question or statement would do, without doing it. Takes {"question": "…"} or {"sql": "…"}; returns {"sql", "read_as", "plan"}.`,
			Tags: []string{
				"sql",
				"explain",
				"read-only",
			},
			Examples: []string{"How many " + name + " are there?"},
		},
		{
			ID:          skillGold,
			Name:        "List the tables to rely on",
			Description: `Lists the tables that are ready to be relied on, with their topics. Takes nothing, or {"topic": "…"}; returns {"tables": [{"id", "name", "description", "row_count", "topics"}]}.`,
			Tags: []string{
				"schema",
				"read-only",
			},
			Examples: []string{"Which tables are ready to use?"},
		},
		{
			ID:          skillPeek,
			Name:        "Peek into a table",
			Description: `Shows the first rows of a table. Takes {"table": "…", "limit": 10}.`,
			Tags:        []string{"sample", "read-only"},
			Examples:    []string{name},
		},
	}
}
