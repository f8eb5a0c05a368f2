package tableexpert

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/internal/tableexpert/grammar"
	"rialto/internal/tableexpert/sqlbox"
)

const (
	maxRounds = 3 // questions to the caller about one question of theirs
	maxShown  = 8 // tables whose schema goes with a question to the caller
)

var (
	greeting = regexp.MustCompile(`(?i)^[\s¡¿]*(` +
		`hi|hello|hey|good (morning|afternoon|evening)|how are you( doing)?( today)?|` +
		`thanks?( you)?( (very|so) much| a lot)?|great|cool|nice|ok|okay|bye|goodbye|` +
		`who are you|what (can|do) you do|what are you|help|are you (there|ok|a bot|human)|` +
		`hola|buenos días|buenas( tardes| noches)?|(muchas )?gracias|qué tal|cómo estás|adiós|hasta luego|` +
		`ayuda|quién eres|qué (puedes|sabes) hacer|vale|genial|perfecto` +
		`)([\s,!?.¡¿]+(there|all|everyone|a todos|and )?)*$`)
	declined = regexp.MustCompile(`(?i)^\W*(` +
		`no|nope|none|no,? thank(s| you)|never ?mind|forget it|cancel|stop|skip|quit|i don'?t know|` +
		`the user declined .*|nothing was filled in|` +
		`no,? gracias|nada|olvídalo|cancela(r)?|déjalo|no (lo )?sé|ninguna?` +
		`)\W*$`)
)

// question answers a question. What the grammar cannot place whole is asked back with the schema;
// the answer continues the same task.
func (e *Expert) question(ctx context.Context, t *a2aexec.Turn, in *topic, limit int) error {
	said := asked(t.Task())
	latest := said[len(said)-1]
	catalog := e.catalog.within(in)
	continued := len(said) > 1
	switch {
	case continued && declined.MatchString(latest):
		t.Reject("The question is dropped.")
		return nil
	case continued && e.meantAsSQL(latest, false):
		return e.query(ctx, t, latest, limit)
	case smallTalk(latest):
		t.Complete(introduction(catalog))
		return nil
	}
	if q := e.modelled(ctx, t, strings.Join(said, "\n"), catalog); q != nil {
		var stuck *sqlbox.Error
		err := e.run(ctx, t, q, limit)
		if !errors.As(err, &stuck) {
			return err
		}
		e.cfg.Log.WarnContext(ctx, "the model's statement failed; the grammar reads the question", "err", err)
	}
	return e.readByWords(ctx, t, said, catalog, limit)
}

