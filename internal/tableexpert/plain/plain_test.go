package plain_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rialto/internal/tableexpert/plain"
)

var update = flag.Bool("update", false, "rewrite the questions' SQL in testdata")

func shop() *plain.Schema {
	return &plain.Schema{Tables: []plain.Table{
		{Name: "orders", Bare: "orders", Key: "id", Columns: []plain.Column{
			{Name: "id", Kind: plain.Number}, {Name: "buyer_id", Kind: plain.Number}, {Name: "total", Kind: plain.Number},
			{Name: "placed_at", Kind: plain.Date}, {Name: "state", Values: []string{"new", "it's \"odd\"", "paid in full"}}},
			Refs: []plain.Ref{{Column: "buyer_id", Table: "buyers", ToColumn: "id"}}},
		{Name: "buyers", Bare: "buyers", Key: "id", Columns: []plain.Column{{Name: "id", Kind: plain.Number}, {Name: "name"}, {Name: "Order", Values: []string{"first"}}}},
		{Name: "notes", Bare: "notes", Columns: []plain.Column{{Name: "text"}}},
	}}
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"orders that are it's \"odd\"", `SELECT orders.* FROM orders WHERE orders.state = 'it''s "odd"'`},
		{"orders paid in full on 2026-02-03", "SELECT orders.* FROM orders WHERE orders.state = 'paid in full' AND orders.placed_at >= '2026-02-03' AND orders.placed_at < '2026-02-04'"},
		{"buyers by order", `SELECT buyers."Order" AS "Order", count(*) AS count FROM buyers GROUP BY 1 ORDER BY 2 DESC`},
		{"how many orders in the last 30 days", "SELECT count(*) AS count FROM orders WHERE orders.placed_at >= '2026-02-13' AND orders.placed_at < '2026-03-15'"},
		{"how many orders this quarter", "SELECT count(*) AS count FROM orders WHERE orders.placed_at >= '2026-01-01' AND orders.placed_at < '2026-04-01'"},
		{"orders of at least 1,000.50", "SELECT orders.* FROM orders WHERE orders.total >= 1000.5"},
		{"orders over 1.5 million", "SELECT orders.* FROM orders WHERE orders.total > 1500000"},
		{"how many notes by buyer", ""}, // nothing connects them
		{"", ""},
		{"hello", ""},
	} {
		got := ""
		if q := shop().Read(c.question, time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)); q != nil {
			got = q.SQL
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.question, got, c.want)
		}
	}
}

// store is what the questions in testdata are about.
func store() *plain.Schema {
	return &plain.Schema{Tables: []plain.Table{
		{Name: "customers", Bare: "customers", Key: "customer_id", Columns: []plain.Column{
			{Name: "customer_id", Kind: plain.Number}, {Name: "name"}, {Name: "country", Values: []string{"Germany", "Spain", "Italy"}},
			{Name: "signup_date", Kind: plain.Date}, {Name: "age", Kind: plain.Number}, {Name: "vip", Values: []string{"yes", "no"}}}},
		{Name: "orders", Bare: "orders", Key: "order_id", Columns: []plain.Column{
			{Name: "order_id", Kind: plain.Number}, {Name: "customer_id", Kind: plain.Number}, {Name: "order_date", Kind: plain.Date},
			{Name: "shipped_at", Kind: plain.Date}, {Name: "quantity", Kind: plain.Number}, {Name: "amount", Kind: plain.Number},
			{Name: "discount_percent", Kind: plain.Number}, {Name: "status", Values: []string{"paid", "open", "cancelled"}},
			{Name: "payment_method", Values: []string{"card", "paypal"}}, {Name: "gift", Kind: plain.Number, Flag: true}},
			Refs: []plain.Ref{{Column: "customer_id", Table: "customers", ToColumn: "customer_id"}}},
		{Name: "employees", Bare: "employees", Key: "id", Columns: []plain.Column{
			{Name: "id", Kind: plain.Number}, {Name: "name"}, {Name: "department", Values: []string{"Sales", "HR"}}, {Name: "salary", Kind: plain.Number}, {Name: "hired", Kind: plain.Date}}},
	}}
}

