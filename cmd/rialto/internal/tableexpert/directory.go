package tableexpert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

// maxDatabases is how many files SQLite attaches to one connection.
const maxDatabases = 10

// readDirectory makes tables of the CSV files of a directory and finds its
// SQLite databases. It does not look into directories below, and follows no
// symbolic link that leads out. A file that cannot be read is left out, with a
// warning that says why: it is not to keep the others from being used.
func readDirectory(ctx context.Context, cfg Config) (*source, error) {
	root, err := os.OpenRoot(cfg.Tables)
	if err != nil {
		return nil, fmt.Errorf("opening the directory of tables: %w", err)
	}
	defer root.Close()
	out := &skippedFiles{log: cfg.Log}
	csvs, dbs, err := listFiles(root, out)
	if err != nil {
		return nil, err
	}

	src := &source{notes: map[string]string{}, skipped: out}
	csvs, err = readCSVs(ctx, root, csvs, cfg, src)
	if err != nil {
		return nil, err
	}

	src.curation, err = readTopics(root)
	if err != nil {
		out.add(topicsFile, err)
	}

	src.files = databaseFiles(ctx, root, dbs, out)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(csvs)+len(src.files) == 0:
		return nil, out.emptyError(cfg.Tables)
	}

	return src, nil
}

// skippedFiles logs the files that cannot be read.
type skippedFiles struct {
	log  *slog.Logger
	errs []error // the first few
}

// maxReasons is how many of the files that cannot be read an error names.
const maxReasons = 5

// add leaves a file out, or the part of it that err names.
func (o *skippedFiles) add(file string, err error) {
	o.log.Warn("a table is left out: it cannot be read", "file", file, "err", err)
	if len(o.errs) < maxReasons {
		o.errs = append(o.errs, err)
	}
}

// emptyError is the error where no table is left.
func (o *skippedFiles) emptyError(dir string) error {
	if len(o.errs) == 0 {
		return fmt.Errorf(
			"%s holds no table: put *.csv files or SQLite databases (*.db, *.sqlite, *.sqlite3) there",
			dir,
		)
	}
	return fmt.Errorf("%s holds no table that can be read: %w", dir, errors.Join(o.errs...))
}

// listFiles returns the names of the CSV files and databases, sorted.
func listFiles(root *os.Root, out *skippedFiles) (csvs, dbs []string, err error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, nil, fmt.Errorf("reading the directory of tables: %w", err)
	}

	for _, entry := range entries {
		name := entry.Name()
		var into *[]string
		switch strings.ToLower(filepath.Ext(name)) {
		case ".csv":
			into = &csvs
		case ".db", ".sqlite", ".sqlite3":
			into = &dbs
		}
		if into == nil || strings.HasPrefix(name, ".") {
			continue
		}
		info, err := root.Stat(name)
		switch {
		case err != nil && entry.Type()&fs.ModeSymlink != 0:
			out.add(
				name,
				fmt.Errorf(
					"%s: is a symbolic link that leads nowhere or out of the directory", name,
				),
			)
		case err != nil:
			out.add(name, fmt.Errorf("%s: %w", name, err))
		case info.Mode().IsRegular():
			*into = append(*into, name)
		}
	}

	return csvs, dbs, nil
}

// readCSVs makes one image of the CSV files that can be read, and returns
// their names.
func readCSVs(
	ctx context.Context,
	root *os.Root,
	names []string,
	cfg Config,
	src *source,
) (read []string, err error) {
	if len(names) == 0 {
		return nil, nil
	}

	b, err := newBuilder(ctx)
	if err != nil {
		return nil, err
	}
	defer b.close()
	most := cfg.MaxCSV
	if most <= 0 {
		most = 128 << 20
	}

	taken := map[string]bool{}
	left := most
	for _, name := range names {
		table := uniqueName(safeName(strings.TrimSuffix(name, filepath.Ext(name)), "t"), taken)
		size, err := sizeWithin(root, name, left, most)
		if err == nil {
			err = b.loadFile(ctx, root, name, table, src.notes)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			src.skipped.add(name, err)
			continue
		}
		left -= size
		taken[table] = true
		read = append(read, name)
	}

	if len(read) > 0 {
		src.image, err = b.freeze(ctx)
	}

	return read, err
}

// sizeWithin returns the size of a file if it is at most what is left of the
// room for all.
func sizeWithin(root *os.Root, name string, left, most int64) (int64, error) {
	info, err := root.Stat(name)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if info.Size() > left {
		return 0, fmt.Errorf(
			"%s: the CSV files are larger than %d MiB together; make a SQLite database of the large ones, which is read from disk",
			name,
			most>>20,
		)
	}

	return info.Size(), nil
}

// loadFile makes a table of a CSV file, or leaves no trace of it.
func (b *builder) loadFile(
	ctx context.Context,
	root *os.Root,
	name, table string,
	notes map[string]string,
) error {
	f, err := newCSV(root.FS(), name)
	if err != nil {
		return err
	}

	own := map[string]string{table: "from " + name}
	if err := b.load(ctx, table, f, own); err != nil {
		return errors.Join(err, b.exec(ctx, "DROP TABLE IF EXISTS "+sqlbox.Quote(table)))
	}

	maps.Copy(notes, own)
	return nil
}

