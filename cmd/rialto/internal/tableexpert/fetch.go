package tableexpert

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"rialto/a2a/a2aexec"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

// maxRelated bounds the rows that are shown of each table that refers to a
// fetched row.
const maxRelated = 10

// document is one thing fetched, in the form that MCP clients expect of a
// tool called fetch.
type document struct {
	ID       string         `json:"id"`
	Title    string         `json:"title"`
	Text     string         `json:"text"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// fetch returns what an id names: table:claims, or claims/1042.
func (e *Expert) fetch(ctx context.Context, t *a2aexec.Turn, id string) error {
	if id == "" {
		return refuse(
			"Say what to fetch by an id that search returned, such as table:%s.",
			e.catalog.tables[0].Name,
		)
	}

	doc, err := e.document(ctx, t, id)
	if err != nil {
		return err
	}
	return finish(t, "document", doc.Text, doc, "Fetched "+doc.ID+".")
}

func (e *Expert) document(ctx context.Context, t *a2aexec.Turn, id string) (*document, error) {
	name, key, isRow := strings.Cut(id, "/")
	if rest, ok := strings.CutPrefix(id, "table:"); ok {
		name = rest
		isRow = false
	}

	tb := e.catalog.find(name)
	if tb == nil {
		return nil, refuse(
			"There is nothing with the id %q. An id is table:NAME or TABLE/KEY, as search returns it. %s",
			sqlbox.Clip(id, 80), e.catalog.tablesAre(),
		)
	}

	t.Working("Reading " + tb.Name + ".")
	if !isRow {
		d := e.describe(ctx, tb)
		return &document{
			ID:       d.ID,
			Title:    "Table " + d.Name,
			Text:     d.text(),
			Metadata: map[string]any{"table": d.Name, "row_count": d.RowCount},
		}, nil
	}

	key, err := url.PathUnescape(key)
	if err != nil {
		return nil, refuse("The id %q is not written as search returns it.", sqlbox.Clip(id, 80))
	}

	return e.rowDocument(ctx, t, tb, key)
}

func (e *Expert) rowDocument(
	ctx context.Context,
	t *a2aexec.Turn,
	tb *table,
	key string,
) (*document, error) {
	if tb.key == "" {
		return nil, refuse("The rows of %s have no key; ask for them in SQL.", tb.Name)
	}
	// The key comes as text, whatever it is in the table.
	res, err := e.box.QueryTrusted(ctx, 1,
		fmt.Sprintf("SELECT * FROM %s WHERE %s = ?", tb.quoted(), sqlbox.Quote(tb.key)), key)
	if err != nil {
		return nil, err
	}
	if len(res.Rows) == 0 {
		return nil, refuse("There is no row %q in %s.", sqlbox.Clip(key, 60), tb.Name)
	}

	row := encodable(res.Rows)[0]
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", tb.Name, key)
	fields := map[string]any{}
	for i, c := range res.Columns {
		fields[c] = row[i]
		fmt.Fprintf(&b, "%s: %s\n", c, formatValue(row[i]))
	}

	related, err := e.related(ctx, t, tb, fields, &b)
	if err != nil {
		return nil, err
	}

	return &document{
		ID:       rowID(tb, key),
		Title:    tb.Name + " " + sqlbox.Clip(key, 60),
		Text:     strings.TrimSuffix(b.String(), "\n"),
		Metadata: map[string]any{"table": tb.Name, "fields": fields, "related": related},
	}, nil
}

// related writes the rows that a row refers to, and those that refer to it,
// and returns their ids.
func (e *Expert) related(
	ctx context.Context,
	t *a2aexec.Turn,
	tb *table,
	fields map[string]any,
	b *strings.Builder,
) ([]string, error) {
	type relation struct {
		table  *table
		column string
		value  any
	}
	var relations []relation
	for _, ref := range tb.Refs {
		relations = append(
			relations, relation{e.catalog.find(ref.Table), ref.ToColumn, fields[ref.Column]},
		)
	}

	for _, from := range e.catalog.tables {
		for _, ref := range from.Refs {
			if ref.Table == tb.Name {
				relations = append(relations, relation{from, ref.Column, fields[ref.ToColumn]})
			}
		}
	}

	ids := []string{}
	for _, r := range relations {
		if r.table == nil || r.value == nil {
			continue
		}
		t.Working("Reading " + r.table.Name + ".")
		found, err := e.relatedRows(ctx, r.table, r.column, formatValue(r.value), b)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}

	return ids, nil
}

// relatedRows writes the rows of tb whose column has a value, one a line.
func (e *Expert) relatedRows(
	ctx context.Context,
	tb *table,
	column, value string,
	b *strings.Builder,
) ([]string, error) {
	if tb.key == "" {
		return nil, nil
	}

	res, err := e.box.QueryTrusted(
		ctx,
		maxRelated,
		fmt.Sprintf(
			"SELECT %s AS k, * FROM %s WHERE %s = ? ORDER BY k",
			sqlbox.Quote(tb.key),
			tb.quoted(),
			sqlbox.Quote(column),
		),
		value,
	)
	if err != nil || len(res.Rows) == 0 {
		return nil, err
	}

	var ids []string
	fmt.Fprintf(b, "\nRelated %s:\n", tb.Name)
	for _, row := range res.Rows {
		id := rowID(tb, row[0])
		ids = append(ids, id)
		var cells []string
		for i, v := range row[1:] {
			if v != nil {
				cells = append(cells, res.Columns[i+1]+" "+sqlbox.Clip(formatValue(v), 80))
			}
		}
		fmt.Fprintf(b, "- %s: %s\n", id, sqlbox.Clip(strings.Join(cells, ", "), 500))
	}

	if res.Truncated != "" {
		fmt.Fprintf(b, "- and more\n")
	}

	return ids, nil
}
