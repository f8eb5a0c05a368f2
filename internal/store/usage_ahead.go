package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rialto/internal/usage"
)

// To add up what each of many clients or users did over months takes longer than a
// page may. What they did until midnight is added up ahead, for the spans that the
// console offers, and with an index by calls: the most frequent are then among the
// first of it and those who were active today, of whom there are fewer.
const (
	mostAhead  = 500_000 // clients or users; of more nothing is added up ahead
	aheadChunk = 200     // rows of one transaction
	buildFor   = 10 * time.Minute
)

var spansAhead = []int64{7, 30, 90} // days, today among them

// SumUsage adds up ahead what is not, or has changed since. Several replicas may do so
// at once: each writes a build of its own, and the last counts.
func (db *DB) SumUsage(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, buildFor)
	defer cancel()
	midnight := ms(now) - ms(now)%aDay
	for _, days := range spansAhead {
		if err := db.sumAhead(ctx, now, days, midnight-(days-1)*aDay, midnight); err != nil {
			return err
		}
	}
	return db.dropBuilds(ctx, now.Add(-2*buildFor))
}

// builds begin with when they were begun.
func buildName(at time.Time, rest string) string { return fmt.Sprintf("%015d-%s", ms(at), rest) }

// callsOf is how many calls there were over days. They are added to, and forgotten,
// but not changed: while they are as many, the sums are the same.
const callsOf = `(SELECT CAST(COALESCE(SUM(calls), 0) AS BIGINT) FROM usage_totals WHERE span = 86400000 AND hour >= $1 AND hour < $2)`

func (db *DB) sumAhead(ctx context.Context, now time.Time, days, since, until int64) error {
	build, err := db.built(ctx, since, until)
	if err != nil || build != "" {
		return err
	}
	var seen int64 // before the sums are read, so that what comes meanwhile is noticed
	if err := db.read.QueryRowContext(ctx, `SELECT `+callsOf, since, until).Scan(&seen); err != nil {
		return err
	}
	build = buildName(now, rand.Text())
	for _, by := range []usage.By{usage.ByClient, usage.ByUser} {
		sums, err := db.Tallies(ctx, usage.Filter{Since: at(since), Until: at(until), Limit: mostAhead + 1}, by, 0)
		if err != nil || len(sums) > mostAhead {
			return err
		}
		for chunk := range slices.Chunk(sums, aheadChunk) {
			if err := db.addAhead(ctx, build, by, chunk); err != nil {
				return err
			}
		}
	}
	_, err = db.write.ExecContext(ctx, `INSERT INTO usage_built (days, build, since, until, seen) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (days) DO UPDATE SET build = excluded.build, since = excluded.since, until = excluded.until, seen = excluded.seen`,
		days, build, since, until, seen)
	return err
}

var insertAhead = `INSERT INTO usage_ahead (build, kind, name, ` + strings.Join(sumColumns, ", ") + `) VALUES (` + placeholders(1, 3+len(sumColumns)) + `)`

func (db *DB) addAhead(ctx context.Context, build string, by usage.By, sums []usage.Tally) error {
	return db.inTx(ctx, func(t *tx) error {
		for _, sum := range sums {
			if _, err := t.ExecContext(ctx, insertAhead, append([]any{build, string(by), sum.Key}, numbers(&sum)...)...); err != nil {
				return err
			}
		}
		return nil
	})
}

// built names the build of days, "" if there is none that has all calls.
func (db *DB) built(ctx context.Context, since, until int64) (build string, err error) {
	err = db.read.QueryRowContext(ctx, `SELECT build FROM usage_built WHERE since = $1 AND until = $2 AND seen = `+callsOf, since, until).Scan(&build)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return build, err
}

// dropBuilds forgets builds that no longer count, begun before a moment.
func (db *DB) dropBuilds(ctx context.Context, before time.Time) error {
	for {
		n, err := changed(ctx, db.write, `DELETE FROM usage_ahead WHERE (build, kind, name) IN (SELECT build, kind, name FROM usage_ahead
			WHERE build < $1 AND build NOT IN (SELECT build FROM usage_built) LIMIT $2)`, buildName(before, ""), aheadChunk)
		if err != nil || n < aheadChunk {
			return err
		}
	}
}

// mostFrequent adds today to what is added up ahead, for the f.Limit most frequent.
// Who was not active today can be among them only as one of the first of the build.
// Which they are is found with as little of each row as it takes; the CROSS JOIN has
// SQLite look each of them up, instead of reading the build.
var mostFrequent = func() map[usage.By]string {
	queries := map[usage.By]string{}
	for _, by := range []usage.By{usage.ByClient, usage.ByUser} {
		name, kind := columnOf[by], `build = $3 AND kind = '`+string(by)+`'`
		const today = ` FROM usage_hours WHERE hour >= $1 AND hour < $2`
		columns := strings.Join(sumColumns, ", ")
		queries[by] = `
			WITH most AS (
				SELECT name, SUM(calls) AS n FROM (
					SELECT ` + name + ` AS name, calls` + today + `
					UNION ALL
					SELECT a.name, a.calls FROM (
						SELECT ` + name + ` AS name` + today + `
						UNION SELECT name FROM (SELECT name FROM usage_ahead WHERE ` + kind + ` ORDER BY calls DESC, name LIMIT $4) AS first
					) AS those CROSS JOIN usage_ahead a WHERE a.` + kind + ` AND a.name = those.name
				) AS counts GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT $4)
			SELECT name, CAST(SUM(calls) AS BIGINT), 0, CAST(SUM(` + strings.Join(sumColumns[1:], `) AS BIGINT), CAST(SUM(`) + `) AS BIGINT) FROM (
				SELECT ` + name + ` AS name, ` + columns + today + ` AND ` + name + ` IN (SELECT name FROM most)
				UNION ALL
				SELECT name, ` + columns + ` FROM usage_ahead WHERE ` + kind + ` AND name IN (SELECT name FROM most)
			) AS sums GROUP BY 1 ORDER BY 2 DESC, 1`
	}
	return queries
}()

// mostAsked bounds how many sums are asked for at once of what is added up ahead.
const mostAsked = 1000

// ahead returns what Tallies does from what is added up ahead, if it is.
func (db *DB) ahead(ctx context.Context, f usage.Filter, by usage.By, step time.Duration) (sums []usage.Tally, ok bool, err error) {
	query, until := mostFrequent[by], ms(f.Until)-aDay
	whole := usage.Filter{Since: f.Since, Until: f.Until, Limit: f.Limit}
	if query == "" || step != 0 || f != whole || f.Limit < 1 || f.Limit > mostAsked {
		return nil, false, nil
	}
	build, err := db.built(ctx, ms(f.Since), until)
	if err != nil || build == "" {
		return nil, false, err
	}
	rows, err := db.read.QueryContext(ctx, query, until, ms(f.Until), build, f.Limit)
	sums, err = collect(rows, err, scanTally)
	return sums, true, err
}
