package tableexpert_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rialto/cmd/rialto/internal/tableexpert"
)

func TestTheAnswerSaysHowItWasRead(t *testing.T) {
	task := send(t, builtIn(t), text("", "How many claims with hail?"))
	contains(t, task.Status.Message.Text(), "Read as: the number of claims; where claims.cause is hail.",
		"The SQL was: SELECT count(*) AS count FROM claims WHERE claims.cause = 'hail'")
}

// SQLite keeps no column to its type, so what it holds says what it is good for.
func TestColumnsOfADatabaseAreWhatTheyHold(t *testing.T) {
	dir := t.TempDir()
	database(t, filepath.Join(dir, "shop.db"), `CREATE TABLE sales (id INTEGER PRIMARY KEY, day TEXT, american DATE, epoch DATETIME, amount INTEGER, paid INTEGER, dirty REAL);
		INSERT INTO sales VALUES (1, '2025-01-31', '1/31/2025', 1738281600, 10, 1, 4), (2, '2026-02-01', '2/1/2026', 1769904000, 20, 0, 'n/a');`)
	e := open(t, tableexpert.Config{Tables: dir})
	for question, want := range map[string]string{
		"total amount of sales with day in 2025": "SELECT sum(sales.amount) AS total_amount FROM sales WHERE sales.day >= '2025-01-01' AND sales.day < '2026-01-01'",
		"how many sales are paid":                "", // 1 may mean anything
		"total dirty":                            "", // text stands between the numbers
		"sales by american month":                "", // those dates do not sort
		"total amount of sales in 2025":          "", // the day may not be when they happened
		"how many sales in epoch":                "",
	} {
		_, got, _ := strings.Cut(send(t, e, text("query_table_expert", question)).Status.Message.Text(), "The SQL was: ")
		if got != want {
			t.Errorf("%s: got %s, want %s", question, got, want)
		}
	}
}

func TestExplainRunsNothing(t *testing.T) {
	e := builtIn(t)
	type explanation struct {
		SQL    string
		ReadAs []string `json:"read_as"`
		Plan   []string
	}
	got := answer[explanation](t, e, text("explain", "how many claims by cause"))
	if !strings.HasPrefix(got.SQL, "SELECT claims.cause AS cause, count(*)") || len(got.ReadAs) != 2 || len(got.Plan) == 0 {
		t.Errorf("got %+v", got)
	}
	contains(t, send(t, e, text("explain", "how many nice claims")).Status.Message.Text(), "not understood: nice")
	if got := answer[explanation](t, e, data("explain", `{"sql": "SELECT * FROM claims WHERE id = 1"}`)); !strings.Contains(fmt.Sprint(got.Plan), "SEARCH claims") {
		t.Errorf("got %+v, want SQLite's plan", got)
	}
	contains(t, send(t, e, text("explain", "DELETE FROM claims")).Status.Message.Text(), "read-only")
}

type topics struct {
	Topics   []struct{ ID string }
	Selected string
}

const topicsYAML = `
gold: [sales]
topics:
  - {id: money, title: Sales, tables: [sales], usecases: [finance]}
  - {id: people, title: Staff, tables: [staff]}
`

func TestTopicsNarrowWhatIsSearchedAndUnderstood(t *testing.T) {
	dir := directory(t, map[string]string{"sales.csv": "id,amount\n1,10\n2,20\n", "staff.csv": "id,amount\n1,3\n", "topics.yaml": topicsYAML})
	e := open(t, tableexpert.Config{Tables: dir})
	req := text("discover_topics", "")
	req.Message.Metadata["usecase"] = "finance"
	if got := answer[topics](t, e, req); len(got.Topics) != 2 || got.Selected != "money" {
		t.Errorf("got %+v, want money selected by the use case", got)
	}
	for _, c := range []struct{ args, want string }{
		{`{"question": "total amount", "topic": "people"}`, "[[3]]"},
		{`{"question": "total amount", "usecase": "finance"}`, "[[30]]"},
		{`{"question": "sum of the amount of staff", "topic": "*"}`, "[[3]]"},
	} {
		got, _ := json.Marshal(answer[rows](t, e, data("query_table_expert", c.args)).Rows)
		if string(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.args, got, c.want)
		}
	}
	contains(t, send(t, e, data("schema", `{"topic": "monye"}`)).Status.Message.Text(), `There is no topic "monye". The topics are money, people.`)
	gold := answer[struct{ Tables []struct{ Name string } }](t, e, text("list_gold", ""))
	if len(gold.Tables) != 1 || gold.Tables[0].Name != "sales" {
		t.Errorf("got %+v, want the gold of the file", gold)
	}
}

