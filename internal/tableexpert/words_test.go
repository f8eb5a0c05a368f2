package tableexpert_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rialto/internal/tableexpert"
)

var update = flag.Bool("update", false, "rewrite the questions' SQL in testdata")

// of2026 is an expert for whom it is June 2026, and who takes the time that a
// busy machine with the race detector needs.
func of2026(t testing.TB) *tableexpert.Expert {
	june := func() time.Time { return time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC) }
	return open(t, tableexpert.Config{Now: june, Timeout: time.Minute})
}

// testdata/questions.txt holds questions, each with the statement that it is
// read as on the line below; every statement has been read by a person.
func TestQuestionsAreReadAsSQL(t *testing.T) {
	e := of2026(t)
	file := filepath.Join("testdata", "questions.txt")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(string(b)), "\n\n") {
		question, want, _ := strings.Cut(block, "\n")
		got := answer[rows](t, e, data("query_table_expert", fmt.Sprintf(`{"question": %s, "limit": 1}`, quote(question)))).SQL
		if got == "" {
			t.Errorf("%s: was not read", question)
		}
		if got != strings.TrimSpace(want) && !*update {
			t.Errorf("%s:\n got %s\nwant %s", question, got, want)
		}
		fmt.Fprintf(&out, "%s\n%s\n\n", question, got)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.TrimSpace(out.String())+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnswersAreRight(t *testing.T) {
	e := of2026(t)
	for question, statement := range map[string]string{
		"How many hail claims were there in 2025?":        "SELECT count(*) FROM claims WHERE cause='hail' AND occurred_on LIKE '2025-%'",
		"total paid for theft last year":                  "SELECT round(total(paid_cents)/100,2) FROM claims WHERE cause='theft' AND occurred_on LIKE '2025-%'",
		"how many customers have more than 3 claims":      "SELECT count(*) FROM (SELECT p.customer_id FROM claims c JOIN policies p ON p.id=c.policy_id GROUP BY 1 HAVING count(*)>3)",
		"how many customers without hail claims":          "SELECT (SELECT count(*) FROM customers)-count(DISTINCT p.customer_id) FROM claims c JOIN policies p ON p.id=c.policy_id WHERE c.cause='hail'",
		"average deductible of commercial motor policies": "SELECT round(avg(deductible_cents)/100,2) FROM policies WHERE line='commercial motor'",
		"number of customers per cause":                   "SELECT c.cause, count(DISTINCT p.customer_id) FROM claims c JOIN policies p ON p.id=c.policy_id GROUP BY 1 ORDER BY 2 DESC",
		"claims per quarter in 2024":                      "SELECT '2024-Q'||q, n FROM (SELECT (substr(occurred_on,6,2)+2)/3 AS q, count(*) AS n FROM claims WHERE occurred_on LIKE '2024-%' GROUP BY 1)",
		"percentage of open claims":                       "SELECT round(100.0*sum(status='open')/count(*),2) FROM claims",
	} {
		got, _ := json.Marshal(answer[rows](t, e, text("query_table_expert", question)).Rows)
		if want := sql(t, e, statement); string(got) != want {
			t.Errorf("%s:\n got %s\nwant %s", question, got, want)
		}
	}
}

func TestTheAnswerSaysHowItWasReadAndWhatWasNot(t *testing.T) {
	task := send(t, builtIn(t), text("", "How many shiny claims with hail?"))
	contains(t, task.Status.Message.Text(), "Read as: the number of claims; where claims.cause is hail.",
		"Not understood, and left out: shiny.", "The SQL was: SELECT count(*) AS count FROM claims WHERE claims.cause = 'hail'")
}

func TestWhatIsNotReadIsIntroduced(t *testing.T) {
	e := builtIn(t)
	for _, question := range []string{"update me on the claims", "the trend of claims", "why are claims late"} {
		if task := send(t, e, text("", question)); len(task.Artifacts) == 0 || task.Artifacts[0].Name != "schema:claims" {
			t.Errorf("%s: got %q, want the table to be introduced", question, task.Status.Message.Text())
		}
	}
}

func TestExplainRunsNothing(t *testing.T) {
	e := builtIn(t)
	type explanation struct {
		SQL    string
		ReadAs []string `json:"read_as"`
		Missed []string `json:"not_understood"`
		Plan   []string
	}
	got := answer[explanation](t, e, text("explain", "how many nice claims by cause"))
	if !strings.HasPrefix(got.SQL, "SELECT claims.cause AS cause, count(*)") || len(got.ReadAs) != 2 || len(got.Plan) == 0 || fmt.Sprint(got.Missed) != "[nice]" {
		t.Errorf("got %+v", got)
	}
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
