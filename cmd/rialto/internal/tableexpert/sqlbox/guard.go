package sqlbox

import (
	"fmt"
	"slices"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// functions are those that a stranger's statement may call: SQLite's own,
// without the ones that load code, read files or look into the engine, and
// without json_group_array, json_group_object, json_pretty and their like,
// which have no limit on memory. What a later SQLite adds
// is refused until it is listed here.
const functions = `
 -> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat concat_ws
 cos cosh count cume_dist current_date current_time current_timestamp date datetime degrees
 dense_rank exp first_value floor format glob group_concat hex if ifnull iif instr json json_array
 json_array_length json_each json_error_position json_extract json_object json_quote json_tree
 json_type json_valid julianday lag last_value lead length like likelihood likely ln log log10
 log2 lower ltrim max median min mod nth_value ntile nullif octet_length percent_rank percentile
 percentile_cont percentile_disc pi pow power printf quote radians random randomblob rank replace
 round row_number rtrim sign sin sinh soundex sqrt strftime string_agg substr substring subtype
 sum tan tanh time timediff total trim trunc typeof unhex unicode unistr unistr_quote unixepoch
 unlikely upper zeroblob`

func mayCall(function string) bool {
	return slices.Contains(strings.Fields(functions), strings.ToLower(function))
}

// readable belong to SQLite and may be read: the schema, which tells nothing that the catalog does
// not, and the two table-valued functions that take JSON apart.
var readable = []string{"sqlite_master", "sqlite_schema", "json_each", "json_tree"}

func (b *Box) mayRead(table string) bool {
	table = strings.ToLower(table)
	return b.Tables[table] || slices.Contains(readable, table)
}

// authorize answers SQLite's question whether the statement that it compiles
// may do something. Anything not named here is refused.
func (c *conn) authorize(_ *libc.TLS, _ uintptr, action int32, arg1, arg2, _, _ uintptr) int32 {
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE:
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_READ:
		return c.authorizeRead(libc.GoString(arg1), libc.GoString(arg2))
	case sqlite3.SQLITE_FUNCTION:
		if name := libc.GoString(arg2); !mayCall(name) {
			return c.deny(Forbidden, fmt.Sprintf("the function %q is not available", name))
		}
		return sqlite3.SQLITE_OK
	default:
		return c.deny(NotRead, "the tables are read-only; only reading statements are run")
	}
}

// authorizeRead decides about a column of a table. SQLite asks with an empty
// column where a query uses a table but none of its columns, and only then
// asks about table expressions too.
func (c *conn) authorizeRead(table, column string) int32 {
	isExpression := column == "" && c.outline.defines(table)
	if c.box.mayRead(table) || isExpression {
		return sqlite3.SQLITE_OK
	}
	return c.deny(Forbidden, fmt.Sprintf("there is no table %q to read here", table))
}

// deny keeps the first reason: SQLite's own text says only "not authorized".
func (c *conn) deny(code Code, reason string) int32 {
	if c.denied == nil {
		c.denied = &Error{Code: code, Message: reason}
	}
	return sqlite3.SQLITE_DENY
}
