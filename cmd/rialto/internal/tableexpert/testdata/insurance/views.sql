-- The indexes, and a view of what people ask most.

CREATE INDEX policies_customer ON policies(customer_id);
CREATE INDEX vehicles_policy ON vehicles(policy_id);
CREATE INDEX claims_policy ON claims(policy_id);
CREATE INDEX claims_vehicle ON claims(vehicle_id);
CREATE INDEX premiums_policy ON premiums(policy_id, year);

CREATE VIEW line_results AS
  WITH incurred AS (
    SELECT p.line, CAST(substr(c.occurred_on, 1, 4) AS INTEGER) AS year, sum(c.paid_cents + c.reserve_cents) AS cents
    FROM claims c JOIN policies p ON p.id = c.policy_id GROUP BY 1, 2),
  earned AS (
    SELECT p.line, e.year, sum(e.earned_cents) AS cents
    FROM premiums e JOIN policies p ON p.id = e.policy_id GROUP BY 1, 2)
  SELECT e.line, e.year, e.cents AS earned_cents, coalesce(i.cents, 0) AS incurred_cents,
    CAST(round(100.0 * coalesce(i.cents, 0) / e.cents, 1) AS REAL) AS loss_ratio_percent
  FROM earned e LEFT JOIN incurred i ON i.line = e.line AND i.year = e.year;
