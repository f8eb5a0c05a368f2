package tableexpert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"rialto/cmd/rialto/internal/tableexpert/grammar"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

// catalog is what the expert knows about its tables.
type catalog struct {
	tables []*table
}

// table is a table or view that may be read.
type table struct {
	Name    string // as statements spell it; with its schema where the bare name is taken
	schema  string
	bare    string
	View    bool
	Note    string
	Columns []column
	Refs    []reference
	key     string // the column that names a row: of the primary key, or rowid; empty if none does
}

type column struct {
	Name string
	Type string
	Note string
	Key  bool
}

// reference is a foreign key.
type reference struct {
	Column   string // of this table
	Table    string
	ToColumn string
}

// maxTables bounds what a directory may hold.
const maxTables = 500

// quoted returns the table as SQL.
func (t *table) quoted() string { return sqlbox.Quote(t.schema) + "." + sqlbox.Quote(t.bare) }

// readCatalog asks SQLite what tables there are. Virtual tables are left
// out: what their modules do on reading is outside the box's limits.
func readCatalog(ctx context.Context, box *sqlbox.Box, src *source) (*catalog, error) {
	c := &catalog{}
	schemas := []string{"main"}
	for _, f := range src.files {
		schemas = append(schemas, f.Name)
	}

	for _, schema := range schemas {
		res, err := box.QueryTrusted(ctx, maxTables, `SELECT name, type, wr FROM pragma_table_list
			WHERE schema = ? AND type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
			ORDER BY name`, schema)
		if err != nil {
			return nil, err
		}
		for _, row := range res.Rows {
			t := &table{schema: schema, bare: row[0].(string), View: row[1] == "view"}
			if err := c.add(ctx, box, t, row[2] == int64(0), src); err != nil {
				err = fmt.Errorf("table %s: %w", t.Name, err)
				if src.skipped == nil || ctx.Err() != nil {
					return nil, err
				}
				src.skipped.add(src.fileOf(schema), err)
			}
		}
	}

	switch {
	case len(c.tables) == 0 && src.skipped != nil && len(src.skipped.errs) > 0:
		return nil, fmt.Errorf("none can be read: %w", errors.Join(src.skipped.errs...))
	case len(c.tables) == 0:
		return nil, errors.New("there are none")
	}

	c.inferReferences()
	return c, nil
}

func (c *catalog) add(
	ctx context.Context,
	box *sqlbox.Box,
	t *table,
	hasRowid bool,
	src *source,
) error {
	t.Name = t.bare
	if c.find(t.bare) != nil {
		t.Name = t.schema + "." + t.bare
	}

	t.Note = src.notes[t.Name]
	if err := t.readColumns(ctx, box, src.notes); err != nil {
		return err
	}
	if err := t.readKey(ctx, box, hasRowid && !t.View); err != nil {
		return err
	}
	if err := t.readReferences(ctx, box); err != nil {
		return err
	}

	c.tables = append(c.tables, t)
	return nil
}

func (t *table) readColumns(ctx context.Context, box *sqlbox.Box, notes map[string]string) error {
	res, err := box.QueryTrusted(
		ctx,
		2000,
		`SELECT name, type, pk FROM pragma_table_xinfo(?, ?) WHERE hidden <> 1`,
		t.bare,
		t.schema,
	)
	if err != nil {
		return err
	}

	for _, row := range res.Rows {
		c := column{Name: row[0].(string), Type: row[1].(string), Key: row[2] != int64(0)}
		c.Note = notes[t.Name+"."+c.Name]
		t.Columns = append(t.Columns, c)
	}

	return nil
}

// ownIDs returns what a column may be called that numbers the rows of a table:
// id, or of customers customer_id, customer_no or id_customer, or the number that its
// trade gives to a thing.
func ownIDs(table string) []string {
	ids := []string{"id"}
	for _, form := range grammar.Forms(strings.ToLower(table)) {
		ids = append(ids, form+"_id", "id_"+form, form+"_no", form+"_number", form+"_code")
	}
	return append(ids, "sku", "isbn", "ean", "vin")
}

// readKey finds what names a row for good: a primary key of one column, a
// unique column called id or after the table, or else the rowid.
func (t *table) readKey(ctx context.Context, box *sqlbox.Box, hasRowid bool) error {
	keys := slices.DeleteFunc(slices.Clone(t.Columns), func(c column) bool { return !c.Key })
	if len(keys) == 1 {
		t.key = keys[0].Name
		return nil
	}

	res, err := box.QueryTrusted(
		ctx,
		sqliteColumns,
		`SELECT i.name FROM pragma_index_list(?, ?) l, pragma_index_info(l.name, ?) i
		WHERE l."unique" AND NOT l.partial GROUP BY l.name HAVING count(*) = 1 AND i.name IS NOT NULL`,
		t.bare,
		t.schema,
		t.schema,
	)
	if err != nil {
		return err
	}

	unique := map[string]string{}
	for _, row := range res.Rows {
		unique[strings.ToLower(row[0].(string))] = row[0].(string)
	}

	ids := ownIDs(t.bare)
	i := slices.IndexFunc(ids, func(id string) bool { return unique[id] != "" })
	taken := slices.ContainsFunc(
		t.Columns, func(c column) bool { return strings.EqualFold(c.Name, "rowid") },
	)
	switch {
	case i >= 0:
		t.key = unique[ids[i]]
	case hasRowid && !taken:
		t.key = "rowid"
	}

	return nil
}

