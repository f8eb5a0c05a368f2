package plain_test

import (
	"strings"
	"testing"
	"time"

	"rialto/internal/tableexpert/plain"
)

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

// Whatever is asked, the statement quotes what came from the question.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"top 5 buyers by total", "orders between 1 and 2", "orders since", "most most by by", "how many 2025 2024", "first 99999999999999999999 orders", "without with not orders by month and by"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, question string) {
		q := shop().Read(question, time.Unix(1_800_000_000, 0))
		if q == nil {
			return
		}
		if !strings.HasPrefix(q.SQL, "SELECT ") || strings.Contains(q.SQL, "%!") || strings.Contains(q.SQL, ";") || len(q.SQL) > 100_000 {
			t.Errorf("%q: got %s", question, q.SQL)
		}
	})
}
