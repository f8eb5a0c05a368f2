package tableexpert

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	_ "modernc.org/sqlite" // the driver that images are built with
)

// builder fills a database in memory, which is then frozen into an image.
type builder struct {
	db *sql.DB
	tx *sql.Tx
}

func newBuilder(ctx context.Context) (*builder, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}

	db.SetMaxOpenConns(1) // each connection to :memory: is a database of its own
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		db.Close()
		return nil, err
	}

	return &builder{db: db, tx: tx}, nil
}

func (b *builder) close() { b.db.Close() }

func (b *builder) exec(ctx context.Context, statement string) error {
	_, err := b.tx.ExecContext(ctx, statement)
	return err
}

// insertion prepares a statement that adds a row of n values to a table. Close it afterwards.
func (b *builder) insertion(ctx context.Context, table string, n int) (*sql.Stmt, error) {
	marks := strings.TrimSuffix(strings.Repeat("?,", n), ",")
	return b.tx.PrepareContext(ctx, fmt.Sprintf("INSERT INTO %s VALUES (%s)", table, marks))
}

// freeze returns the database as bytes.
func (b *builder) freeze(ctx context.Context) ([]byte, error) {
	if err := b.tx.Commit(); err != nil {
		return nil, err
	}
	if _, err := b.db.ExecContext(ctx, "ANALYZE"); err != nil {
		return nil, err
	}

	conn, err := b.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	var image []byte
	err = conn.Raw(func(c any) error {
		s, ok := c.(interface{ Serialize() ([]byte, error) })
		if !ok {
			return errors.New("the driver cannot serialize")
		}
		var err error
		image, err = s.Serialize()
		return err
	})
	return image, err
}
