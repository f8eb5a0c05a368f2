package tableexpert

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rialto/a2a/a2aexec"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
	"rialto/internal/i18n"
)

// description is a table as data.
type description struct {
	ID         string              `json:"id"`
	Name       string              `json:"name"`
	Kind       string              `json:"kind"` // table or view
	Note       string              `json:"description,omitempty"`
	RowCount   *int64              `json:"row_count,omitempty"` // absent where counting takes too long
	Columns    []columnDescription `json:"columns"`
	References []string            `json:"references,omitempty"` // "policy_id → policies.id"
}

type columnDescription struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
	Key  bool   `json:"key,omitempty"`
	Note string `json:"description,omitempty"`
}

// countTimeout is how long a description of all tables may take to count rows;
// after it, tables are described without their number.
const countTimeout = 5 * time.Second

// schema describes one table or all.
func (e *Expert) schema(ctx context.Context, t *a2aexec.Turn, name string, in *topic) error {
	tables := e.catalog.within(in).tables
	if tb := e.catalog.tableIn(name); tb != nil {
		tables = []*table{tb}
	} else if name != "" && len(strings.Fields(name)) == 1 { // more words are a question about all
		return refuse("There is no table %q. %s", sqlbox.Clip(name, 60), e.catalog.tablesAre())
	}
	if err := e.emitSchema(ctx, t, tables, true); err != nil {
		return err
	}

	t.Complete("Described " + count(len(tables), "table") + ".")
	return nil
}

// emitSchema describes tables, and reports its progress if asked to.
func (e *Expert) emitSchema(
	ctx context.Context,
	t *a2aexec.Turn,
	tables []*table,
	progress bool,
) error {
	counting, cancel := context.WithTimeout(ctx, countTimeout)
	defer cancel()
	var texts []string
	var data []description
	for _, tb := range tables {
		if progress {
			t.Working("Reading " + tb.Name + ".")
		}
		d := e.describe(counting, tb)
		texts = append(texts, d.text())
		data = append(data, d)
	}

	return emit(t, "schema", strings.Join(texts, "\n\n"), map[string]any{"tables": data})
}

func (e *Expert) describe(ctx context.Context, tb *table) description {
	d := description{
		ID:   "table:" + tb.Name,
		Name: tb.Name,
		Kind: "table",
		Note: tb.Note,
	}
	if tb.View {
		d.Kind = "view"
	}
	if n, err := tb.count(ctx, e.box); err == nil {
		d.RowCount = &n
	}
	d.Columns = mapped(tb.Columns, func(c column) columnDescription {
		return columnDescription{
			Name: c.Name,
			Type: c.Type,
			Key:  c.Name == tb.key,
			Note: c.Note,
		}
	})
	d.References = mapped(tb.Refs, func(r reference) string {
		return fmt.Sprintf("%s → %s.%s", r.Column, r.Table, r.ToColumn)
	})
	return d
}

func (d description) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n", d.Name)
	if d.Note != "" {
		fmt.Fprintf(&b, "%s\n", i18n.Sentence(d.Note))
	}
	if d.RowCount != nil {
		fmt.Fprintf(&b, "%s.\n", count(int(*d.RowCount), "row"))
	}

	b.WriteString("\n")
	for _, c := range d.Columns {
		fmt.Fprintf(&b, "- %s", c.Name)
		if c.Type != "" {
			fmt.Fprintf(&b, " (%s)", c.Type)
		}
		if c.Key {
			b.WriteString(", key")
		}
		if c.Note != "" {
			b.WriteString(": " + c.Note)
		}
		b.WriteString("\n")
	}

	for _, r := range d.References {
		fmt.Fprintf(&b, "- reference: %s\n", r)
	}

	return strings.TrimSuffix(b.String(), "\n")
}
