package store

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"rialto/bridge"
)

// signalChannel is what replicas notify each other on. Databases have channels
// of their own.
const signalChannel = "rialto_signals"

// relistenAfter is the pause after the connection that listens was lost.
const relistenAfter = time.Second

// Signals returns what replicas tell each other by, or nil on SQLite, whose
// replicas are one.
func (db *DB) Signals() bridge.Signals {
	if !db.postgres {
		return nil
	}
	return signals{db}
}

type signals struct{ db *DB }

// Send implements bridge.Signals.
func (s signals) Send(ctx context.Context, m bridge.Signal) error {
	payload, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = s.db.write.ExecContext(ctx, `SELECT pg_notify('`+signalChannel+`', $1)`, string(payload))
	return err
}

// Listen implements bridge.Signals. It keeps one of the connections.
func (s signals) Listen(ctx context.Context, heard func(bridge.Signal)) {
	for ctx.Err() == nil {
		_ = s.listen(ctx, heard) // waiters look by themselves meanwhile
		select {
		case <-ctx.Done():
		case <-time.After(relistenAfter):
		}
	}
}

func (s signals) listen(ctx context.Context, heard func(bridge.Signal)) error {
	conn, err := s.db.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(raw any) error {
		c := raw.(*stdlib.Conn).Conn()
		if _, err := c.Exec(ctx, `LISTEN `+signalChannel); err != nil {
			return err
		}
		err := hear(ctx, c, heard)
		return errors.Join(err, driver.ErrBadConn) // it listens: nobody else may use it
	})
}

func hear(ctx context.Context, c *pgx.Conn, heard func(bridge.Signal)) error {
	for {
		n, err := c.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		var m bridge.Signal
		if json.Unmarshal([]byte(n.Payload), &m) == nil {
			heard(m)
		}
	}
}
