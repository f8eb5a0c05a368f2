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
	"rialto/cmd/rialto/internal/tableexpert/grammar"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

const (
	maxRounds = 3 // questions to the caller about one question of theirs
	maxShown  = 8 // tables whose schema goes with a question to the caller
)

// declining is an answer that gives up the question.
var declining = regexp.MustCompile(`(?i)^\W*(` +
	`no|nope|none|no,? thank(s| you)|never ?mind|forget it|cancel|stop|skip|quit|i don'?t know|` +
	`the user declined .*|nothing was filled in|` +
	`no,? gracias|nada|olvídalo|cancela(r)?|déjalo|no (lo )?sé|ninguna?` +
	`)\W*$`)

// question answers a question. What the grammar cannot place whole is asked back with the schema;
// the answer continues the same task.
func (e *Expert) question(ctx context.Context, t *a2aexec.Turn, in *topic, limit int) error {
	messages := userMessages(t.Task())
	latest := messages[len(messages)-1]
	continued := len(messages) > 1
	catalog := e.catalog.within(in)

	switch {
	case continued && declining.MatchString(latest):
		t.Reject("The question is dropped.")
		return nil
	case continued && e.isSQL(latest, false):
		return e.run(ctx, t, &grammar.Query{SQL: latest}, limit)
	}

	if q := e.askModel(ctx, t, strings.Join(messages, "\n"), catalog); q != nil {
		err := e.run(ctx, t, q, limit)
		var rejected *sqlbox.Error
		if !errors.As(err, &rejected) {
			return err
		}
		e.cfg.Log.WarnContext(
			ctx, "the model's statement failed; the grammar reads the question",
			"err", err,
		)
	}

	return e.answerByGrammar(ctx, t, messages, catalog, limit)
}

// answerByGrammar answers a question that the grammar reads, and asks any other one back.
func (e *Expert) answerByGrammar(
	ctx context.Context, t *a2aexec.Turn, messages []string, c *catalog, limit int,
) error {
	q, failure := e.parse(ctx, messages, c)
	if q != nil {
		return e.run(ctx, t, q, limit)
	}
	if err := ctx.Err(); err != nil {
		return err
	}

	unrelated := len(failure.Tables) == 0 && !failure.Asks
	switch {
	case unrelated && len(messages) == 1:
		t.Complete("No word of this names a table or column here. " + introduction(c))
		return nil
	case len(messages) > maxRounds:
		return refuse(
			"The question could not be read. Send one SELECT; the tables are %s.", c.list(),
		)
	}

	return e.askBack(ctx, t, c, failure)
}

// userMessages returns what the caller has said in this task: the question, and the answers to ours.
func userMessages(task *a2a.Task) []string {
	var messages []string
	for i := range task.History {
		m := &task.History[i]
		if m.Role != a2a.RoleUser {
			continue
		}
		r, err := read(m)
		if err == nil {
			question := strings.TrimSpace(r.Question + " " + r.Query)
			messages = append(messages, cmp.Or(r.SQL, r.Table, question))
		}
	}

	return messages
}

// introduction says what can be asked.
func introduction(c *catalog) string {
	return fmt.Sprintf("I answer questions about these tables: %s. "+
		"Send one SELECT (the skills schema and peek describe the tables), "+
		"or a simple question such as: How many %s are there?", c.list(), c.tables[0].Name)
}

// parse makes SQL of a question by the grammar. An answer to a question of ours completes the first
// question, or replaces it.
func (e *Expert) parse(
	ctx context.Context, messages []string, c *catalog,
) (*grammar.Query, *grammar.Failure) {
	schema := e.words(ctx)
	q, failure := schema.Read(strings.Join(messages, " "), c.spelled())

	latest := messages[len(messages)-1]
	mayReplace := len(messages) > 1 && len(strings.Fields(latest)) > 2
	if q == nil && mayReplace {
		q, _ = schema.Read(latest, c.spelled())
	}

	return q, failure
}

// askModel asks the model for a statement that runs; nil if there is no model or it has none.
func (e *Expert) askModel(
	ctx context.Context, t *a2aexec.Turn, question string, c *catalog,
) *grammar.Query {
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
	namesNone := len(named) == 0
	if namesNone {
		named = c.tables
	}
	if err := e.emitSchema(ctx, t, named[:min(len(named), maxShown)], false); err != nil {
		return err
	}

	if namesNone && len(c.tables) > 1 {
		t.AskForm(
			fmt.Sprintf("Which table is this about? There are %s. Or send one SELECT.", c.list()),
			tableForm(c),
		)
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

// sqlForm is the form for a question in SQL.
var sqlForm = json.RawMessage(`{
	"type": "object",
	"properties": {
		"sql": {"type": "string", "title": "SELECT", "description": "One SELECT, or the question in simpler words."}
	},
	"required": ["sql"]
}`)

// tableForm is the form for the name of a table.
func tableForm(c *catalog) json.RawMessage {
	choice := map[string]any{"type": "string", "title": "Table", "enum": c.names()}
	form, _ := json.Marshal(map[string]any{
		"type":       "object",
		"properties": map[string]any{"table": choice},
		"required":   []string{"table"},
	})
	return form
}
