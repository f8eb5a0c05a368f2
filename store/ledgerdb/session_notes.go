package ledgerdb

import (
	"context"
	"encoding/json"
	"time"

	"rialto/bridge/ledger"
	"rialto/store/sqldb"
)

// SessionNotes keeps the notes of MCP sessions, as mcp.SessionNotes describes them. Replicas learn
// of a change by a signal that is sent when it is committed.
type SessionNotes struct{ Store *Store }

// maxNotes bounds the notes of an owner whose names begin alike: subscriptions, which last as long as
// their session, must not keep agents from asking.
const maxNotes = 2000

// AddNote implements mcp.SessionNotes.
func (n SessionNotes) AddNote(
	ctx context.Context,
	owner, session, name string,
	until time.Time,
) (bool, error) {
	return n.change(ctx, session, `
		INSERT INTO session_notes (session, name, owner, until)
		SELECT $1, $2, $3, CAST($4 AS BIGINT) WHERE (
			SELECT count(*) FROM session_notes
			WHERE owner = $3 AND substr(name, 1, 4) = substr(CAST($2 AS TEXT), 1, 4)
		) < CAST($5 AS BIGINT)
		ON CONFLICT (session, name) DO UPDATE SET until = excluded.until, value = NULL`,
		session, name, owner, until, maxNotes)
}

// FillNote implements mcp.SessionNotes.
func (n SessionNotes) FillNote(
	ctx context.Context,
	session, name string,
	value []byte,
) (bool, error) {
	return n.change(ctx, session, `
		UPDATE session_notes SET value = $3 WHERE session = $1 AND name = $2 AND value IS NULL`,
		session, name, string(value))
}

// DropNotes implements mcp.SessionNotes.
func (n SessionNotes) DropNotes(ctx context.Context, session, name string) error {
	_, err := n.change(ctx, session, `
		DELETE FROM session_notes WHERE session = $1 AND ($2 = '' OR name = $2)`,
		session, name)
	return err
}

func (n SessionNotes) change(
	ctx context.Context,
	session, query string,
	args ...any,
) (changed bool, err error) {
	payload, err := json.Marshal(ledger.Signal{About: ledger.AboutSession, Handle: session})
	if err != nil {
		return false, err
	}

	err = n.Store.sql.InTx(ctx, func(t *sqldb.Tx) error {
		rows, err := sqldb.Changed(ctx, t, query, args...)
		changed = rows > 0
		if err != nil || !changed || !n.Store.sql.Postgres {
			return err
		}
		return sqldb.Exec(ctx, t, `SELECT pg_notify('`+signalChannel+`', $1)`, string(payload))
	})
	return changed && err == nil, err
}

// SessionNotes implements mcp.SessionNotes.
func (n SessionNotes) SessionNotes(ctx context.Context, session string) (map[string][]byte, error) {
	notes := map[string][]byte{}
	_, err := sqldb.Select(ctx, n.Store.sql.Read, func(r sqldb.Row) (name string, err error) {
		var value []byte // nil of NULL
		err = r.Scan(&name, &value)
		notes[name] = value
		return name, err
	}, `SELECT name, value FROM session_notes WHERE session = $1`, session)
	return notes, err
}

// DropOld deletes the notes whose time is over.
func (n SessionNotes) DropOld(ctx context.Context, now time.Time) error {
	return sqldb.Exec(ctx, n.Store.sql.Write, `DELETE FROM session_notes WHERE until < $1`, now)
}
