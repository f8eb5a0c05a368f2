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
		"How many hail claims were there in 2025?":                    "SELECT count(*) FROM claims WHERE cause='hail' AND occurred_on LIKE '2025-%'",
		"total paid for theft last year":                              "SELECT round(total(paid_cents)/100,2) FROM claims WHERE cause='theft' AND occurred_on LIKE '2025-%'",
		"how many customers have more than 3 claims":                  "SELECT count(*) FROM (SELECT p.customer_id FROM claims c JOIN policies p ON p.id=c.policy_id GROUP BY 1 HAVING count(*)>3)",
		"how many customers without hail claims":                      "SELECT (SELECT count(*) FROM customers)-count(DISTINCT p.customer_id) FROM claims c JOIN policies p ON p.id=c.policy_id WHERE c.cause='hail'",
		"average deductible of commercial motor policies":             "SELECT round(avg(deductible_cents)/100,2) FROM policies WHERE line='commercial motor'",
		"number of customers per cause":                               "SELECT c.cause, count(DISTINCT p.customer_id) FROM claims c JOIN policies p ON p.id=c.policy_id GROUP BY 1 ORDER BY 2 DESC",
		"claims per quarter in 2024":                                  "SELECT '2024-Q'||q, n FROM (SELECT (substr(occurred_on,6,2)+2)/3 AS q, count(*) AS n FROM claims WHERE occurred_on LIKE '2024-%' GROUP BY 1)",
		"percentage of open claims":                                   "SELECT round(100.0*sum(status='open')/count(*),2) FROM claims",
		"percentage of hail claims in 2025":                           "SELECT round(100.0*sum(cause='hail')/count(*),2) FROM claims WHERE occurred_on LIKE '2025-%'",
		"how many claims in 2023 and 2025":                            "SELECT count(*) FROM claims WHERE substr(occurred_on,1,4) IN ('2023','2025')",
		"how many claims from November to February 2025":              "SELECT count(*) FROM claims WHERE substr(occurred_on,1,7) IN ('2024-11','2024-12','2025-01','2025-02')",
		"how many claims are not closed":                              "SELECT sum(status<>'closed') FROM claims",
		"how many claims not over 1000":                               "SELECT sum(claimed_cents<=100000) FROM claims",
		"how many claims over 50k or in Berlin":                       "SELECT count(*) FROM claims c JOIN policies p ON p.id=c.policy_id JOIN customers k ON k.id=p.customer_id WHERE c.claimed_cents>5000000 OR k.city='Berlin'",
		"how many cities have more than 100 customers":                "SELECT count(*) FROM (SELECT 1 FROM customers GROUP BY city HAVING count(*)>100)",
		"how many customers have a total paid over 50000":             "SELECT count(*) FROM (SELECT 1 FROM claims c JOIN policies p ON p.id=c.policy_id GROUP BY p.customer_id HAVING sum(c.paid_cents)>5000000)",
		"how many customers without claims in 2025":                   "SELECT count(*) FROM customers WHERE id NOT IN (SELECT p.customer_id FROM claims c JOIN policies p ON p.id=c.policy_id WHERE c.occurred_on LIKE '2025-%')",
		"how many customers with claims over 50k in 2025":             "SELECT count(DISTINCT p.customer_id) FROM claims c JOIN policies p ON p.id=c.policy_id WHERE c.occurred_on LIKE '2025-%' AND c.claimed_cents>5000000",
		"min, max and average deductible":                             "SELECT round(min(deductible_cents)/100.0,2), round(max(deductible_cents)/100.0,2), round(avg(deductible_cents)/100.0,2) FROM policies",
		"average number of claims per policy":                         "SELECT round(1.0*count(*)/count(DISTINCT policy_id),2) FROM claims",
		"largest claim per status":                                    "SELECT status, round(max(claimed_cents)/100.0,2) FROM claims GROUP BY 1 ORDER BY 2 DESC",
		"total amount of open claims":                                 "SELECT round(sum(claimed_cents)/100.0,2) FROM claims WHERE status='open'",
		"how many customers since 2020":                               "SELECT count(*) FROM customers WHERE customer_since>='2020-01-01'",
		"how many claims have reserve at least 1000 and at most 2000": "SELECT sum(reserve_cents BETWEEN 100000 AND 200000) FROM claims",
		"how many claims with paid more than 1000 but less than 2000": "SELECT sum(paid_cents>100000 AND paid_cents<200000) FROM claims",
		"top 3 makes by claims":                                       "SELECT v.make, count(*) FROM claims c JOIN vehicles v ON v.id=c.vehicle_id GROUP BY 1 ORDER BY 2 DESC LIMIT 3",
		"top 3 causes by claims":                                      "SELECT cause, count(*) FROM claims GROUP BY 1 ORDER BY 2 DESC LIMIT 3",
		"how many vehicles from 2015":                                 "SELECT sum(model_year=2015) FROM vehicles",
		"how many vehicles from 2015 on":                              "SELECT sum(model_year>=2015) FROM vehicles",
		"total paid and total reserve":                                "SELECT round(sum(paid_cents)/100.0,2), round(sum(reserve_cents)/100.0,2) FROM claims",
		"how many customers have 0 claims":                            "SELECT (SELECT count(*) FROM customers)-count(DISTINCT p.customer_id) FROM claims c JOIN policies p ON p.id=c.policy_id",
		"how many customers with 2 policies":                          "SELECT count(*) FROM (SELECT 1 FROM policies GROUP BY customer_id HAVING count(*)=2)",
		"how many claims without reserve":                             "SELECT sum(reserve_cents=0) FROM claims",
		"what percentage of active policies are sold online":          "SELECT round(100.0*sum(channel='online')/count(*),2) FROM policies WHERE status='active'",
		"what percentage of hail claims are not closed":               "SELECT round(100.0*sum(status<>'closed')/count(*),2) FROM claims WHERE cause='hail'",
		"how many customers with hail claims but not theft":           "SELECT count(*) FROM customers k WHERE EXISTS (SELECT 1 FROM claims c JOIN policies p ON p.id=c.policy_id WHERE p.customer_id=k.id AND c.cause='hail') AND NOT EXISTS (SELECT 1 FROM claims c JOIN policies p ON p.id=c.policy_id WHERE p.customer_id=k.id AND c.cause='theft')",
		"how many customers with hail claims but no theft claims":     "SELECT count(*) FROM customers k WHERE EXISTS (SELECT 1 FROM claims c JOIN policies p ON p.id=c.policy_id WHERE p.customer_id=k.id AND c.cause='hail') AND NOT EXISTS (SELECT 1 FROM claims c JOIN policies p ON p.id=c.policy_id WHERE p.customer_id=k.id AND c.cause='theft')",
		"how many customers with neither hail nor theft claims":       "SELECT count(*) FROM customers k WHERE NOT EXISTS (SELECT 1 FROM claims c JOIN policies p ON p.id=c.policy_id WHERE p.customer_id=k.id AND c.cause='hail') AND NOT EXISTS (SELECT 1 FROM claims c JOIN policies p ON p.id=c.policy_id WHERE p.customer_id=k.id AND c.cause='theft')",
		"total earned premium in 2024":                                "SELECT round(sum(earned_cents)/100.0,2) FROM premiums WHERE year=2024",
		"vehicles with less than 2000 km":                             "SELECT * FROM vehicles WHERE annual_km<2000",
		"how many policies with more than one vehicle":                "SELECT count(*) FROM (SELECT 1 FROM vehicles GROUP BY policy_id HAVING count(*)>1)",
		"cuántos clientes tienen más de una póliza":                   "SELECT count(*) FROM (SELECT 1 FROM policies GROUP BY customer_id HAVING count(*)>1)",
		"how many customers with exactly one policy":                  "SELECT count(*) FROM (SELECT 1 FROM policies GROUP BY customer_id HAVING count(*)=1)",
		"In 2024, how many claims were there?":                        "SELECT count(*) FROM claims WHERE occurred_on LIKE '2024-%'",
		"last year's hail claims by status":                           "SELECT status, count(*) FROM claims WHERE cause='hail' AND occurred_on LIKE '2025-%' GROUP BY 1 ORDER BY 2 DESC",
		"how many claims in 2024 versus 2022":                         "SELECT substr(occurred_on,1,4), count(*) FROM claims WHERE substr(occurred_on,1,4) IN ('2022','2024') GROUP BY 1",
		"how many claims were reported on weekends":                   "SELECT sum(strftime('%w',reported_on) IN ('0','6')) FROM claims",
		"claims per weekday":                                          "SELECT d||' '||substr('MonTueWedThuFriSatSun',3*d-2,3), n FROM (SELECT (strftime('%w',occurred_on)+6)%7+1 AS d, count(*) AS n FROM claims GROUP BY 1 ORDER BY 1)",
		"how many claims of policy P-2026-000011":                     "SELECT count(*) FROM claims c JOIN policies p ON p.id=c.policy_id WHERE p.number='P-2026-000011'",
		"median paid amount of claims":                                "SELECT round(avg(paid_cents)/100.0,2) FROM (SELECT paid_cents FROM claims ORDER BY paid_cents LIMIT 2-(SELECT count(*) FROM claims)%2 OFFSET (SELECT (count(*)-1)/2 FROM claims))",
		"median paid amount of claims by status":                      "SELECT * FROM (SELECT 'open', (SELECT round(avg(paid_cents)/100.0,2) FROM (SELECT paid_cents FROM claims WHERE status='open' ORDER BY 1 LIMIT 2-(SELECT count(*) FROM claims WHERE status='open')%2 OFFSET (SELECT (count(*)-1)/2 FROM claims WHERE status='open'))) UNION ALL SELECT 'closed', (SELECT round(avg(paid_cents)/100.0,2) FROM (SELECT paid_cents FROM claims WHERE status='closed' ORDER BY 1 LIMIT 2-(SELECT count(*) FROM claims WHERE status='closed')%2 OFFSET (SELECT (count(*)-1)/2 FROM claims WHERE status='closed'))) UNION ALL SELECT 'rejected', (SELECT round(avg(paid_cents)/100.0,2) FROM (SELECT paid_cents FROM claims WHERE status='rejected' ORDER BY 1 LIMIT 2-(SELECT count(*) FROM claims WHERE status='rejected')%2 OFFSET (SELECT (count(*)-1)/2 FROM claims WHERE status='rejected')))) ORDER BY 2 DESC",
		"percentage of rejected claims by line":                       "SELECT p.line, round(100.0*sum(c.status='rejected')/count(*),2) FROM claims c JOIN policies p ON p.id=c.policy_id GROUP BY 1 ORDER BY 2 DESC",
		"how many open claims older than 2 years":                     "SELECT count(*) FROM claims WHERE status='open' AND occurred_on<'2024-06-15'",
		"how many claims were reported less than a month ago":         "SELECT count(*) FROM claims WHERE reported_on>='2026-05-15'",
		"how many vehicles between 2012 and 2015":                     "SELECT count(*) FROM vehicles WHERE model_year BETWEEN 2012 AND 2015",
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
	task = send(t, builtIn(t), text("", "premium of customers in Bavaria")) // some of whom have several
	contains(t, task.Status.Message.Text(), "left out: premium.")
}