// testdata/questions.txt holds questions, each with the statement that it is read as, and
// below that the words that have no part in it; every one has been read by a person. A
// question without a statement is not understood.
func TestEachWordIsInTheStatementOrMissed(t *testing.T) {
	file := filepath.Join("testdata", "questions.txt")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(string(b)), "\n\n") {
		question, want, _ := strings.Cut(block, "\n")
		got := ""
		if q := store().Read(question, time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)); q != nil {
			got = q.SQL
			if len(q.Missed) > 0 {
				got += "\nwithout " + strings.Join(q.Missed, ", ")
			}
		}
		if got != want && !*update {
			t.Errorf("%s:\n got %s\nwant %s", question, got, want)
		}
		out.WriteString(strings.TrimSpace(question+"\n"+got) + "\n\n")
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.TrimSpace(out.String())+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever is asked, the statement quotes what came from the question.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"top 5 buyers by total", "orders between 1 and 2", "orders since", "most most by by", "how many 2025 2024", "first 99999999999999999999 orders", "without with not orders by month and by",
		"how many countries have more than 12 open orders in 2024 or 2025", "lowest and highest salary by year and department over 3", "customers who are not vip without orders over 9 from March to May 2025",
		"in 2024 versus 2023 the median total of Sunday orders by weekday", "since March to May last weekend order X-1% by median"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, question string) {
		for _, schema := range []*plain.Schema{shop(), store()} {
			check(t, schema, question)
		}
	})
}

func check(t *testing.T, schema *plain.Schema, question string) {
	q := schema.Read(question, time.Unix(1_800_000_000, 0))
	if q == nil {
		return
	}
	if !strings.HasPrefix(q.SQL, "SELECT ") || strings.Contains(q.SQL, "%!") || strings.Contains(q.SQL, ";") || len(q.SQL) > 100_000 {
		t.Errorf("%q: got %s", question, q.SQL)
	}
}

// What a table of sales is like that somebody exported.
func TestReadOfAnExport(t *testing.T) {
	s := &plain.Schema{Tables: []plain.Table{
		{Name: "sales_2024_2026", Bare: "sales_2024_2026", Columns: []plain.Column{{Name: "order_id"}, {Name: "order_date", Kind: plain.Date}, {Name: "region", Values: []string{"EMEA", "LATAM"}},
			{Name: "sales_rep", Values: []string{"Ann", "Bo"}}, {Name: "units_sold", Kind: plain.Number}, {Name: "customer_e_mail"}}},
		{Name: "targets", Bare: "targets", Columns: []plain.Column{{Name: "region", Values: []string{"EMEA", "LATAM"}}, {Name: "year", Kind: plain.Number}, {Name: "target_eur", Kind: plain.Number}}},
	}}
	for question, want := range map[string]string{
		"how many sales in 2025":                   "SELECT count(*) AS count FROM sales_2024_2026 WHERE sales_2024_2026.order_date >= '2025-01-01' AND sales_2024_2026.order_date < '2026-01-01'",
		"which sales rep sold the most units":      "SELECT sales_2024_2026.sales_rep AS sales_rep, sum(sales_2024_2026.units_sold) AS total_units_sold FROM sales_2024_2026 GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
		"orders without email":                     "SELECT sales_2024_2026.order_id FROM sales_2024_2026 WHERE sales_2024_2026.customer_e_mail IS NULL",
		"orders without e-mail":                    "SELECT sales_2024_2026.order_id FROM sales_2024_2026 WHERE sales_2024_2026.customer_e_mail IS NULL",
		"target by region in 2025":                 "SELECT targets.region AS region, sum(targets.target_eur) AS total_target_eur FROM targets WHERE targets.year = 2025 GROUP BY 1 ORDER BY 2 DESC",
		"total target of EMEA in 2025 versus 2024": "SELECT targets.year AS year, sum(targets.target_eur) AS total_target_eur FROM targets WHERE targets.region = 'EMEA' AND (targets.year = 2025 OR targets.year = 2024) GROUP BY 1 ORDER BY 1",
		"how many targets":                         "SELECT count(*) AS count FROM targets",
	} {
		q := s.Read(question, time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))
		if q == nil || q.SQL != want || len(q.Missed) > 0 {
			t.Errorf("%s: got %+v\nwant %s", question, q, want)
		}
	}
}
