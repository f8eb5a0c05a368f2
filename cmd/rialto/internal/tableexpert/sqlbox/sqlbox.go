// Package sqlbox runs one read-only SQL statement of a stranger on SQLite,
// within limits of time, memory, disk and answer.
//
// Several guards stand behind one another, and each would be enough against
// writing: the text must be one statement that reads (statement.go), an
// authorizer sees every table and function that SQLite is about to use
// (guard.go), the main database is a read-only image in memory and the others
// are opened read-only, "PRAGMA query_only" is on, and SQLite itself must
// call the compiled statement read-only (conn.go). Against everything that
// merely costs too much there are SQLite's own limits (conn.go), a clock, a
// budget for temporary files (temp.go), and an estimate of the size of a
// statement when SQLite expands it (expand.go).
//
// Each query gets a connection of its own, which is thrown away after it: to
// open one costs about a millisecond, and nothing that a statement does can
// reach the next.
//
// The package uses SQLite's C interface as modernc.org/sqlite translates it,
// below database/sql, because the driver offers neither an authorizer nor a
// progress handler; without the latter, what a sort writes to disk could not
// be bounded.
package sqlbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"rialto/internal/quota"
)

// Box is a set of databases that strangers may read. Set the fields before
// the first query; Query may be called concurrently.
type Box struct {
	// Image is the main database, as sqlite3_serialize makes it; nil is an
	// empty one. The first query copies it to where SQLite can use it, and
	// lets it go; all queries share that copy, and none can write to it.
	Image []byte

	// Files are attached to every connection, read-only.
	Files []File

	// Tables names, in lower case, what a stranger's statement may read.
	Tables map[string]bool

	Timeout  time.Duration // of one query; 0 means 5 s
	MaxWidth int           // columns of a table or answer; 0 means 100
	Parallel int           // queries at a time; 0 means 2

	once         sync.Once
	slots        quota.Queue
	image        uintptr // copy of Image in C memory
	size         int64   // of it
	mu           sync.Mutex
	crashedConns []*conn // left by a crash; SQLite may still point to them
}

// The limits of a query, in bytes.
const (
	maxAnswer = 1 << 20
	maxValue  = 256 << 10 // one value, also an intermediate one
	maxSpill  = 64 << 20  // all temporary files
)

// File is a database file that is attached under a name.
type File struct {
	Name      string // of the schema, "claims" in claims.policies
	Path      string // absolute
	Immutable bool   // nothing else writes to the file, not even its journal
}

// Result is what a statement answered.
type Result struct {
	Columns   []string
	Rows      [][]any // nil, int64, float64, string or []byte
	Truncated Reason  // why there may be more rows; empty if there are none
}

// Reason says which limit cut an answer.
type Reason string

// The limits that cut an answer rather than fail it.
const (
	ByRows  Reason = "rows"
	ByBytes Reason = "bytes"
)

// Query runs a stranger's statement and returns at most maxRows rows. An
// error that the stranger can do something about is an *Error.
func (b *Box) Query(ctx context.Context, statement string, maxRows int) (*Result, error) {
	if err := check(statement); err != nil {
		return nil, err
	}
	return b.run(ctx, job{sql: statement, maxRows: maxRows, untrusted: true})
}

// QueryTrusted runs a statement of the program's, which may read anything in the box.
// The limits and the read-only modes hold all the same.
func (b *Box) QueryTrusted(
	ctx context.Context,
	maxRows int,
	statement string,
	args ...string,
) (*Result, error) {
	return b.run(ctx, job{sql: statement, args: args, maxRows: maxRows})
}

// job is a statement on its way through the box.
type job struct {
	sql       string
	args      []string
	maxRows   int
	untrusted bool
}

// gracePeriod is how long callers wait for a query after its time is over. SQLite looks at the clock
// between the steps of its machine, and one step, such as instr on two long strings, can take
// seconds; the slot stays taken until it ends.
const gracePeriod = time.Second

func (b *Box) run(ctx context.Context, j job) (*Result, error) {
	b.once.Do(b.start)
	ctx, cancel := context.WithTimeoutCause(ctx, b.Timeout, errTimeout)
	defer cancel()
	leave, err := b.acquire(ctx)
	if err != nil {
		return nil, b.explain(ctx, err)
	}

	type answer struct {
		res *Result
		err error
	}
	done := make(chan answer, 1)
	go func() {
		defer leave()
		res, err := b.runRecovering(ctx, j)
		done <- answer{res, err}
	}()
	select {
	case a := <-done:
		return a.res, b.explain(ctx, a.err)
	case <-ctx.Done():
	}

	select {
	case a := <-done:
		return a.res, b.explain(ctx, a.err)
	case <-time.After(gracePeriod):
		return nil, b.explain(ctx, context.Cause(ctx))
	}
}

// acquire waits for a slot, until leave.
func (b *Box) acquire(ctx context.Context) (leave func(), err error) {
	if b.crashedTooOften() {
		return nil, errors.New("sqlite has crashed too often")
	}
	leave, err = b.slots.Acquire(ctx, "", quota.Room{Running: b.Parallel, Waiting: quota.Unlimited})
	if err != nil {
		return nil, context.Cause(ctx)
	}
	return leave, nil
}

// start sets the limits that are 0 and copies the image to C memory, where it stays as long as
// the box, or a query on it, can be reached.
func (b *Box) start() {
	b.Timeout = cmp.Or(b.Timeout, 5*time.Second)
	b.MaxWidth = cmp.Or(b.MaxWidth, 100)
	b.Parallel = cmp.Or(b.Parallel, 2)
	if len(b.Image) == 0 {
		return
	}

	tls := libc.NewTLS()
	defer tls.Close()
	b.image = allocate(tls, len(b.Image))
	b.size = int64(copy(cBytes(b.image, len(b.Image)), b.Image))
	b.Image = nil
	runtime.AddCleanup(b, func(p uintptr) {
		tls := libc.NewTLS()
		defer tls.Close()
		sqlite3.Xsqlite3_free(tls, p)
	}, b.image)
}

// runRecovering runs j and makes an error of a crash in the translated C code: a
// stranger's statement must not take the process with it.
func (b *Box) runRecovering(ctx context.Context, j job) (res *Result, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	c := &conn{box: b, ctx: ctx, tls: libc.NewTLS()}
	defer func() {
		if p := recover(); p != nil {
			b.keepCrashed(c)
			res, err = nil, fmt.Errorf("sqlite crashed: %v", p)
		}
	}()
	if err = c.open(); err == nil {
		res, err = c.query(j)
	}

	c.close()
	return res, err
}

// maxCrashes is how many crashes a box survives before it refuses to go on.
const maxCrashes = 20

// keepCrashed holds on to a connection that cannot be closed any more.
func (b *Box) keepCrashed(c *conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.crashedConns = append(b.crashedConns, c)
}

func (b *Box) crashedTooOften() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.crashedConns) >= maxCrashes
}

// explain makes an *Error of the cause that ended a query.
func (b *Box) explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errTimeout), errors.Is(err, errStopped) && context.Cause(ctx) == errTimeout:
		return errorf(
			TooSlow,
			"the query took longer than %v and was stopped; narrow it with WHERE, aggregate less, "+
				"or look for a join without a condition or a recursion without an end",
			b.Timeout,
		)
	case errors.Is(err, errStopped):
		return context.Cause(ctx)
	default:
		return err
	}
}
