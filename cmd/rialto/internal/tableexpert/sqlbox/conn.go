package sqlbox

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"runtime"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// conn is one connection to all databases of a box, for one query. It is
// used by one goroutine.
type conn struct {
	box *Box
	ctx context.Context
	tls *libc.TLS
	db  uintptr

	vfsName uintptr // in C memory
	temp    tempFiles

	callbacks []any // SQLite holds functions by address; this keeps them alive

	outline *outline // of a stranger's statement
	denied  *Error   // by the authorizer
	stopped error    // why the progress handler stopped the statement
}

// open makes c a connection on which nothing can be written. It is to be
// closed even when that fails.
func (c *conn) open() error {
	for _, step := range []func() error{c.openTemp, c.openMain, c.configure, c.loadImage, c.attachFiles, c.restrict} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) close() {
	sqlite3.Xsqlite3_close_v2(c.tls, c.db)
	c.temp.unregister(c.tls)
	libc.Xfree(c.tls, c.vfsName)
	c.tls.Close()
	runtime.KeepAlive(c)
}

func (c *conn) openTemp() error {
	c.temp.remaining = maxSpill
	c.vfsName, _ = c.cString(fmt.Sprintf("sqlbox-%p", c))
	return c.temp.register(c.tls, c.vfsName)
}

func (c *conn) openMain() error {
	p := c.tls.Alloc(pointerSize)
	defer c.tls.Free(pointerSize)
	name, free := c.cString(":memory:")
	defer free()
	const flags = sqlite3.SQLITE_OPEN_READWRITE |
		sqlite3.SQLITE_OPEN_URI |
		sqlite3.SQLITE_OPEN_NOMUTEX |
		sqlite3.SQLITE_OPEN_PRIVATECACHE
	rc := sqlite3.Xsqlite3_open_v2(c.tls, name, p, flags, c.vfsName)
	c.db = load[uintptr](p)
	return c.errorOf(rc)
}

// configure turns off what lets a database file, which may be a stranger's
// too, do more than hold data (https://www.sqlite.org/security.html).
func (c *conn) configure() error {
	for option, on := range map[int32]int32{
		sqlite3.SQLITE_DBCONFIG_DEFENSIVE:             1,
		sqlite3.SQLITE_DBCONFIG_TRUSTED_SCHEMA:        0,
		sqlite3.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION: 0,
		sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER:        0,
		sqlite3.SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE:  0,
		sqlite3.SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE:   0,
		// A misspelt "column" is an error, not a text.
		sqlite3.SQLITE_DBCONFIG_DQS_DDL: 0,
		sqlite3.SQLITE_DBCONFIG_DQS_DML: 0,
	} {
		const size = 16 // two slots of VaList
		p := c.tls.Alloc(size)
		rc := sqlite3.Xsqlite3_db_config(c.tls, c.db, option, libc.VaList(p, on, uintptr(0)))
		c.tls.Free(size)
		if rc != sqlite3.SQLITE_OK {
			return c.errorOf(rc)
		}
	}
	return nil
}

// loadImage makes the box's image the main database, without a copy. With
// SQLITE_DESERIALIZE_READONLY, SQLite refuses every write to it.
func (c *conn) loadImage() error {
	n := c.box.size
	if n == 0 {
		return nil
	}

	schema, free := c.cString("main")
	defer free()
	return c.errorOf(
		sqlite3.Xsqlite3_deserialize(
			c.tls,
			c.db,
			schema,
			c.box.image,
			n,
			n,
			sqlite3.SQLITE_DESERIALIZE_READONLY,
		),
	)
}

func (c *conn) attachFiles() error {
	for _, f := range c.box.Files {
		u := url.URL{
			Scheme:   "file",
			Path:     f.Path,
			OmitHost: true,
			RawQuery: "mode=ro",
		}
		if f.Immutable {
			u.RawQuery += "&immutable=1"
		}
		if _, err := c.query(
			job{sql: "ATTACH ? AS ?", args: []string{u.String(), f.Name}},
		); err != nil {
			return fmt.Errorf("attaching %s: %w", f.Name, err)
		}
		// SQLite opens a file when it first needs it; this is when to know.
		_, err := c.query(
			job{sql: "SELECT count(*) FROM " + Quote(f.Name) + ".sqlite_schema", maxRows: 1},
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// restrict sets the limits that hold for the statement itself.
func (c *conn) restrict() error {
	for _, pragma := range []string{
		"query_only=1",
		"temp_store=1",
		"main.cache_size=-2000",
		"mmap_size=0",
		"busy_timeout=1000",
	} {
		if _, err := c.query(job{sql: "PRAGMA " + pragma, maxRows: 1}); err != nil {
			return err
		}
	}

	for id, most := range map[int32]int{
		sqlite3.SQLITE_LIMIT_LENGTH:              maxValue,
		sqlite3.SQLITE_LIMIT_SQL_LENGTH:          256 << 10, // schemas are parsed under it too
		sqlite3.SQLITE_LIMIT_COLUMN:              c.box.MaxWidth,
		sqlite3.SQLITE_LIMIT_EXPR_DEPTH:          100,
		sqlite3.SQLITE_LIMIT_COMPOUND_SELECT:     100,
		sqlite3.SQLITE_LIMIT_VDBE_OP:             50_000,
		sqlite3.SQLITE_LIMIT_FUNCTION_ARG:        32,
		sqlite3.SQLITE_LIMIT_ATTACHED:            0,
		sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 200,
		sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER:     32,
		sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH:       1,
		sqlite3.SQLITE_LIMIT_WORKER_THREADS:      0,
	} {
		sqlite3.Xsqlite3_limit(c.tls, c.db, id, int32(min(most, math.MaxInt32)))
	}

	progress := c.progress
	c.callbacks = append(c.callbacks, &progress)
	sqlite3.Xsqlite3_progress_handler(c.tls, c.db, progressSteps, address(&progress), 0)
	return nil
}

// setAuthorizer asks authorize about everything that is compiled from here on.
func (c *conn) setAuthorizer() {
	authorize := c.authorize
	c.callbacks = append(c.callbacks, &authorize)
	sqlite3.Xsqlite3_set_authorizer(c.tls, c.db, address(&authorize), 0)
}

// progressSteps is how many steps of SQLite's machine go by between looks at the
// clock. One step takes a third of a second at worst: instr on two values as
// long as a value may be.
const progressSteps = 50

// progress is called every so many steps; another answer than 0 stops the
// statement.
func (c *conn) progress(*libc.TLS, uintptr) int32 {
	if c.ctx.Err() != nil {
		c.stopped = errStopped
		return 1
	}
	return 0
}

// cString copies s to C's memory, with a NUL after it.
func (c *conn) cString(s string) (p uintptr, free func()) {
	p, err := libc.CString(s)
	if err != nil {
		panic(err) // out of memory
	}
	return p, func() { libc.Xfree(c.tls, p) }
}
