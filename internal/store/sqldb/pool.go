package sqldb

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// maxStatements bounds what a pool keeps prepared. There are fewer statements
// in this package; one that is put together at run time would find no place.
const maxStatements = 200

// pool is a handle that prepares each statement once for each connection.
// Parsing SQL takes SQLite a fifth of the time of a whole token request. The
// driver for PostgreSQL does the same by itself.
type Pool struct {
	*sql.DB
	prepares bool
	texts    bool   // takes neither NUL nor broken UTF-8: see storable
	group    *group // where statements that write are committed, nil if each is by itself

	mu    sync.Mutex
	stmts map[string]*sql.Stmt
}

// prepared returns the statement for a query, or nil if it has to be sent as
// text. Whatever is wrong with the query shows when it is sent.
func (p *Pool) prepared(ctx context.Context, query string) *sql.Stmt {
	s, room := p.known(query)
	if s != nil || !room {
		return s
	}
	// Not under the lock: this waits for a connection, and whoever has the
	// connection may wait for the lock.
	s, err := p.DB.PrepareContext(ctx, query)
	if err != nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if first, ok := p.stmts[query]; ok {
		s.Close()
		return first
	}
	if p.stmts == nil {
		p.stmts = map[string]*sql.Stmt{}
	}
	p.stmts[query] = s
	return s
}

// known returns the statement for a query if it is prepared, and otherwise
// whether there is room to prepare it.
func (p *Pool) known(query string) (s *sql.Stmt, room bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stmts[query], p.prepares && len(p.stmts) < maxStatements
}

// storable returns the arguments of a statement such as PostgreSQL takes them:
// what agents and clients call their things is not ours to choose, and SQLite
// takes any. What it does not take becomes replacement characters.
func (p *Pool) storable(args []any) []any {
	if !p.texts {
		return args
	}
	for i, a := range args {
		if s, ok := a.(string); ok && (strings.IndexByte(s, 0) >= 0 || !utf8.ValidString(s)) {
			args[i] = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
		}
	}
	return args
}

// ExecContext runs a statement.
func (p *Pool) ExecContext(ctx context.Context, query string, args ...any) (done sql.Result, err error) {
	if p.group != nil {
		err = p.group.inTx(ctx, func(t *Tx) (err error) {
			done, err = t.ExecContext(ctx, query, args...)
			return err
		})
		return done, err
	}
	if s := p.prepared(ctx, query); s != nil {
		return s.ExecContext(ctx, args...)
	}
	return p.DB.ExecContext(ctx, query, p.storable(args)...)
}

// QueryContext asks for rows.
func (p *Pool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if s := p.prepared(ctx, query); s != nil {
		return s.QueryContext(ctx, args...)
	}
	return p.DB.QueryContext(ctx, query, p.storable(args)...)
}

// Row is a row.
type Row interface{ Scan(dest ...any) error }

// QueryRowContext asks for one row.
func (p *Pool) QueryRowContext(ctx context.Context, query string, args ...any) Row {
	if s := p.prepared(ctx, query); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return p.DB.QueryRowContext(ctx, query, p.storable(args)...)
}

// longest is how long a transaction may take, far beyond what one does.
const longest = 30 * time.Second

// tx is a transaction that uses what its pool has prepared. It cannot prepare
// for the pool, whose only connection it may hold; it remembers what to prepare
// afterwards.
type Tx struct {
	*sql.Tx
	pool   *Pool
	ctx    context.Context // of every statement: see inTx
	missed []string
}

func (t *Tx) prepared(query string) *sql.Stmt {
	s, room := t.pool.known(query)
	if s != nil {
		return t.StmtContext(t.ctx, s)
	}
	if room {
		t.missed = append(t.missed, query)
	}
	return nil
}

// ExecContext runs a statement. It is the transaction's context that counts.
func (t *Tx) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	if s := t.prepared(query); s != nil {
		return s.ExecContext(t.ctx, args...)
	}
	return t.Tx.ExecContext(t.ctx, query, t.pool.storable(args)...)
}

// QueryContext asks for rows. It is the transaction's context that counts.
func (t *Tx) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	if s := t.prepared(query); s != nil {
		return s.QueryContext(t.ctx, args...)
	}
	return t.Tx.QueryContext(t.ctx, query, t.pool.storable(args)...)
}

// QueryRowContext asks for one row. It is the transaction's context that
// counts.
func (t *Tx) QueryRowContext(_ context.Context, query string, args ...any) Row {
	if s := t.prepared(query); s != nil {
		return s.QueryRowContext(t.ctx, args...)
	}
	return t.Tx.QueryRowContext(t.ctx, query, t.pool.storable(args)...)
}

// inTx runs do in a transaction. It commits if do returns nil and rolls back
// otherwise. A caller whose ctx ends while it waits for a connection gets none.
// Once the transaction has begun it is done or fails whatever becomes of ctx:
// to interrupt a statement costs the connection on PostgreSQL, and what others
// wrote in the same group on SQLite.
func (p *Pool) inTx(ctx context.Context, do func(*Tx) error) error {
	missed, err := p.transact(ctx, do)
	if err != nil {
		return err
	}
	for _, query := range missed {
		p.prepared(ctx, query)
	}
	return nil
}

func (p *Pool) transact(ctx context.Context, do func(*Tx) error) (missed []string, err error) {
	conn, err := p.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	ctx = context.WithoutCancel(ctx)
	if p.group == nil { // SQLite waits for nobody longer than busy_timeout, and an end costs each statement a goroutine
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, longest)
		defer cancel()
	}
	begun, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer begun.Rollback() // after Commit this does nothing
	t := &Tx{Tx: begun, pool: p, ctx: ctx}
	if err := do(t); err != nil {
		return nil, err
	}
	return t.missed, begun.Commit()
}
