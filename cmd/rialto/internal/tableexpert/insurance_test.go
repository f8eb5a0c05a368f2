package tableexpert_test

import "testing"

func TestTheBuiltInDataMakesSense(t *testing.T) {
	e := builtIn(t)
	for _, c := range []struct{ name, sql string }{
		{"every policy has its customer", "SELECT count(*) FROM policies p LEFT JOIN customers c ON c.id=p.customer_id WHERE c.id IS NULL"},
		{"every claim has its policy", "SELECT count(*) FROM claims c LEFT JOIN policies p ON p.id=c.policy_id WHERE p.id IS NULL"},
		{"a claim's vehicle is insured by its policy", "SELECT count(*) FROM claims c JOIN vehicles v ON v.id=c.vehicle_id WHERE v.policy_id<>c.policy_id"},
		{"motor claims have vehicles, others do not", "SELECT count(*) FROM claims c JOIN policies p ON p.id=c.policy_id WHERE (p.line LIKE '%motor') <> (c.vehicle_id IS NOT NULL)"},
		{"claims are reported after they happen, and closed after that", "SELECT count(*) FROM claims WHERE reported_on<occurred_on OR closed_on<reported_on"},
		{"claims happen while the policy runs", "SELECT count(*) FROM claims c JOIN policies p ON p.id=c.policy_id WHERE c.occurred_on<p.start_date OR c.occurred_on>p.end_date"},
		{"only open claims have a reserve", "SELECT count(*) FROM claims WHERE (status='open') <> (reserve_cents>0)"},
		{"no claim is paid more than was claimed", "SELECT count(*) FROM claims WHERE paid_cents+reserve_cents>claimed_cents"},
		{"amounts and premiums are positive", "SELECT (SELECT count(*) FROM claims WHERE claimed_cents<=0) + (SELECT count(*) FROM policies WHERE annual_premium_cents<=0) + (SELECT count(*) FROM premiums WHERE earned_cents<0)"},
		{"only commercial customers have an industry", "SELECT count(*) FROM customers WHERE (segment='commercial') <> (industry IS NOT NULL)"},
		{"loss ratios are as in the trade", `SELECT count(*) FROM (SELECT p.line, 100.0*(SELECT sum(paid_cents+reserve_cents) FROM claims c JOIN policies q ON q.id=c.policy_id WHERE q.line=p.line)/sum(earned_cents) AS ratio
			FROM premiums e JOIN policies p ON p.id=e.policy_id GROUP BY p.line) WHERE ratio NOT BETWEEN 35 AND 90`},
		{"fleets lose more than private motorists", `SELECT max(ratio) FILTER (WHERE line='commercial motor') < max(ratio) FILTER (WHERE line='private motor') FROM (SELECT p.line, 1.0*(SELECT sum(paid_cents+reserve_cents) FROM claims c JOIN policies q ON q.id=c.policy_id WHERE q.line=p.line)/sum(earned_cents) AS ratio
			FROM premiums e JOIN policies p ON p.id=e.policy_id GROUP BY p.line)`},
		{"there are thousands of rows, and a few very high claims", "SELECT count(*)<2500 OR max(claimed_cents)<10000000 FROM claims"},
	} {
		if got := sql(t, e, c.sql); got != "[[0]]" {
			t.Errorf("%s: got %s, want [[0]]", c.name, got)
		}
	}
}