func (t *table) readReferences(ctx context.Context, box *sqlbox.Box) error {
	res, err := box.QueryTrusted(
		ctx,
		100,
		`SELECT "from", "table", coalesce("to", '') FROM pragma_foreign_key_list(?, ?)
		GROUP BY id HAVING count(*) = 1`,
		t.bare,
		t.schema,
	)
	if err != nil {
		return err
	}

	t.Refs = mapped(res.Rows, func(row []any) reference {
		return reference{Column: row[0].(string), Table: row[1].(string), ToColumn: row[2].(string)}
	})
	return nil
}

// inferReferences settles the references that were declared, and guesses
// those of tables that cannot declare any, such as CSV files: a column
// customer_id refers to the id of customers, or to a key of the same name.
func (c *catalog) inferReferences() {
	for _, t := range c.tables {
		for _, col := range t.Columns {
			if slices.ContainsFunc(t.Refs, func(r reference) bool { return r.Column == col.Name }) {
				continue
			}
			if to := c.referencedBy(col.Name); to != nil && to != t && to.key != "rowid" {
				t.Refs = append(
					t.Refs, reference{Column: col.Name, Table: to.Name, ToColumn: to.key},
				)
			}
		}
		var settled []reference
		for _, r := range t.Refs {
			to := c.findNear(t.schema, r.Table)
			if to != nil && to.key != "" {
				settled = append(settled, reference{r.Column, to.Name, cmp.Or(r.ToColumn, to.key)})
			}
		}
		t.Refs = settled
	}
}

// referencedBy returns the table whose rows a column is about by its name: the only one whose key
// has the same name, such as customer_id or sku, or else customers with the key id of customer_id.
func (c *catalog) referencedBy(column string) *table {
	column = strings.ToLower(column)
	keyed := only(c.tables, func(t *table) bool {
		return column != "id" && strings.EqualFold(t.key, column) &&
			slices.Contains(ownIDs(t.bare), column)
	})
	stem, isID := strings.CutSuffix(column, "_id")
	if keyed != nil || !isID {
		return keyed
	}

	to := c.tableForWord(stem)
	if to == nil || !strings.EqualFold(to.key, "id") {
		return nil
	}

	return to
}

// only returns the table that is good, nil if none or several are.
func only(tables []*table, good func(*table) bool) *table {
	var found *table
	for _, t := range tables {
		if !good(t) {
			continue
		}
		if found != nil {
			return nil
		}
		found = t
	}

	return found
}

// find returns the table with this name; case does not matter.
func (c *catalog) find(name string) *table {
	for _, t := range c.tables {
		if strings.EqualFold(t.Name, name) || strings.EqualFold(t.schema+"."+t.bare, name) {
			return t
		}
	}
	return nil
}

// findNear is find, with the tables of one schema first.
func (c *catalog) findNear(schema, name string) *table {
	return cmp.Or(c.find(schema+"."+name), c.find(name))
}

// tableForWord returns the table that a word means: its name, or the singular or
// plural of it.
func (c *catalog) tableForWord(word string) *table {
	for _, t := range c.tables {
		if slices.Contains(grammar.Forms(strings.ToLower(word)), strings.ToLower(t.bare)) {
			return t
		}
	}
	return nil
}

func (c *catalog) names() []string {
	return mapped(c.tables, func(t *table) string { return t.Name })
}

// list returns the names of the tables for a sentence.
func (c *catalog) list() string {
	names := c.names()
	if more := len(names) - 30; more > 0 {
		names = append(names[:30], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// tableIn returns the table that a text is the name of, or the only one that it names.
func (c *catalog) tableIn(s string) *table {
	s = strings.TrimPrefix(strings.Trim(strings.TrimSpace(s), "\"'`?.!"), "table:")
	if t := c.find(s); t != nil || s == "" {
		return t
	}
	if t := c.tableForWord(s); t != nil {
		return t
	}

	words := nameWords.FindAllString(strings.ToLower(sqlbox.Clip(s, 4000)), -1)
	named := mapped(words, c.tableForWord)
	return only(c.tables, func(t *table) bool { return slices.Contains(named, t) })
}

var nameWords = regexp.MustCompile(`[\pL\d_]+`)

// mapped returns what f makes of each element.
func mapped[T, R any](list []T, f func(T) R) []R {
	var results []R
	for _, v := range list {
		results = append(results, f(v))
	}
	return results
}

// count returns how many rows t has.
func (t *table) count(ctx context.Context, box *sqlbox.Box) (int64, error) {
	res, err := box.QueryTrusted(ctx, 1, "SELECT count(*) FROM "+t.quoted())
	if err != nil {
		return 0, err
	}
	return res.Rows[0][0].(int64), nil
}
