package sqlbox

import (
	"fmt"
	"slices"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// query compiles, checks and runs a statement.
func (c *conn) query(j job) (*Result, error) {
	if j.untrusted {
		c.outline = outlineOf(j.sql)
		if err := c.outline.check(); err != nil {
			return nil, err
		}
		c.setAuthorizer()
	}

	stmt, err := c.prepare(j.sql)
	if err != nil {
		return nil, err
	}
	defer sqlite3.Xsqlite3_finalize(c.tls, stmt)
	if stmt == 0 {
		return nil, errorf(NotOne, "there is no statement")
	}
	if j.untrusted && sqlite3.Xsqlite3_stmt_readonly(c.tls, stmt) == 0 {
		return nil, errorf(NotRead, "the tables are read-only; only reading statements are run")
	}

	for i, arg := range j.args {
		text, free := c.cString(arg)
		defer free()
		rc := sqlite3.Xsqlite3_bind_text(
			c.tls,
			stmt,
			int32(i+1),
			text,
			int32(len(arg)),
			0,
		) // 0 is SQLITE_STATIC
		if rc != sqlite3.SQLITE_OK {
			return nil, c.errorOf(rc)
		}
	}

	return c.rows(stmt, j.maxRows)
}

func (c *conn) prepare(sql string) (uintptr, error) {
	p := c.tls.Alloc(pointerSize)
	defer c.tls.Free(pointerSize)
	text, free := c.cString(sql)
	defer free()
	rc := sqlite3.Xsqlite3_prepare_v2(c.tls, c.db, text, int32(len(sql))+1, p, 0)
	if rc != sqlite3.SQLITE_OK {
		return 0, c.errorOf(rc)
	}
	return load[uintptr](p), nil
}

// rows collects the answer until it or one of its limits ends.
func (c *conn) rows(stmt uintptr, maxRows int) (*Result, error) {
	n := sqlite3.Xsqlite3_column_count(c.tls, stmt)
	res := &Result{Columns: make([]string, n), Rows: [][]any{}}
	for i := range n {
		res.Columns[i] = libc.GoString(sqlite3.Xsqlite3_column_name(c.tls, stmt, i))
	}

	size := 0
	for {
		switch rc := sqlite3.Xsqlite3_step(c.tls, stmt); rc {
		case sqlite3.SQLITE_ROW:
		case sqlite3.SQLITE_DONE:
			return res, nil
		default:
			return nil, c.errorOf(rc)
		}
		if len(res.Rows) >= maxRows {
			res.Truncated = ByRows
			return res, nil
		}
		row, bytes := c.row(stmt, n)
		size += bytes
		switch {
		case size <= maxAnswer:
			res.Rows = append(res.Rows, row)
		case len(res.Rows) > 0:
			res.Truncated = ByBytes
			return res, nil
		default:
			return nil, errorf(TooLarge, "one row of the answer is longer than %d KiB; "+
				"select fewer columns, or substr of the long ones", maxAnswer>>10)
		}
	}
}

// row reads the current row. When its values are too long together it
// returns no row, but their length.
func (c *conn) row(stmt uintptr, n int32) (row []any, size int) {
	for i := range n {
		// The order matters: column_bytes may convert, column_type tells the
		// type before that.
		switch sqlite3.Xsqlite3_column_type(c.tls, stmt, i) {
		case sqlite3.SQLITE_TEXT, sqlite3.SQLITE_BLOB:
			size += int(sqlite3.Xsqlite3_column_bytes(c.tls, stmt, i))
		}
		size += 8
	}

	if size > maxAnswer {
		return nil, size
	}

	row = make([]any, n)
	for i := range n {
		row[i] = c.value(stmt, i)
	}

	return row, size
}

func (c *conn) value(stmt uintptr, i int32) any {
	switch sqlite3.Xsqlite3_column_type(c.tls, stmt, i) {
	case sqlite3.SQLITE_INTEGER:
		return sqlite3.Xsqlite3_column_int64(c.tls, stmt, i)
	case sqlite3.SQLITE_FLOAT:
		return sqlite3.Xsqlite3_column_double(c.tls, stmt, i)
	case sqlite3.SQLITE_TEXT:
		p := sqlite3.Xsqlite3_column_text(c.tls, stmt, i)
		b := cBytes(p, int(sqlite3.Xsqlite3_column_bytes(c.tls, stmt, i)))
		return strings.ToValidUTF8(string(b), "\uFFFD")
	case sqlite3.SQLITE_BLOB:
		p := sqlite3.Xsqlite3_column_blob(c.tls, stmt, i)
		return slices.Clone(cBytes(p, int(sqlite3.Xsqlite3_column_bytes(c.tls, stmt, i))))
	default:
		return nil
	}
}

// errorOf makes an error of a result code; nil of SQLITE_OK.
func (c *conn) errorOf(rc int32) error {
	if rc == sqlite3.SQLITE_OK {
		return nil
	}
	if c.stopped != nil {
		return c.stopped
	}
	if c.denied != nil {
		return c.denied
	}

	text := libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db))
	switch rc & 0xff { // the rest of an extended code does not matter here
	case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_AUTH:
		return errorf(BadSQL, "SQLite does not understand the statement: %s", Clip(text, 300))
	case sqlite3.SQLITE_READONLY:
		return errorf(NotRead, "the tables are read-only")
	case sqlite3.SQLITE_TOOBIG:
		return errorf(
			TooLarge,
			"a value or the statement itself is too long; at most %d KiB are taken for one value",
			maxValue>>10,
		)
	case sqlite3.SQLITE_FULL:
		return errorf(
			TooLarge,
			"the query sorts or collects more than %d MiB on the way; narrow it with WHERE, or aggregate earlier",
			maxSpill>>20,
		)
	case sqlite3.SQLITE_NOMEM: // which is also how SQLite says that a program is too long
		return errorf(TooLarge, "the query is too complex; make it simpler")
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return errorf(TooSlow, "another program is writing to the database; try again")
	case sqlite3.SQLITE_CORRUPT,
		sqlite3.SQLITE_NOTADB,
		sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_IOERR:
		return errorf(BadData, "the database cannot be read: %s", Clip(text, 300))
	default:
		return fmt.Errorf("sqlite: %s (%d)", text, rc)
	}
}
