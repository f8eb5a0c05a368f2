package sqldb

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// maxStatements bounds the prepared statements of a pool. The stores have fewer; queries
// that are put together at run time are sent as text when there are more.
const maxStatements = 200

// Pool is a handle that prepares each statement once for each connection. To parse SQL takes SQLite
// a fifth of the time of a token request. The driver for PostgreSQL prepares statements itself.
type Pool struct {
	*sql.DB
	prepares bool
	texts    bool   // takes neither NUL nor invalid UTF-8: see encode
	group    *group // commits statements that write together; nil if each is a transaction

	Observer Observer // nil is none; set it before the pool is used

	mu    sync.Mutex
	stmts map[string]*sql.Stmt
}

// Observer observes the statements to a database. It is used concurrently.
type Observer interface {
	// ObserveStatement is called before each statement outside a transaction and before each
	// "TRANSACTION"; the function that it returns is called with the error, if it is one of the
	// database.
	ObserveStatement(ctx context.Context, statement string) func(error)
}

// observe calls the observer. The function that it returns leaves out the errors that the database
// did not cause.
func (p *Pool) observe(ctx context.Context, statement string) func(error) {
	if p.Observer == nil {
		return func(error) {}
	}
	ended := p.Observer.ObserveStatement(ctx, statement)
	return func(err error) { ended(fault(ctx, err)) }
}

// prepared returns the statement for a query, or nil to send it as text. An error of the
// query is returned when it is sent.
func (p *Pool) prepared(ctx context.Context, query string) *sql.Stmt {
	s, room := p.known(query)
	if s != nil || !room {
		return s
	}
	// Not under the lock: this waits for a connection, and the goroutine that has the
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

// encode converts the arguments of a statement in place: times and flags as BIGINT columns hold
// them. For PostgreSQL, it replaces the characters that it does not take, because agents and clients
// choose names freely. SQLite takes all.
func (p *Pool) encode(args []any) []any {
	for i, a := range args {
		switch v := a.(type) {
		case time.Time:
			args[i] = Millis(v)
		case bool:
			args[i] = flag(v)
		case string:
			if p.texts && (strings.IndexByte(v, 0) >= 0 || !utf8.ValidString(v)) {
				args[i] = strings.ReplaceAll(strings.ToValidUTF8(v, "\uFFFD"), "\x00", "\uFFFD")
			}
		}
	}
	return args
}

// ExecContext runs a statement.
func (p *Pool) ExecContext(
	ctx context.Context, query string, args ...any,
) (done sql.Result, err error) {
	ended := p.observe(ctx, query)
	defer func() { ended(err) }()
	if p.group != nil {
		err = p.group.inTx(ctx, func(t *Tx) (err error) {
			done, err = t.ExecContext(ctx, query, args...)
			return err
		})
		return done, err
	}

	p.encode(args)
	if s := p.prepared(ctx, query); s != nil {
		done, err = s.ExecContext(ctx, args...)
	} else {
		done, err = p.DB.ExecContext(ctx, query, args...)
	}

	return done, Classify(err)
}

// QueryContext asks for rows.
func (p *Pool) QueryContext(
	ctx context.Context, query string, args ...any,
) (rows *sql.Rows, err error) {
	ended := p.observe(ctx, query)
	defer func() { ended(err) }()
	p.encode(args)
	if s := p.prepared(ctx, query); s != nil {
		rows, err = s.QueryContext(ctx, args...)
	} else {
		rows, err = p.DB.QueryContext(ctx, query, args...)
	}

	return rows, Classify(err)
}

// QueryRowContext asks for one row.
func (p *Pool) QueryRowContext(ctx context.Context, query string, args ...any) Row {
	ended := p.observe(ctx, query)
	p.encode(args)
	var row *sql.Row
	if s := p.prepared(ctx, query); s != nil {
		row = s.QueryRowContext(ctx, args...)
	} else {
		row = p.DB.QueryRowContext(ctx, query, args...)
	}

	ended(Classify(row.Err()))
	return decoder{row}
}

// transactionTimeout bounds a transaction, far above the usual.
const transactionTimeout = 30 * time.Second

// Tx is a transaction that uses the prepared statements of its pool. It may hold the only
// connection of the pool, so statements that are missing are prepared afterwards.
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

// ExecContext runs a statement in the context of the transaction.
func (t *Tx) ExecContext(
	_ context.Context, query string, args ...any,
) (done sql.Result, err error) {
	t.pool.encode(args)
	if s := t.prepared(query); s != nil {
		done, err = s.ExecContext(t.ctx, args...)
	} else {
		done, err = t.Tx.ExecContext(t.ctx, query, args...)
	}
	return done, Classify(err)
}

// QueryContext runs a query in the context of the transaction.
func (t *Tx) QueryContext(
	_ context.Context, query string, args ...any,
) (rows *sql.Rows, err error) {
	t.pool.encode(args)
	if s := t.prepared(query); s != nil {
		rows, err = s.QueryContext(t.ctx, args...)
	} else {
		rows, err = t.Tx.QueryContext(t.ctx, query, args...)
	}
	return rows, Classify(err)
}

// QueryRowContext runs a query for one row in the context of the transaction.
func (t *Tx) QueryRowContext(_ context.Context, query string, args ...any) Row {
	t.pool.encode(args)
	if s := t.prepared(query); s != nil {
		return decoder{s.QueryRowContext(t.ctx, args...)}
	}
	return decoder{t.Tx.QueryRowContext(t.ctx, query, args...)}
}

// inTx runs do in a transaction. It commits if do returns nil, and rolls back otherwise. A
// transaction that has begun does not end with ctx: to interrupt a statement would close
// the connection on PostgreSQL, and undo the writes of the same group on SQLite.
func (p *Pool) inTx(ctx context.Context, do func(*Tx) error) error {
	missed, err := p.transact(ctx, do)
	if err != nil {
		return Classify(err)
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
	if p.group == nil { // SQLite waits no longer than busy_timeout, and a deadline costs each statement a goroutine
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, transactionTimeout)
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
