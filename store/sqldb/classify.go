package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"rialto/internal/dberr"
)

// Classify returns err as an *unavailable.Error if it says that the database cannot be used
// now. Pool and Tx call it; only code that reads sql.Rows has to.
func Classify(err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, is := dberr.As(err); is || !isUnavailable(err) {
		return err
	}
	return &dberr.Error{Cause: err}
}

// fault returns err if the database caused it. It returns nil if the statement found nothing, if the
// caller ended the transaction for a reason of its own, or if the caller left.
func fault(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}

	_, away := dberr.As(err)
	_, lite := errors.AsType[*sqlite.Error](err)
	_, postgres := errors.AsType[*pgconn.PgError](err)
	if away || lite || postgres {
		return err
	}

	return nil
}

// closedText is the text of an error of package sql that has no name.
const closedText = "sql: database is closed"

// unavailableErrors are errors of a connection that broke, was never made, or did not answer in time.
var unavailableErrors = []error{
	context.DeadlineExceeded,
	driver.ErrBadConn,
	sql.ErrConnDone,
	io.EOF,
	io.ErrUnexpectedEOF,
	net.ErrClosed,
	errFileReplaced,
}

func isUnavailable(err error) bool {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return slices.Contains(unavailableSQLite, e.Code()&0xff)
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return slices.Contains(unavailableClasses, e.Code[:min(len(e.Code), 2)]) ||
			slices.Contains(unavailableCodes, e.Code)
	}
	if errors.Is(err, context.Canceled) {
		return false // the caller has left
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}

	return pgconn.SafeToRetry(err) || err.Error() == closedText ||
		slices.ContainsFunc(unavailableErrors, func(is error) bool { return errors.Is(err, is) })
}

// unavailableSQLite are the primary result codes of SQLite for a file that is locked, full, not
// writable, or gone.
var unavailableSQLite = []int{
	sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
	sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_NOMEM,
}

// The codes of PostgreSQL (its Appendix A): classes, then single ones.
var (
	unavailableClasses = []string{
		"08",
		"53",
		"58",
	} // connection, resources such as the disk, system
	unavailableCodes = []string{
		"57P01", "57P02", "57P03", "57P04", // it shuts down, crashed, starts, was dropped
		"55P03", "57014", // a lock or a statement took too long
		"40001", "40P01", // serialization failure, deadlock
		"25006",                   // read-only: a standby
		"25P03",                   // it ended an idle transaction
		"28P01", "28000", "3D000", // the password or the database was changed
	}
)
