package grammar_test

import (
	"strings"
	"testing"

	"rialto/cmd/rialto/internal/tableexpert/grammar"
)

func shop() *grammar.Schema {
	return grammar.New([]grammar.Table{
		{Name: "orders", Bare: "orders", Key: "id", Columns: []grammar.Column{
			{Name: "id", Kind: grammar.Number}, {Name: "buyer_id", Kind: grammar.Number}, {Name: "total", Kind: grammar.Number},
			{Name: "placed_at", Kind: grammar.Date}, {Name: "state", Values: []string{"new", "it's \"odd\"", "paid in full"}}},
			Refs: []grammar.Ref{{Column: "buyer_id", Table: "buyers", ToColumn: "id"}}},
		{Name: "buyers", Bare: "buyers", Key: "id", Columns: []grammar.Column{{Name: "id", Kind: grammar.Number}, {Name: "name"}, {Name: "Order", Values: []string{"first"}}}},
		{Name: "notes", Bare: "notes", Columns: []grammar.Column{{Name: "text"}}},
		{Name: "sales", Bare: "sales", Columns: []grammar.Column{{Name: "region"}, {Name: "total_sales", Kind: grammar.Number}, {Name: "cost_per_unit", Kind: grammar.Number}}},
	})
}

var shopTables = []string{"orders", "buyers", "notes", "sales"}

func TestRead(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"orders that are it's \"odd\"", `SELECT orders.* FROM orders WHERE orders.state = 'it''s "odd"'`},
		{"orders paid in full", "SELECT orders.* FROM orders WHERE orders.state = 'paid in full'"},
		{"how many orders placed in 2026", "SELECT count(*) AS count FROM orders WHERE orders.placed_at >= '2026-01-01' AND orders.placed_at < '2027-01-01'"},
		{"orders with a total of at least 1000", "SELECT orders.* FROM orders WHERE orders.total >= 1000"},
		{"average total of orders by state", "SELECT orders.state AS state, round(avg(orders.total), 2) AS average_total FROM orders GROUP BY 1 ORDER BY 2 DESC"},
		{"orders placed in 2026 of first", "SELECT orders.* FROM orders LEFT JOIN buyers ON orders.buyer_id = buyers.id WHERE orders.placed_at >= '2026-01-01' AND orders.placed_at < '2027-01-01' AND buyers.\"Order\" = 'first'"},
	} {
		q, f := shop().Read(c.question, shopTables)
		if q == nil || q.SQL != c.want {
			t.Errorf("%s:\n got %+v %+v\nwant %s", c.question, q, f, c.want)
		}
	}
}

func TestWhatIsNotPlacedIsNamed(t *testing.T) {
	for _, c := range []struct{ question, unplaced, tables string }{
		{"how many shiny orders", "shiny", "orders buyers"},
		{"orders over -5", "-", "orders buyers"}, // no sign is lost
		{"how many notes by buyer", "", "notes buyers"},
		{"orders in 2025", "", "orders buyers"}, // of which date?
		{"top 5 buyers by total", "top", "buyers orders"},
		{"orders not paid in full", "", "orders buyers notes"},
		{"orders over 1.5", "", "orders buyers"},
		{"orders placed in 2025 placed in 2026", "", "orders buyers"},
		{"hello world", "hello world", ""},
		{"how many are there", "", ""},
		{"buyers with more than 3 orders", "", "buyers orders"}, // rows of another table
		{"buyers without orders", "", "buyers orders"},
		{"sales by region", "", "sales"},   // their number, or their sum?
		{"total units", "units", "orders"}, // there is a cost of one
	} {
		q, f := shop().Read(c.question, shopTables)
		if q != nil || !strings.HasPrefix(strings.Join(f.Unplaced, " "), c.unplaced) || strings.Join(f.Tables, " ") != c.tables {
			t.Errorf("%s: got %+v, %+v", c.question, q, f)
		}
	}
}

// Whatever is asked, the statement is one SELECT, and nothing of the question gets into it
// but values.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"the", "(((", "which buyer has the most orders", "ORDERS IN US", "top 5 buyers by total", "orders between 1 and 2", "orders since", "most most by by", "how many 2025 2024", "first 99999999999999999999 orders",
		"without with not orders by month and by", "in 2024 versus 2023 the total of orders", "since March to May last weekend order X-1% by and", "not not or or , , and", "orders; DROP TABLE orders"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, question string) {
		q, failure := shop().Read(question, shopTables)
		if (q == nil) == (failure == nil) {
			t.Fatalf("%q: got %+v and %+v", question, q, failure)
		}
		if q != nil && (!strings.HasPrefix(q.SQL, "SELECT ") || strings.Contains(q.SQL, "%!") || strings.Contains(q.SQL, ";") || len(q.SQL) > 100_000) {
			t.Errorf("%q: got %s", question, q.SQL)
		}
	})
}
