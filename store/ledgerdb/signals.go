package ledgerdb

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"rialto/bridge/ledger"
	"rialto/store/sqldb"
)

// signalChannel is what replicas notify each other on. Databases have channels of their own.
const signalChannel = "rialto_signals"

// relistenDelay is the pause after the connection that listens was lost.
const relistenDelay = time.Second

// Signals returns the channel between replicas, or nil on SQLite, which has one replica.
// It logs when the connection is lost, and when it is back.
func (db *Store) Signals(log *slog.Logger) ledger.Signals {
	if !db.sql.Postgres {
		return nil
	}
	return signals{db, log}
}

type signals struct {
	db  *Store
	log *slog.Logger
}

// Send implements ledger.Signals. One statement sends all: PostgreSQL waits for the disk when a
// transaction with a notification ends.
func (s signals) Send(ctx context.Context, all ...ledger.Signal) error {
	payloads := make([]string, len(all))
	for i, m := range all {
		payload, err := json.Marshal(m)
		if err != nil {
			return err
		}
		payloads[i] = string(payload)
	}

	return sqldb.Exec(ctx, s.db.sql.Write, `
		SELECT pg_notify('`+signalChannel+`', payload)
		FROM unnest($1::text[]) WITH ORDINALITY AS new (payload, number) ORDER BY number`,
		payloads)
}

// Listen implements ledger.Signals. It keeps one of the connections.
func (s signals) Listen(ctx context.Context, heard func(ledger.Signal)) {
	failing := false
	listening := func() {
		if failing {
			s.log.InfoContext(ctx, "the connection to other replicas is back")
		}
		failing = false
	}
	for ctx.Err() == nil {
		err := s.listen(ctx, listening, heard)
		if !failing && ctx.Err() == nil {
			s.log.WarnContext(
				ctx,
				"the connection to other replicas is lost: changes of their tasks are seen later, by polling",
				"err", err,
			)
			failing = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(relistenDelay):
		}
	}
}

func (s signals) listen(ctx context.Context, listening func(), heard func(ledger.Signal)) error {
	conn, err := s.db.sql.Write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(raw any) error {
		c := raw.(*stdlib.Conn).Conn()
		if _, err := c.Exec(ctx, `LISTEN `+signalChannel); err != nil {
			return err
		}
		listening()
		heard(ledger.Signal{About: ledger.AboutSession}) // a note may have changed before
		err := receive(ctx, c, heard)
		return errors.Join(err, driver.ErrBadConn) // it listens: do not use it again
	})
}

func receive(ctx context.Context, c *pgx.Conn, heard func(ledger.Signal)) error {
	for {
		n, err := c.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		var m ledger.Signal
		if json.Unmarshal([]byte(n.Payload), &m) == nil {
			heard(m)
		}
	}
}