func TestTopicsThatAreWrongAreLeftOut(t *testing.T) {
	for name, yaml := range map[string]string{"an unknown table": "topics: [{id: a, tables: [nope]}]", "an unknown key": "subjects: []", "no YAML": "topics: ["} {
		e := open(t, tableexpert.Config{Tables: directory(t, map[string]string{"sales.csv": "id,amount\n1,10\n", "topics.yaml": yaml})})
		if got := answer[topics](t, e, text("discover_topics", "")); len(got.Topics) != 1 || got.Topics[0].ID != "sales" {
			t.Errorf("%s: got %+v, want a topic for each table", name, got)
		}
	}
}

// The model's endpoint says what the test lets it say.
func TestAModelTranslatesAndIsCorrected(t *testing.T) {
	answers := []string{"```sql\nSELECT nonsense FROM claims\n```", "SELECT count(*) AS n FROM claims WHERE cause = 'fire'"}
	var asked []string
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model    string
			Messages []struct{ Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer k" || body.Model != "m" {
			t.Errorf("got %s %s %+v", r.URL, r.Header, body)
		}
		asked = append(asked, body.Messages[len(body.Messages)-1].Content)
		if len(answers) == 0 {
			http.Error(w, "no more", http.StatusTooManyRequests)
			return
		}
		fmt.Fprintf(w, `{"choices": [{"message": {"role": "assistant", "content": %s}}]}`, quote(answers[0]))
		answers = answers[1:]
	}))
	t.Cleanup(endpoint.Close)
	e := open(t, tableexpert.Config{Model: &tableexpert.Model{URL: endpoint.URL + "/v1/", Name: "m", Key: "k"}})
	got := answer[rows](t, e, text("query_table_expert", "what burned"))
	if got.SQL != "SELECT count(*) AS n FROM claims WHERE cause = 'fire'" || len(got.Rows) != 1 {
		t.Errorf("got %+v, want the model's second statement", got)
	}
	if len(asked) != 2 || !strings.Contains(asked[1], "no such column: nonsense") {
		t.Errorf("got asked %q, want the second to say what was wrong", asked)
	}
	if got := answer[rows](t, e, text("query_table_expert", "how many claims")); got.SQL != "SELECT count(*) AS count FROM claims" {
		t.Errorf("got %s, want the question to be read by words when the model fails", got.SQL)
	}
}

// A model that takes no temperature is asked without; what it says in explanations is what
// it would say in answers; and where its statement does not end, the words are read.
func TestWhatAModelSaysIsNeitherWaitedForNorHidden(t *testing.T) {
	said := "```SQL\nSELECT count(*) AS n FROM claims WHERE cause = 'fire'\n```"
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		if _, ok := body["temperature"]; ok {
			http.Error(w, `{"error": {"message": "Unsupported value: 'temperature' does not support 0 with this model."}}`, http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, `{"choices": [{"message": {"role": "assistant", "content": %s}}]}`, quote(said))
	}))
	t.Cleanup(endpoint.Close)
	e := open(t, tableexpert.Config{Model: &tableexpert.Model{URL: endpoint.URL, Name: "m"}, Timeout: 500 * time.Millisecond})
	for _, skill := range []string{"query_table_expert", "explain"} {
		if got := answer[struct{ SQL string }](t, e, text(skill, "what burned")).SQL; got != "SELECT count(*) AS n FROM claims WHERE cause = 'fire'" {
			t.Errorf("%s: got %s, want the model's statement", skill, got)
		}
	}
	said = "<think>Or SELECT 1?</think>SELECT count(*) AS n FROM claims WHERE status <> '?'"
	if got := answer[rows](t, e, text("query_table_expert", "how many claims")); got.SQL != "SELECT count(*) AS n FROM claims WHERE status <> '?'" {
		t.Errorf("got %s, want what stands behind the model's thoughts", got.SQL)
	}
	said = "SELECT count(*) AS n FROM claims WHERE cause = ?"
	if got := answer[rows](t, e, text("query_table_expert", "how many claims")); got.SQL != "SELECT count(*) AS count FROM claims" {
		t.Errorf("got %s, want the question to be read by words when the statement has a parameter that is not bound", got.SQL)
	}
	said = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n, claims"
	if got := answer[rows](t, e, text("query_table_expert", "how many claims")); got.SQL != "SELECT count(*) AS count FROM claims" {
		t.Errorf("got %s, want the question to be read by words when the model's statement does not end", got.SQL)
	}
}
