package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// openCopy opens a SQLite file that exists as it is: without the settings of a server, and
// without foreign keys.
func openCopy(path string) (*sql.DB, error) { return openExisting(path, 10*time.Second) }

// CopyFile writes the state of a SQLite file at one moment into a new file that only its owner may
// read. Other processes may read and write the first meanwhile. It returns os.ErrNotExist if there
// is no such file.
func CopyFile(ctx context.Context, from, to string) error {
	if _, err := os.Stat(from); err != nil {
		return err
	}
	f, err := os.OpenFile(
		to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600,
	) // VACUUM takes an empty file
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return err
	}
	db, err := openCopy(from)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, to)
	if err = errors.Join(err, db.Close()); err != nil {
		if _, gone := os.Stat(from); gone != nil { // since it was looked for
			return errors.Join(gone, os.Remove(to))
		}
		return fmt.Errorf("copying %s: %w", from, err)
	}
	return nil
}

// CheckFile returns an error unless a SQLite file is whole and has tables of this program.
func CheckFile(ctx context.Context, path string) error {
	db, err := openCopy(path)
	if err != nil {
		return err
	}
	defer db.Close()
	var result string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&result); err != nil {
		return fmt.Errorf("this is not a database, or it is damaged: %w", err)
	}
	if result != "ok" {
		return fmt.Errorf("the database is damaged: %s", result)
	}
	if _, err := schemaVersion(ctx, db); err != nil {
		return fmt.Errorf("this is not a backup of Rialto: %w", err)
	}

	return nil
}

// CheckSchema returns an error unless a SQLite file that was brought up to date has what a new one
// has, and no more: a trigger would go on changing what is written.
func CheckSchema(ctx context.Context, path string) error {
	fresh, err := Open(ctx, Memory)
	if err != nil {
		return err
	}
	defer fresh.Close()
	want, err := objects(ctx, fresh.Read.DB)
	if err != nil {
		return err
	}

	db, err := openCopy(path)
	if err != nil {
		return err
	}
	defer db.Close()
	got, err := objects(ctx, db)
	if err != nil {
		return err
	}

	for _, name := range slices.Concat(got, want) {
		if !slices.Contains(want, name) {
			return fmt.Errorf("this is not a backup of Rialto: it has a %s", name)
		}
		if !slices.Contains(got, name) {
			return fmt.Errorf("this is not a backup of Rialto: it has no %s", name)
		}
	}

	return nil
}

// objects returns the tables, indexes, views and triggers of a file by their types and names, triggers
// with what they do.
func objects(ctx context.Context, db *sql.DB) ([]string, error) {
	return Select(ctx, &Pool{DB: db}, Value[string], `
		SELECT type || ' ' || name || CASE type WHEN 'trigger' THEN ': ' || sql ELSE '' END
		FROM sqlite_master WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`)
}

// CopyFromPostgres writes the rows of all tables at one moment into a migrated SQLite file.
func (db *DB) CopyFromPostgres(ctx context.Context, path string) error {
	from, err := postgresPool(db.dsn, 1, nil)
	if err != nil {
		return err
	}
	defer from.Close()
	snapshot, err := from.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer snapshot.Rollback()
	file, err := openCopy(path)
	if err != nil {
		return err
	}
	defer file.Close()
	tables, err := copiedTables(ctx, file)
	if err != nil {
		return err
	}

	to, err := file.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer to.Rollback()
	if err := copyTables(ctx, tables, snapshot, to, &Pool{}); err != nil {
		return err
	}

	return to.Commit()
}

// ErrNotEmpty says that a database has rows already.
var ErrNotEmpty = errors.New(
	"the database is not empty: restore into a database in which no server has run",
)

