package tableexpert_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/cmd/rialto/internal/tableexpert"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox/sqlboxtest"
)

func TestTheCardNamesTheSkills(t *testing.T) {
	card := builtIn(t).Card()
	var ids []string
	for _, s := range card.Skills {
		ids = append(ids, s.ID)
	}
	if want := []string{"search", "fetch", "query_table_expert", "discover_topics", "schema", "explain", "list_gold", "peek"}; !slices.Equal(ids, want) {
		t.Errorf("got skills %q, want %q", ids, want)
	}
	if card.Name != "Table Expert" || !card.Capabilities.Streaming || len(card.Interfaces) != 0 {
		t.Errorf("got %+v", card)
	}
}

func TestSearchFindsRowsAndTables(t *testing.T) {
	e := builtIn(t)
	type results struct {
		Results []struct{ ID, Title, Snippet string }
	}
	for _, c := range []struct{ name, query, want string }{
		{"a code finds its row", "Customer 01042", "customers/1042"},
		{"a number finds its row", "C-2025-001042", "claims/"},
		{"a table's name finds the table", "claims", "table:claims"},
		{"a column's name finds the table", "deductible_cents", "table:policies"},
		{"words together beat words apart", "truck Scania 2013", "vehicles/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			query := c.query
			if strings.HasPrefix(query, "C-") {
				query = fmt.Sprint(answer[rows](t, e, text("", "SELECT number FROM claims WHERE id=1042")).Rows[0][0])
			}
			got := answer[results](t, e, data("search", fmt.Sprintf(`{"query": %q}`, query)))
			if len(got.Results) == 0 || !strings.HasPrefix(got.Results[0].ID, c.want) {
				t.Fatalf("got %+v, want %s first", got.Results, c.want)
			}
			again := answer[results](t, e, text("search", query))
			if !slices.Equal(got.Results, again.Results) {
				t.Error("got other results for the same query")
			}
			fetched := answer[map[string]any](t, e, data("fetch", fmt.Sprintf(`{"id": %q}`, got.Results[0].ID)))
			if fetched["id"] != got.Results[0].ID {
				t.Errorf("fetched %v, want what was found", fetched["id"])
			}
		})
	}
	got := answer[results](t, e, text("search", "xyzzy"))
	if got.Results == nil || len(got.Results) != 0 {
		t.Errorf("got %+v, want an empty list", got.Results)
	}
}

func TestFetchShowsARowWithWhatBelongsToIt(t *testing.T) {
	e := builtIn(t)
	type document struct {
		ID, Title, Text string
		Metadata        struct {
			Table   string
			Fields  map[string]any
			Related []string
		}
	}
	claim := answer[document](t, e, text("fetch", "claims/1"))
	contains(t, claim.Text, "claims 1\n", "cause: ", "Related policies:", "Related vehicles:")
	if claim.Metadata.Table != "claims" || claim.Metadata.Fields["id"] != float64(1) {
		t.Errorf("got metadata %+v", claim.Metadata)
	}
	policy := claim.Metadata.Related[slices.IndexFunc(claim.Metadata.Related, func(id string) bool { return strings.HasPrefix(id, "policies/") })]
	got := answer[document](t, e, text("fetch", policy))
	contains(t, got.Text, "Related claims:", "claims/1:", "Related customers:", "Related premiums:")
	contains(t, answer[document](t, e, text("fetch", "table:claims")).Text, "claimed_cents (INTEGER)")
}

func TestQueryAnswersWithATableAndData(t *testing.T) {
	e := builtIn(t)
	req := data("query_table_expert", `{"sql": "SELECT id, number AS \"a|b\", NULL AS n, x'00ff' AS b, 9e999 AS inf FROM claims ORDER BY id", "limit": 2}`)
	task := send(t, e, req)
	contains(t, task.Artifacts[0].Text(), `| id | a\|b | n | b | inf |`, "| 1 | C-", "| x'00ff' | +Inf |")
	contains(t, task.Status.Message.Text(), "The first 2 rows; there are more")
	got := answer[rows](t, e, req)
	if got.RowCount != 2 || !got.Truncated || got.Columns[1] != "a|b" || got.Rows[0][2] != nil {
		t.Errorf("got %+v", got)
	}
	if n := answer[rows](t, e, text("", "SELECT id FROM claims")).RowCount; n != 200 {
		t.Errorf("got %d rows, want the default of 200", n)
	}
	if n := answer[rows](t, e, data("", `{"sql": "SELECT id FROM claims", "limit": 100000}`)).RowCount; n != 1000 {
		t.Errorf("got %d rows, want the cap of 1000", n)
	}
	long := answer[rows](t, e, text("", "SELECT hex(zeroblob(50000)) FROM claims"))
	if !long.Truncated || long.RowCount > 20 {
		t.Errorf("got %d rows of 100 kB, want the answer to be cut", long.RowCount)
	}
}

