package tableexpert

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/cmd/rialto/internal/tableexpert/grammar"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
	"rialto/internal/i18n"
)

// request is what a message asks for: the members of its data parts, and its
// text where they leave something out.
type request struct {
	Query    string   `json:"query"`
	SQL      string   `json:"sql"`
	ID       string   `json:"id"`
	Table    string   `json:"table"`
	Question string   `json:"question"`
	Topic    string   `json:"topic"`
	UseCase  string   `json:"usecase"`
	Limit    rowLimit `json:"limit"`
}

// refusal is an error whose text is for the caller.
type refusal struct{ text string }

// Error returns the text.
func (r *refusal) Error() string { return r.text }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// serve answers one message.
func (e *Expert) serve(ctx context.Context, t *a2aexec.Turn) error {
	err := e.answer(ctx, t)
	var (
		refused *refusal
		box     *sqlbox.Error
	)
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.As(err, &refused):
		t.Fail(refused.text)
	case errors.As(err, &box):
		t.Fail(i18n.Sentence(e.catalog.withHint(box.Message)))
	default:
		e.cfg.Log.ErrorContext(
			ctx, "the table expert could not answer",
			"task", t.Message.TaskID,
			"err", err,
		)
		t.Fail("The tables could not be read. What happened is in the log.")
	}

	return nil
}

func (e *Expert) answer(ctx context.Context, t *a2aexec.Turn) error {
	r, err := read(t.Message)
	if err != nil {
		return err
	}

	in, err := e.topicOf(r, t.Message)
	if err != nil {
		return err
	}

	skill := t.Skill
	switch {
	case skill != "":
	case len(t.Task().History) > 1: // only questions are asked back
		skill = skillQuery
	default:
		skill = r.skill()
	}

	switch skill {
	case skillSearch:
		return e.search(ctx, t, cmp.Or(r.Query, r.Question), in)
	case skillFetch:
		return e.fetch(ctx, t, cmp.Or(r.ID, r.Query, r.Question))
	case skillSchema:
		return e.schema(ctx, t, cmp.Or(r.Table, r.Query, r.Question), in)
	case skillPeek:
		return e.peek(ctx, t, cmp.Or(r.Table, r.Query, r.Question), int(r.Limit))
	case skillQuery:
		sql := cmp.Or(r.SQL, r.Query, r.Question)
		answering := len(t.Task().History) > 1 // a form's "sql" may hold simpler words
		given := r.SQL != "" && !answering
		if given || e.isSQL(sql, t.Skill != "") {
			return e.run(ctx, t, &grammar.Query{SQL: sql}, int(r.Limit))
		}
		return e.question(ctx, t, in, int(r.Limit))
	case skillTopics:
		return e.discoverTopics(t, in)
	case skillGold:
		return e.listGold(ctx, t, in)
	case skillExplain:
		return e.explain(ctx, t, cmp.Or(r.SQL, r.Query, r.Question), in)
	default:
		skills := strings.Join(skillIDs(), ", ")
		return refuse(
			"There is no skill %q here. The skills are %s.", sqlbox.Clip(skill, 40), skills,
		)
	}
}

// skill guesses the skill that a request is for from what it brings.
func (r *request) skill() string {
	switch {
	case r.SQL != "":
		return skillQuery
	case r.ID != "":
		return skillFetch
	case r.Query != "" && !looksLikeSQL(r.Query):
		return skillSearch
	case r.Table != "":
		return skillPeek
	default:
		return skillQuery
	}
}

// read takes a message apart.
func read(m *a2a.Message) (*request, error) {
	r := &request{}
	said := ""
	data := false
	for _, part := range m.Parts {
		switch c := part.Content.(type) {
		case a2a.Text:
			said = strings.TrimSpace(said + "\n" + string(c))
		case a2a.Data:
			data = true
			if err := r.readData(c); err != nil {
				return nil, err
			}
		default:
			return nil, refuse(
				"Files are not read; send a question or SQL as text, or arguments as data.",
			)
		}
	}

	if r.Question == "" && !(data && r.isEcho(said)) {
		r.Question = said
	}

	return r, nil
}

// isEcho reports whether a text beside data says nothing of its own: callers that have
// data only put it into words for agents that read no data, or name the skill.
func (r *request) isEcho(said string) bool {
	return json.Valid([]byte(said)) || slices.Contains(skillIDs(), said) || said == r.Topic ||
		said == r.UseCase
}

func (r *request) readData(b []byte) error {
	err := json.Unmarshal(b, r)
	wrong, isType := errors.AsType[*json.UnmarshalTypeError](err)
	_, isRefusal := errors.AsType[*refusal](err)
	switch {
	case err == nil, isRefusal:
		return err
	case isType && wrong.Field != "":
		return refuse("The argument %q must be a string.", wrong.Field)
	}

	return refuse(
		"The data is not an object of arguments such as {\"query\": \"hail\"} or {\"sql\": \"SELECT 1\"}.",
	)
}

// rowLimit is how many rows are asked for; 0 if the request does not say. Language models write it
// in quotes at times.
type rowLimit int

// UnmarshalJSON implements json.Unmarshaler.
func (l *rowLimit) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	n, err := strconv.Atoi(strings.Trim(string(b), `"`))
	if err != nil || n < 1 {
		return refuse("The argument \"limit\" must be a whole number from 1 to %d.", maxRows)
	}
	*l = rowLimit(min(n, maxRows))
	return nil
}
