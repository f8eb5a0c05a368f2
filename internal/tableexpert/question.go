package tableexpert

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/internal/tableexpert/plain"
	"rialto/internal/tableexpert/sqlbox"
)

// maxRounds is how often a task is asked which table it is about.
const maxRounds = 5

// question answers plain words: it translates them into SQL, or tells what is
// known of the tables they name, or asks which table is meant; the answer to
// that continues the task.
func (e *Expert) question(ctx context.Context, t *a2aexec.Turn, in *topic, limit int) error {
	said := asked(t.Task())
	catalog := e.catalog.within(in)
	question := strings.Join(said, "\n")
	if q := e.modelled(ctx, t, question, catalog); q != nil {
		var stuck *sqlbox.Error
		err := e.run(ctx, t, q, limit)
		if !errors.As(err, &stuck) {
			return err
		}
		e.cfg.Log.WarnContext(ctx, "the model's statement did not run to its end; the question is read by words", "err", err)
	}
	if q := e.worded(ctx, question, catalog); q != nil {
		return e.run(ctx, t, q, limit)
	}
	tables := catalog.about(strings.Join(said, "\n"))
	if len(tables) == 0 {
		if len(said) > maxRounds {
			return refuse("No table was named. The tables are %s.", catalog.list())
		}
		t.Ask(fmt.Sprintf("Which table is this about? There are %s.", catalog.list()))
		return nil
	}
	var counts []string
	for _, tb := range tables[:min(len(tables), 3)] {
		t.Working("Reading " + tb.Name + ".")
		n, err := e.introduce(ctx, t, tb)
		if err != nil {
			return err
		}
		counts = append(counts, fmt.Sprintf("%s has %s", tb.Name, n))
	}
	t.Complete(fmt.Sprintf("The question was not understood; this is what it names. %s. Ask otherwise, or in SQL, for example: SELECT * FROM %s LIMIT 5.",
		strings.Join(counts, "; "), tables[0].Name))
	return nil
}

// translate makes SQL of a question: with the model, if one is configured and
// answers, else by words. It returns nil for what it does not understand.
func (e *Expert) translate(ctx context.Context, t *a2aexec.Turn, question string, catalog *catalog) *plain.Query {
	if q := e.modelled(ctx, t, question, catalog); q != nil {
		return q
	}
	return e.worded(ctx, question, catalog)
}

func (e *Expert) modelled(ctx context.Context, t *a2aexec.Turn, question string, catalog *catalog) *plain.Query {
	if e.cfg.Model == nil {
		return nil
	}
	t.Working("Asking the model for a statement.")
	q, err := e.cfg.Model.translate(ctx, e, question, catalog)
	if err != nil {
		e.cfg.Log.WarnContext(ctx, "the model gave no statement that runs; the question is read by words", "err", err)
		return nil
	}
	return q
}

func (e *Expert) worded(ctx context.Context, question string, catalog *catalog) *plain.Query {
	q := e.words(ctx).Within(catalog.spelled()).Read(question, e.now())
	if q == nil || q.Whole && len(q.Missed) > 0 {
		return nil
	}
	return q
}

// run answers with what a translated question selects.
func (e *Expert) run(ctx context.Context, t *a2aexec.Turn, q *plain.Query, limit int) error {
	limit = e.limit(limit)
	t.Working("Running " + q.SQL)
	res, err := e.box.Query(ctx, q.SQL, limit)
	if err != nil {
		return err
	}
	if err := e.emitRows(t, "result", q.SQL, res); err != nil {
		return err
	}
	read := ""
	if len(q.Read) > 0 {
		read = " Read as: " + strings.Join(q.Read, "; ") + "."
	}
	t.Complete(closing(res, limit) + read + missed(q.Missed) + " The SQL was: " + q.SQL)
	return nil
}

// introduce hands over the schema and first rows of a table, and tells its
// size.
func (e *Expert) introduce(ctx context.Context, t *a2aexec.Turn, tb *table) (size string, err error) {
	d := e.describe(ctx, tb)
	if err := emit(t, "schema:"+tb.Name, d.text(), d); err != nil {
		return "", err
	}
	sql, res, err := e.head(ctx, tb, 5)
	if err != nil {
		return "", err
	}
	if err := e.emitRows(t, "peek:"+tb.Name, sql, res); err != nil {
		return "", err
	}
	if d.RowCount == nil {
		return "more rows than could be counted in time", nil
	}
	return count(int(*d.RowCount), "row"), nil
}

// asked returns what the caller has said in this task, the question and the
// answers that it gave since.
func asked(task *a2a.Task) []string {
	var said []string
	for i := range task.History {
		if m := &task.History[i]; m.Role == a2a.RoleUser {
			if r, err := read(m); err == nil {
				said = append(said, strings.Join([]string{r.Question, r.Query, r.Table}, " "))
			}
		}
	}
	return said
}

// mentioned returns the table that a text is the name of, or the only one
// that it names.
func (c *catalog) mentioned(s string) *table {
	s = strings.Trim(strings.TrimSpace(s), "\"'`?.!")
	s = strings.TrimPrefix(s, "table:")
	if s == "" {
		return nil
	}
	if t := c.find(s); t != nil {
		return t
	}
	if t := c.named(s); t != nil {
		return t
	}
	if found := c.byWords(words(s)); len(found) == 1 {
		return found[0]
	}
	return nil
}

// about returns the tables that a question names, or else those with a
// column that it names.
func (c *catalog) about(question string) []*table {
	ws := words(question)
	if found := c.byWords(ws); len(found) > 0 {
		return found
	}
	var found []*table
	for _, t := range c.tables {
		if t.hasColumnIn(ws) {
			found = append(found, t)
		}
	}
	return found
}

func (c *catalog) byWords(ws map[string]bool) []*table {
	var found []*table
	for _, t := range c.tables {
		for _, form := range forms(t.bare) {
			if ws[form] || ws[strings.ReplaceAll(form, "_", " ")] {
				found = append(found, t)
				break
			}
		}
	}
	return found
}

func (t *table) hasColumnIn(ws map[string]bool) bool {
	for _, col := range t.Columns {
		name := strings.ToLower(col.Name)
		if len(name) > 2 && (ws[name] || ws[strings.ReplaceAll(name, "_", " ")]) {
			return true
		}
	}
	return false
}

// words returns the words of a text in lower case, and each two and three
// that follow one another, as names of tables may have more than one.
func words(s string) map[string]bool {
	s = clip(s, 4000)
	list := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
	out := map[string]bool{}
	for i := range list {
		for n := 1; n <= 3 && i+n <= len(list); n++ {
			out[strings.Join(list[i:i+n], " ")] = true
		}
	}
	return out
}