func TestSkillsAreInferred(t *testing.T) {
	e := builtIn(t)
	for _, c := range []struct {
		name string
		req  *a2a.SendRequest
		want string // the first artifact
	}{
		{"SQL as text", text("", "select 1"), "result"},
		{"SQL behind a comment", text("", "-- how many\n(SELECT 1)"), ""},
		{"SQL as an argument", data("", `{"sql": "SELECT 1"}`), "result"},
		{"SQL as a query", data("query_table_expert", `{"query": "WITH a AS (SELECT 1) SELECT * FROM a"}`), "result"},
		{"an id", data("", `{"id": "table:claims"}`), "document"},
		{"a query", data("", `{"query": "hail"}`), "results"},
		{"a table", data("", `{"table": "claims", "limit": "3"}`), "peek"},
		{"a schema of all", text("schema", "what tables are there"), "schema"},
		{"a question", text("", "claims with hail"), "result"},
		{"a question for the query skill", data("query_table_expert", `{"query": "how many vehicles are there?"}`), "result"},
		{"a singular", text("peek", "vehicle"), "peek"},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := send(t, e, c.req)
			if c.want == "" {
				return
			}
			if len(task.Artifacts) == 0 || task.Artifacts[0].Name != c.want {
				t.Errorf("got %s %q with %d artifacts, want %q", task.Status.State, task.Status.Message.Text(), len(task.Artifacts), c.want)
			}
		})
	}
}

func TestWhatCannotBeAnsweredSaysWhyAndWhatToDo(t *testing.T) {
	e := builtIn(t)
	for _, c := range []struct {
		name string
		req  *a2a.SendRequest
		want string
	}{
		{"an unknown id", text("fetch", "claims/999999"), `There is no row "999999" in claims.`},
		{"an id of an unknown table", text("fetch", "clams/1"), "The tables are claims"},
		{"no id", data("fetch", `{}`), "table:claims"},
		{"an unknown skill", text("dance", "now"), "The skills are search, fetch, query_table_expert, discover_topics, schema, explain, list_gold, peek."},
		{"a wrong limit", data("peek", `{"table": "claims", "limit": -3}`), "from 1 to 1000"},
		{"a broken limit", data("peek", `{"table": "claims", "limit": 1.5}`), "from 1 to 1000"},
		{"an argument of another type", data("fetch", `{"id": 5}`), `"id" must be a string`},
		{"data that is no object", data("", `[1]`), "not an object"},
		{"a file", &a2a.SendRequest{Message: &a2a.Message{Parts: []a2a.Part{{Content: a2a.Raw("x")}}}}, "Files are not read"},
		{"an unknown table", text("", "SELECT * FROM claim"), "The tables are claims"},
		{"an unknown column", text("", "SELECT claimed FROM claims"), "The schema skill lists the columns"},
		{"a write", text("", "DELETE FROM claims"), "DELETE is not available: the tables are read-only"},
		{"a search for nothing", text("search", "??"), "Say what to search for."},
		{"a peek at nothing", text("peek", "?"), "There is no table"},
		{"a syntax error", text("", "SELECT FROM WHERE"), "near \"FROM\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := send(t, e, c.req)
			if task.Status.State != a2a.Failed {
				t.Errorf("got %s, want failed", task.Status.State)
			}
			contains(t, task.Status.Message.Text(), c.want)
		})
	}
}

func TestProgressIsStreamed(t *testing.T) {
	e := builtIn(t)
	for _, skill := range []string{"search", "fetch", "schema", "peek", "query_table_expert"} {
		words := map[string]string{"fetch": "claims/1", "query_table_expert": "SELECT 1"}[skill]
		if words == "" {
			words = "claims"
		}
		working, artifacts, last := 0, 0, ""
		for ev, err := range e.Agent().Stream(t.Context(), text(skill, words)) {
			switch ev := ev.(type) {
			case *a2a.StatusUpdate:
				if ev.Status.State == a2a.Working {
					working++
				}
				last = string(ev.Status.State)
			case *a2a.ArtifactUpdate:
				artifacts++
			case nil:
				t.Fatal(err)
			}
		}
		if working == 0 || artifacts != 1 || last != "completed" {
			t.Errorf("%s: got %d working, %d artifacts, then %s", skill, working, artifacts, last)
		}
	}
}

func TestAttacksFailAndChangeNothing(t *testing.T) {
	e := open(t, tableexpert.Config{Timeout: 300 * time.Millisecond})
	const sum = "SELECT count(*), sum(claimed_cents) FROM claims"
	before := sql(t, e, sum)
	for _, c := range sqlboxtest.Attacks() {
		task := send(t, e, data("query_table_expert", fmt.Sprintf(`{"sql": %s}`, quote(c.SQL))))
		switch {
		case strings.TrimSpace(c.SQL) == "", strings.Contains(c.SQL, "\xff"): // no argument; JSON carries no such bytes
		case task.Status.State != a2a.Failed || len(task.Status.Message.Text()) < 20:
			t.Errorf("%s: got %s %q, want failed with a message", c.Name, task.Status.State, task.Status.Message.Text())
		}
	}
	if after := sql(t, e, sum); after != before {
		t.Errorf("got %s, want %s as before", after, before)
	}
}
