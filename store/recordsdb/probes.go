package recordsdb

import (
	"context"
	"time"

	"rialto/internal/uptime"
	"rialto/store/sqldb"
)

// Probes implements directory.ProbeStore.
type Probes struct{ Store *Store }

// Add notes how a probe of an agent by a replica ended: cause is why the agent did not answer, or "".
// Of the replicas that live, the probes of one alone count, so that an agent which some of them reach has
// one history. A span goes on with a probe that ends alike within 75 seconds.
func (p Probes) Add(
	ctx context.Context, replica, agent, url, cause string, now time.Time,
) error {
	return sqldb.Exec(ctx, p.Store.sql.Write, `
		INSERT INTO agent_probes (agent, url, began, until, cause)
		SELECT $2, $3, COALESCE((
			SELECT began FROM agent_probes
			WHERE agent = $2 AND url = $3 AND until >= CAST($5 AS BIGINT) - 75000
			AND (cause = '') = (CAST($4 AS TEXT) = '')
			AND began = (SELECT MAX(began) FROM agent_probes WHERE agent = $2 AND url = $3)
		), CAST($5 AS BIGINT)), CAST($5 AS BIGINT), CAST($4 AS TEXT)
		FROM (SELECT MIN(id) AS id FROM replicas) AS leader WHERE id = $1
		ON CONFLICT (agent, url, began) DO UPDATE SET
			until = CASE WHEN excluded.until > agent_probes.until THEN excluded.until ELSE agent_probes.until END`,
		replica, agent, url, cause, now)
}

// probeSpans are the spans of an agent, $1, at a URL, $2. One lasts until the next, if that begins within 75
// seconds of its last probe; nothing is known of a longer time without a probe.
const probeSpans = `
	WITH RECURSIVE spans AS (
		SELECT began, cause, COALESCE(next - until <= 75000, FALSE) AS ended, until AS probed,
			CASE WHEN next - until <= 75000 THEN next ELSE until END AS until
		FROM (
			SELECT began, until, cause, LEAD(began) OVER (ORDER BY began) AS next
			FROM agent_probes WHERE agent = $1 AND url = $2
		) AS kept
	)`

// History implements directory.ProbeStore.
func (p Probes) History(
	ctx context.Context, agent, url string, now time.Time,
) (*uptime.History, error) {
	read := p.Store.sql.Read
	slots, err := sqldb.Select(ctx, read, scanSlot, probeSpans+`, slots AS (
			SELECT (CAST($3 AS BIGINT) / 7200000 - 83) * 7200000 AS at
			UNION ALL SELECT at + 7200000 FROM slots WHERE at + 7200000 <= CAST($3 AS BIGINT)
		), parts AS (
			SELECT at, cause, CASE WHEN until < at + 7200000 THEN until ELSE at + 7200000 END
				- CASE WHEN began > at THEN began ELSE at END AS part
			FROM slots LEFT JOIN spans ON began < at + 7200000 AND until > at
		)
		SELECT at, CAST(SUM(CASE WHEN cause = '' THEN part ELSE 0 END) AS BIGINT),
			CAST(SUM(CASE WHEN cause <> '' THEN part ELSE 0 END) AS BIGINT)
		FROM parts GROUP BY at ORDER BY at`,
		agent, url, now)
	if err != nil {
		return nil, err
	}

	outages, err := sqldb.Select(ctx, read, scanOutage, probeSpans+`
		SELECT began, CASE WHEN NOT ended AND probed >= CAST($3 AS BIGINT) - 75000 THEN 0 ELSE until END,
			ended, cause
		FROM spans WHERE cause <> '' ORDER BY began DESC LIMIT 10`,
		agent, url, now)
	return &uptime.History{Slots: slots, Outages: outages}, err
}

func scanSlot(r sqldb.Row) (s uptime.Slot, err error) {
	return s, r.Scan(&s.From, &s.Up, &s.Down)
}

func scanOutage(r sqldb.Row) (o uptime.Outage, err error) {
	return o, r.Scan(&o.Began, &o.Until, &o.Ended, &o.Cause)
}