// readByWords answers a question that the grammar reads, and asks any other one back.
func (e *Expert) readByWords(
	ctx context.Context, t *a2aexec.Turn, said []string, c *catalog, limit int,
) error {
	q, failure := e.parse(ctx, said, c)
	if q != nil {
		return e.run(ctx, t, q, limit)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	foreign := len(failure.Tables) == 0 && !failure.Asks
	switch {
	case foreign && len(said) == 1:
		t.Complete("No word of this names a table or column here. " + introduction(c))
		return nil
	case len(said) > maxRounds:
		return refuse("The question could not be read. Send one SELECT; the tables are %s.", c.list())
	}
	return e.askBack(ctx, t, c, failure)
}

// smallTalk reports whether a message is a greeting, or has no word in it.
func smallTalk(s string) bool {
	mark := func(r rune) bool { return r <= ' ' || strings.ContainsRune("?!.,;:-¿¡", r) }
	return strings.TrimFunc(s, mark) == "" || greeting.MatchString(s)
}

// introduction says what can be asked.
func introduction(c *catalog) string {
	return fmt.Sprintf("I answer questions about these tables: %s. "+
		"Send one SELECT (the skills schema and peek describe the tables), "+
		"or a simple question such as: How many %s are there?", c.list(), c.tables[0].Name)
}

// parse makes SQL of a question by the grammar. An answer to a question of ours completes the first
// question, or replaces it.
func (e *Expert) parse(ctx context.Context, said []string, c *catalog) (*grammar.Query, *grammar.Failure) {
	schema := e.words(ctx).Within(c.spelled())
	q, failure := schema.Read(strings.Join(said, " "))
	latest := said[len(said)-1]
	whole := len(said) > 1 && len(strings.Fields(latest)) > 2
	if q == nil && whole {
		q, _ = schema.Read(latest)
	}
	return q, failure
}

// modelled asks the model for a statement that runs; nil if there is no model or it has none.
func (e *Expert) modelled(ctx context.Context, t *a2aexec.Turn, question string, c *catalog) *grammar.Query {
	if e.cfg.Model == nil {
		return nil
	}
	t.Working("Asking the model for a statement.")
	q, err := e.cfg.Model.translate(ctx, e, question, c)
	if err != nil {
		e.cfg.Log.WarnContext(ctx,
			"the model returned no statement that runs; the grammar reads the question", "err", err)
		return nil
	}
	return q
}

// askBack asks for what a question lacks: the table, if it names none of several, or else the
// question in SQL. The schema goes with it.
func (e *Expert) askBack(ctx context.Context, t *a2aexec.Turn, c *catalog, f *grammar.Failure) error {
	named := slices.DeleteFunc(slices.Clone(c.tables), func(tb *table) bool {
		return !slices.Contains(f.Tables, tb.spelled())
	})
	missing := len(named) == 0 && len(c.tables) > 1
	if len(named) == 0 {
		named = c.tables
	}
	if err := e.emitSchema(ctx, t, named[:min(len(named), maxShown)]); err != nil {
		return err
	}
	if missing {
		choice := fmt.Sprintf("Which table is this about? There are %s. Or send one SELECT.", c.list())
		t.AskForm(choice, tableChoice(c))
		return nil
	}
	unplaced := ""
	if len(f.Unplaced) > 0 {
		words := sqlbox.Clip(strings.Join(f.Unplaced, ", "), 300)
		unplaced = fmt.Sprintf(" These words could not be placed: %s.", words)
	}
	t.AskForm("The question was not answered, because an answer might be wrong."+unplaced+
		" Send one SELECT on the tables described here, or put the question in simpler words.", sqlForm)
	return nil
}

// emitSchema describes tables.
func (e *Expert) emitSchema(ctx context.Context, t *a2aexec.Turn, tables []*table) error {
	counting, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	var texts []string
	var data []description
	for _, tb := range tables {
		d := e.describe(counting, tb)
		texts = append(texts, d.text())
		data = append(data, d)
	}
	return emit(t, "schema", strings.Join(texts, "\n\n"), map[string]any{"tables": data})
}

// sqlForm is the form for a question in SQL.
var sqlForm = json.RawMessage(`{
	"type": "object",
	"properties": {
		"sql": {"type": "string", "title": "SELECT", "description": "One SELECT, or the question in simpler words."}
	},
	"required": ["sql"]
}`)

// tableChoice is the form for the name of a table.
func tableChoice(c *catalog) json.RawMessage {
	var names []string
	for _, tb := range c.tables {
		names = append(names, tb.Name)
	}
	choice := map[string]any{"type": "string", "title": "Table", "enum": names}
	form, _ := json.Marshal(map[string]any{
		"type":       "object",
		"properties": map[string]any{"table": choice},
		"required":   []string{"table"},
	})
	return form
}

// run answers with what a translated question selects.
func (e *Expert) run(ctx context.Context, t *a2aexec.Turn, q *grammar.Query, limit int) error {
	limit = e.limit(limit)
	t.Working("Running " + q.SQL)
	res, err := e.box.Query(ctx, q.SQL, limit)
	if err != nil {
		return err
	}
	if err := e.emitRows(t, "result", q.SQL, res); err != nil {
		return err
	}
	t.Complete(closing(res, limit) + " Read as: " + strings.Join(q.Read, "; ") + ". The SQL was: " + q.SQL)
	return nil
}

// asked returns what the caller has said in this task: the question, and the answers to ours.
func asked(task *a2a.Task) []string {
	var said []string
	for i := range task.History {
		m := &task.History[i]
		if m.Role != a2a.RoleUser {
			continue
		}
		if r, err := read(m); err == nil {
			question := strings.TrimSpace(r.Question + " " + r.Query)
			said = append(said, cmp.Or(r.SQL, r.Table, question))
		}
	}
	return said
}

// mentioned returns the table that a text is the name of, or the only one that it names.
func (c *catalog) mentioned(s string) *table {
	s = strings.TrimPrefix(strings.Trim(strings.TrimSpace(s), "\"'`?.!"), "table:")
	if t := c.find(s); t != nil || s == "" {
		return t
	}
	if t := c.named(s); t != nil {
		return t
	}
	var found []*table
	for _, w := range nameWords.FindAllString(strings.ToLower(sqlbox.Clip(s, 4000)), -1) {
		if t := c.named(w); t != nil && !slices.Contains(found, t) {
			found = append(found, t)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

var nameWords = regexp.MustCompile(`[\pL\d_]+`)
