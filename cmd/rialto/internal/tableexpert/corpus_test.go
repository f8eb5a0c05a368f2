package tableexpert_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/cmd/rialto/internal/tableexpert"
)

// rowsOf returns the rows of an answer, sorted; ok is false if there is none.
func rowsOf(t testing.TB, task *a2a.Task) (out []string, ok bool) {
	t.Helper()
	for _, a := range task.Artifacts {
		if a.Name != "result" {
			continue
		}
		var got rows
		for _, p := range a.Parts {
			if d, isData := p.Content.(a2a.Data); isData {
				if err := json.Unmarshal(d, &got); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, row := range got.Rows {
			b, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(b))
		}
		slices.Sort(out)
		return out, true
	}
	return nil, false
}

// answered sends one question, and reports whether it has the rows of the statement. What has none
// must be asked back, or told what there is to ask.
func answered(t *testing.T, e *tableexpert.Expert, question, statement string) bool {
	t.Helper()
	task := send(t, e, data("query_table_expert", fmt.Sprintf(`{"question": %s, "limit": 1000}`, quote(question))))
	got, ok := rowsOf(t, task)
	said := task.Status.Message.Text()
	switch {
	case !ok:
		if !strings.Contains(said, "one SELECT") {
			t.Errorf("%s: got %s: %s, want how to ask in SQL", question, task.Status.State, said)
		}
		described := slices.ContainsFunc(task.Artifacts, func(a a2a.Artifact) bool { return a.Name == "schema" })
		if task.Status.State == a2a.InputRequired && !described {
			t.Errorf("%s: got %s, want the schema", question, said)
		}
		return false
	case statement == "":
		t.Errorf("%s: got %s, want it asked back", question, said)
		return true
	}
	want, _ := rowsOf(t, send(t, e, data("query_table_expert", fmt.Sprintf(`{"sql": %s, "limit": 1000}`, quote(statement)))))
	if !slices.Equal(got, want) {
		t.Errorf("%s: wrong answer: %.300s\n got %.300v\nwant %.300v", question, said, got, want)
	}
	return true
}

// askedBack stands before the statement of a question that has an answer, but is asked back.
const askedBack = "-- asked back\n"

// corpus asks the questions of a file. A block is a question and the statement that answers it; a
// question without a statement has no answer, or several.
func corpus(t *testing.T, e *tableexpert.Expert, file string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(strings.TrimSpace(string(b)), "\n\n") {
		question, statement, _ := strings.Cut(block, "\n")
		statement, asked := strings.CutPrefix(statement, askedBack)
		want := statement != "" && !asked
		if got := answered(t, e, question, statement); got != want {
			t.Errorf("%s: got answered %v, want %v", question, got, want)
		}
	}
}

// The questions of sixty.txt are those of people who do not know the tables; half are Spanish.
func TestNoQuestionHasAWrongAnswer(t *testing.T) {
	store := t.TempDir()
	database(t, filepath.Join(store, "store.db"), storeData())
	for file, c := range map[string]tableexpert.Config{
		"insurance.txt": {Timeout: time.Minute},
		"codes.txt":     {Timeout: time.Minute, Tables: directory(t, isCodeHeading)},
		"fields.txt":    {Timeout: time.Minute, Tables: directory(t, fields)},
		"sixty.txt":     {Timeout: time.Minute},
		"store.txt":     {Timeout: time.Minute, Tables: store},
	} {
		t.Run(file, func(t *testing.T) { corpus(t, open(t, c), file) })
	}
}

// codes has country codes that are also words of questions, and goods that are counted by
// their quantity.
var isCodeHeading = map[string]string{"orders.csv": "order_id,country,category,placed_on,quantity,amount,price_usd,state\n" +
	"1,US,Books,2024-01-05,3,30,10,ME\n2,DE,Books,2024-02-05,1,12,12,OR\n3,ES,Toys,2024-03-05,4,80,20,IN\n4,IT,Toys,2025-01-05,2,44,22,LA\n" +
	"5,NO,News,2025-04-05,1,5,5,DE\n6,IN,Games,2025-06-05,7,70,10,ME\n7,US,Games,2025-07-01,1,10,10,AL\n"}

// storeData makes a shop with customers, orders and employees.
func storeData() string {
	var b strings.Builder
	b.WriteString(`CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, signup_date DATE, age INTEGER, vip TEXT);
		CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(customer_id), order_date DATE, shipped_at DATE, quantity INTEGER,
			amount INTEGER, discount_percent INTEGER, status TEXT, payment_method TEXT, gift INTEGER);
		CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT, department TEXT, salary INTEGER, hired DATE);`)
	day := func(n int) string { return time.Date(2023, 1, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }
	one := func(i int, of ...string) string { return of[i%len(of)] }
	for i := range 40 {
		fmt.Fprintf(&b, "INSERT INTO customers VALUES (%d, 'Name %d', '%s', '%s', %d, '%s');", i+1, i, one(i*7+i/3, "Germany", "Spain", "Italy"), day(i*31), 20+i*i%47, one(i/3, "yes", "no", "no"))
	}
	for i := range 300 {
		shipped := "'" + day(i*4+3) + "'"
		if i%9 == 0 {
			shipped = "NULL"
		}
		fmt.Fprintf(&b, "INSERT INTO orders VALUES (%d, %d, '%s', %s, %d, %d, %d, '%s', '%s', %d);", i+1, 1+i*i%37, day(i*4+i*i%5), shipped, 1+i%6, 20+i*i%977,
			i%4*5, one(i+i/7, "paid", "open", "cancelled"), one(i/2, "card", "paypal", "card"), i/5%2)
	}
	for i := range 25 {
		fmt.Fprintf(&b, "INSERT INTO employees VALUES (%d, 'Worker %d', '%s', %d, '%s');", i+1, i, one(i+i/4, "Sales", "HR"), 30000+i*i*131%50000, day(i*53))
	}
	return b.String()
}