// load makes a table of a CSV file. It reads the file twice: first to find
// out what its columns hold.
func (b *builder) load(
	ctx context.Context,
	table string,
	f *csvFile,
	notes map[string]string,
) error {
	columns, err := f.columns(ctx)
	if err != nil {
		return err
	}

	names := columnNames(f.header, columns)
	var defs []string
	for i, name := range names {
		defs = append(defs, sqlbox.Quote(name)+" "+columns[i].kind.sqlType())
		var note []string
		if heading := strings.TrimSpace(f.header[i]); heading != name {
			note = append(note, "headed "+heading)
		}
		if u := columns[i].unit; u != "" {
			note = append(note, "in "+u)
		}
		if len(note) > 0 {
			notes[table+"."+name] = strings.Join(note, ", ")
		}
	}

	if err := b.exec(
		ctx, fmt.Sprintf("CREATE TABLE %s (%s)", sqlbox.Quote(table), strings.Join(defs, ", ")),
	); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	if err := b.insertRows(ctx, table, f, columns); err != nil {
		return err
	}

	for _, name := range ownIDs(table) {
		if slices.Contains(names, name) {
			// Where the ids are unique, they name the rows; where not, they do not.
			_ = b.exec(
				ctx,
				fmt.Sprintf(
					"CREATE UNIQUE INDEX %s ON %s (%s)",
					sqlbox.Quote("unique_"+table+"_"+name),
					sqlbox.Quote(table),
					sqlbox.Quote(name),
				),
			)
		}
	}

	return nil
}

func (b *builder) insertRows(
	ctx context.Context,
	table string,
	f *csvFile,
	columns []columnFormat,
) error {
	insertion, err := b.insertion(ctx, sqlbox.Quote(table), len(columns))
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	defer insertion.Close()
	values := make([]any, len(columns))
	return f.rows(func(row []string) error {
		for i, cell := range row {
			values[i] = columns[i].value(cell)
		}
		if _, err := insertion.ExecContext(ctx, values...); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		return ctx.Err()
	})
}

// columnNames says of a column of percentages that it is one: they do not add up.
func columnNames(header []string, columns []columnFormat) []string {
	taken := map[string]bool{}
	var names []string
	for i, h := range header {
		h = strings.ReplaceAll(h, "%", " percent ")
		if columns[i].unit == "%" && !strings.Contains(strings.ToLower(h), "percent") {
			h += " percent"
		}
		name := uniqueName(safeName(h, fmt.Sprintf("column_%d", i+1)), taken)
		taken[name] = true
		names = append(names, name)
	}

	return names
}

// databaseFiles checks the databases and gives a name to each that can be read.
func databaseFiles(ctx context.Context, root *os.Root, names []string, out *skippedFiles) []sqlbox.File {
	taken := map[string]bool{"main": true, "temp": true}
	var files []sqlbox.File
	for _, name := range names {
		if len(files) == maxDatabases {
			out.add(
				name,
				fmt.Errorf(
					"%s: is one SQLite database too many; at most %d are opened",
					name, maxDatabases,
				),
			)
			continue
		}
		schema := uniqueName(safeName(strings.TrimSuffix(name, filepath.Ext(name)), "db"), taken)
		file, err := databaseFile(ctx, root, name, schema)
		if err != nil {
			out.add(name, fmt.Errorf("%s: %w", name, err))
			continue
		}
		taken[schema] = true
		files = append(files, file)
	}

	return files
}

// databaseFile finds out how a database can be opened. One in WAL mode needs
// files beside it, which cannot be made if the directory is read-only; if no
// program has the database open, it can be read without them.
func databaseFile(ctx context.Context, root *os.Root, name, schema string) (sqlbox.File, error) {
	path, err := checkDatabase(root, name)
	if err != nil {
		return sqlbox.File{}, err
	}

	file := sqlbox.File{Name: schema, Path: path}
	err = tryFile(ctx, file)
	if err == nil {
		return file, nil
	}
	if _, walErr := os.Stat(path + "-wal"); walErr != nil {
		file.Immutable = true
		if tryFile(ctx, file) == nil {
			return file, nil
		}
	}

	return sqlbox.File{}, err
}

func tryFile(ctx context.Context, file sqlbox.File) error {
	box := &sqlbox.Box{Files: []sqlbox.File{file}, MaxWidth: sqliteColumns}
	_, err := box.QueryTrusted(
		ctx, 1, "SELECT count(*) FROM "+sqlbox.Quote(file.Name)+".sqlite_schema",
	)
	return err
}

// checkDatabase returns the path of a file that begins as a SQLite database
// does, with symbolic links resolved.
func checkDatabase(root *os.Root, name string) (string, error) {
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != magic {
		return "", fmt.Errorf("is not a SQLite database")
	}

	path, err := filepath.EvalSymlinks(filepath.Join(root.Name(), name))
	if err != nil {
		return "", err
	}

	return filepath.Abs(path)
}