// SQLite keeps no column to its type, so what it holds says what it is good for.
func TestColumnsOfADatabaseAreWhatTheyHold(t *testing.T) {
	dir := t.TempDir()
	database(t, filepath.Join(dir, "shop.db"), `CREATE TABLE sales (id INTEGER PRIMARY KEY, day TEXT, american DATE, epoch DATETIME, amount INTEGER, paid INTEGER, dirty REAL);
		INSERT INTO sales VALUES (1, '2025-01-31', '1/31/2025', 1738281600, 10, 1, 4), (2, '2026-02-01', '2/1/2026', 1769904000, 20, 0, 'n/a');`)
	e := open(t, tableexpert.Config{Tables: dir})
	for question, want := range map[string]string{
		"total amount in 2025":    "SELECT sum(sales.amount) AS total_amount FROM sales WHERE sales.day >= '2025-01-01' AND sales.day < '2026-01-01'",
		"how many sales are paid": "SELECT count(*) AS count FROM sales WHERE sales.paid = 1",
		"total dirty":             "left out: total. SELECT sales.dirty FROM sales",
		"sales by american month": "left out: month. SELECT sales.american AS american, count(*) AS count FROM sales GROUP BY 1 ORDER BY 2 DESC",
		"how many sales in epoch": "left out: epoch. SELECT count(*) AS count FROM sales",
	} {
		task := send(t, e, text("query_table_expert", question))
		said := task.Status.Message.Text()
		if _, left, ok := strings.Cut(said, "Not understood, and "); ok {
			said = left
		} else {
			_, said, _ = strings.Cut(said, "The SQL was: ")
		}
		if got := strings.Replace(said, "The SQL was: ", "", 1); got != want {
			t.Errorf("%s: got %s, want %s", question, got, want)
		}
	}
}

func TestWhatIsNotReadIsIntroduced(t *testing.T) {
	e := builtIn(t)
	for _, question := range []string{"update me on the claims", "the trend of claims", "why are claims late", "who has the most claims"} {
		if task := send(t, e, text("", question)); len(task.Artifacts) == 0 || task.Artifacts[0].Name != "schema:claims" {
			t.Errorf("%s: got %q, want the table to be introduced", question, task.Status.Message.Text())
		} else {
			contains(t, task.Status.Message.Text(), "The question was not understood", "claims has 3447 rows")
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
