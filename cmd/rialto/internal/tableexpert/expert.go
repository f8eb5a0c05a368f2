// Package tableexpert is the agent that ships with Rialto: it answers
// questions about tables, either those of an invented insurance company or the
// user's own CSV files and SQLite databases.
//
// It only reads. What a stranger may run on the data, and for how long, is
// decided by package sqlbox; how tasks are kept and followed, by a2aexec.
package tableexpert

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

// Config says what the expert knows and how much it may spend on an answer.
// The zero value serves.
type Config struct {
	// Tables is a directory whose *.csv files become tables and whose *.db,
	// *.sqlite and *.sqlite3 databases are opened read-only. What cannot be
	// read is left out, with a warning in Log. Empty means the built-in
	// insurance data.
	Tables string

	// Model translates questions into SQL; nil: they are read by words alone.
	Model *Model

	Timeout time.Duration // of one query; 0 means 5 s
	MaxCSV  int64         // bytes of all CSV files together; 0 means 128 MiB

	Log *slog.Logger // nil means slog.Default
}

// defaultRows is the limit of an answer if the request sets none.
const defaultRows = 200

// maxRows is the most rows that an answer has, whatever is asked for.
const maxRows = 1000

// sqliteColumns is the most that SQLite allows a table.
const sqliteColumns = 2000

// Expert knows a set of tables. Its methods may be called concurrently.
type Expert struct {
	cfg        Config
	box        *sqlbox.Box
	catalog    *catalog
	exec       *a2aexec.Executor
	vocabulary vocabulary

	curation *curation
	synonyms map[string]synonyms
}

// Open reads the tables that cfg names. CSV files are read once, here;
// SQLite databases are read when they are asked about.
func Open(ctx context.Context, cfg Config) (*Expert, error) {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	e := &Expert{cfg: cfg}
	if err := e.load(ctx); err != nil {
		return nil, err
	}
	e.exec = &a2aexec.Executor{Run: e.serve, Log: cfg.Log, TurnTimeout: time.Minute}
	return e, nil
}

func (e *Expert) load(ctx context.Context) error {
	src, err := e.readSource(ctx)
	if err != nil {
		return err
	}

	e.synonyms = src.synonyms
	e.box = &sqlbox.Box{
		Image:    src.image,
		Files:    src.files,
		Timeout:  e.cfg.Timeout,
		Parallel: 4,
		MaxWidth: sqliteColumns,
	}
	e.catalog, err = readCatalog(ctx, e.box, src)
	if err != nil {
		return fmt.Errorf("reading the tables: %w", err)
	}
	if err := e.loadCuration(src); err != nil {
		return err
	}

	e.box.Tables = map[string]bool{}
	e.box.MaxWidth = 100
	for _, t := range e.catalog.tables {
		e.box.Tables[strings.ToLower(t.bare)] = true
		e.box.MaxWidth = max(e.box.MaxWidth, 2*len(t.Columns))
	}

	return nil
}

func (e *Expert) readSource(ctx context.Context) (*source, error) {
	if e.cfg.Tables == "" {
		return insurance()
	}
	return readDirectory(ctx, e.cfg)
}

// loadCuration takes what people have said about the tables, if it is right.
func (e *Expert) loadCuration(src *source) error {
	e.curation = cmp.Or(src.curation, &curation{})
	if err := e.curation.check(e.catalog); err != nil {
		if src.skipped == nil {
			return err
		}
		src.skipped.add(topicsFile, err)
		e.curation = &curation{}
	}

	e.curation.addDefaults(e.catalog)
	return nil
}

// Agent returns the agent.
func (e *Expert) Agent() a2a.Agent { return e.exec }

// Close stops what is running. The expert must not be used after it.
func (e *Expert) Close() error { return e.exec.Close() }

// source is where the tables are.
type source struct {
	image   []byte
	files   []sqlbox.File
	notes   map[string]string // notes on tables, and on columns by "table.column"
	skipped *skippedFiles     // nil: nothing may be missing

	curation *curation           // nil if there is no topics.yaml
	synonyms map[string]synonyms // other words for tables, and for columns by "table.column"
}

// fileOf returns the name of the file that is attached as schema.
func (s *source) fileOf(schema string) string {
	for _, f := range s.files {
		if f.Name == schema {
			return filepath.Base(f.Path)
		}
	}
	return schema
}