// CopyToPostgres writes the rows of a migrated SQLite file into empty tables, all or none. It
// returns ErrNotEmpty if the tables are not.
func (db *DB) CopyToPostgres(ctx context.Context, path string) error {
	file, err := openCopy(path)
	if err != nil {
		return err
	}
	defer file.Close()
	tables, err := copiedTables(ctx, file)
	if err != nil {
		return err
	}

	from, err := file.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer from.Rollback()
	to, err := db.Write.BeginTx(ctx, nil)
	if err != nil {
		return Classify(err)
	}
	defer to.Rollback()
	for _, t := range tables {
		var some bool
		err := to.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+t.name+`)`).Scan(&some)
		if err != nil {
			return err
		}
		if some && !slices.Contains(seededTables, t.name) {
			return fmt.Errorf("%w (table %s)", ErrNotEmpty, t.name)
		}
	}

	if err := copyTables(ctx, tables, from, to, db.Write); err != nil {
		return err
	}

	return Classify(to.Commit())
}

// seededTables are the tables that have rows when they are made.
var seededTables = []string{"agents_version", "audit_chain"}

// table is a table that both engines have.
type table struct {
	name    string
	columns []string
}

// copiedTables returns the tables of a file in the order in which they were made: a table comes
// after those that it references. The search index is not among them: it differs by engine, and
// the server makes it again.
func copiedTables(ctx context.Context, file *sql.DB) (tables []table, err error) {
	rows, err := file.QueryContext(ctx, `
		SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table'
		AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'
		AND t.name NOT LIKE 'task\_words%' ESCAPE '\'
		AND t.name NOT LIKE '\_litestream%' ESCAPE '\'
		AND t.name NOT IN ('goose_db_version', 'task_texts', 'task_vocabulary', 'write_behind')
		ORDER BY t.rowid, c.cid`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name, column string
		if err := rows.Scan(&name, &column); err != nil {
			return nil, err
		}
		if n := len(tables); n == 0 || tables[n-1].name != name {
			tables = append(tables, table{name: name})
		}
		t := &tables[len(tables)-1]
		t.columns = append(t.columns, column)
	}
	return tables, rows.Err()
}

// copyTables replaces the rows of tables. pool is that of to.
func copyTables(ctx context.Context, tables []table, from, to *sql.Tx, pool *Pool) error {
	for _, t := range tables {
		if err := t.copy(ctx, from, to, pool); err != nil {
			return fmt.Errorf("copying table %s: %w", t.name, err)
		}
	}
	return nil
}

// maxParameters bounds the parameters of a statement that inserts.
const maxParameters = 1000

func (t table) copy(ctx context.Context, from, to *sql.Tx, pool *Pool) error {
	if slices.Contains(seededTables, t.name) {
		if _, err := to.ExecContext(ctx, `DELETE FROM `+t.name); err != nil {
			return err
		}
	}

	selected := slices.Clone(t.columns)
	if i := slices.Index(selected, "indexed"); t.name == "tasks" && i >= 0 {
		selected[i] = "0" // the search index is not copied
	}

	rows, err := from.QueryContext(ctx, `SELECT `+strings.Join(selected, ", ")+` FROM `+t.name)
	if err != nil {
		return err
	}
	defer rows.Close()
	atOnce := max(1, maxParameters/len(t.columns))
	var args []any
	for rows.Next() {
		row := make([]any, len(t.columns))
		into := make([]any, len(row))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		args = append(args, row...)
		if len(args) == atOnce*len(row) {
			if err := t.insert(ctx, to, pool.encode(args)); err != nil {
				return err
			}
			args = args[:0]
		}
	}

	if err := rows.Err(); err != nil || len(args) == 0 {
		return err
	}

	return t.insert(ctx, to, pool.encode(args))
}

// insert inserts rows, whose values come one after the other.
func (t table) insert(ctx context.Context, to *sql.Tx, values []any) error {
	n := len(t.columns)
	_, err := to.ExecContext(ctx, `
		INSERT INTO `+t.name+` (`+strings.Join(t.columns, ", ")+`) VALUES `+
		Rows(true, len(values)/n, n, ""), // SQLite reads numbers, too
		values...)
	return err
}
