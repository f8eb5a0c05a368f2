package tableexpert

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"rialto/cmd/rialto/internal/tableexpert/grammar"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

// Model is a language model behind an endpoint that is compatible with
// OpenAI's chat completions. It is shown the schema and the question, and no
// row. URL and Name are required.
type Model struct {
	URL    string // the base, such as https://models.example.com/v1
	Name   string
	Key    string       // sent as a bearer token, if not empty
	Client *http.Client // nil means http.DefaultClient
}

// Bounds on a call of the model.
const (
	modelTimeout  = 30 * time.Second
	maxModelSize  = 256 << 10 // of its answer
	modelAttempts = 2         // the second with what was wrong with the first
	maxSchema     = 24 << 10  // of the prompt
)

const modelTask = "You translate questions about tables into one SQLite SELECT statement. " +
	"Answer with the statement alone, without comments or explanations. " +
	"Use only the tables and columns below. Columns that end in _cents hold hundredths. " +
	"If the question cannot be answered from these tables, answer with the word NO."

// chatMessage is one message of a chat completion.
type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// translate asks the model for a statement that SQLite takes. The statement
// has not been run; it is a stranger's, as any other that comes in.
func (m *Model) translate(
	ctx context.Context,
	e *Expert,
	question string,
	catalog *catalog,
) (*grammar.Query, error) {
	ctx, cancel := context.WithTimeout(ctx, modelTimeout)
	defer cancel()
	today := " Today is " + time.Now().Format(time.DateOnly) + ".\n\n"
	chat := []chatMessage{
		{"system", modelTask + today + sqlbox.Clip(catalog.ddl(), maxSchema)},
		{"user", sqlbox.Clip(question, 4000)},
	}
	var wrong error
	for range modelAttempts {
		said, err := m.complete(ctx, chat)
		if err != nil {
			return nil, err
		}
		sql := statementIn(said)
		if !looksLikeSQL(sql) {
			return nil, errors.New("the model has no statement for this question")
		}
		if open := parameters.FindString(literals.ReplaceAllString(sql, "")); open != "" {
			wrong = fmt.Errorf("nothing is bound to the parameter %s: write the value", open)
		} else {
			_, wrong = e.box.Query(ctx, "EXPLAIN QUERY PLAN "+sql, maxRows)
		}
		if wrong == nil {
			return &grammar.Query{SQL: sql, Read: []string{"as " + m.Name + " understood it"}}, nil
		}
		correction := "SQLite says: " + wrong.Error() + ". Correct the statement."
		chat = append(chat, chatMessage{"assistant", said}, chatMessage{"user", correction})
	}

	return nil, fmt.Errorf("the model's statement: %w", wrong)
}

// complete returns what the model said. Some models take no temperature but their own, and
// are asked again without one.
func (m *Model) complete(ctx context.Context, chat []chatMessage) (string, error) {
	said, err := m.call(ctx, map[string]any{"model": m.Name, "messages": chat, "temperature": 0})
	var refused *endpointError
	if errors.As(err, &refused) && refused.status == http.StatusBadRequest &&
		strings.Contains(refused.text, "temperature") {
		return m.call(ctx, map[string]any{"model": m.Name, "messages": chat})
	}
	return said, err
}

// endpointError is an answer that is no completion.
type endpointError struct {
	status int
	text   string
}

// Error tells the status and the beginning of the answer.
func (e *endpointError) Error() string {
	return fmt.Sprintf("the model's endpoint answered %d: %s", e.status, sqlbox.Clip(e.text, 200))
}

// call calls the endpoint once.
func (m *Model) call(ctx context.Context, request map[string]any) (string, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return "", err
	}

	req, err := http.NewRequestWithContext(
		ctx,
		http.MethodPost,
		strings.TrimRight(m.URL, "/")+"/chat/completions",
		bytes.NewReader(body),
	)
	if err != nil {
		return "", err
	}

	req.Header.Set("Content-Type", "application/json")
	if m.Key != "" {
		req.Header.Set("Authorization", "Bearer "+m.Key)
	}

	res, err := cmp.Or(m.Client, http.DefaultClient).Do(req)
	if err != nil {
		return "", fmt.Errorf("calling the model: %w", err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxModelSize))
	if err != nil {
		return "", fmt.Errorf("reading the model's answer: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return "", &endpointError{res.StatusCode, string(answer)}
	}

	var said struct {
		Choices []struct {
			Message chatMessage `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(answer, &said); err != nil || len(said.Choices) == 0 {
		return "", errors.New("the model's endpoint answered with no chat completion")
	}

	return said.Choices[0].Message.Content, nil
}

// parameters of a statement are nothing that SQLite complains of: it takes them as NULL.
var (
	parameters = regexp.MustCompile(`\?|[:@$][A-Za-z_]\w*`)
	literals   = regexp.MustCompile("'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|\\[[^\\]]*\\]|--[^\n]*")
)

// fenceLanguage is the language that models name at the beginning of a fence.
var fenceLanguage = regexp.MustCompile(`(?i)^sql(ite)?3?\s`)

// statementIn takes a statement out of the fence that models put around it, and from
// behind what some think aloud.
func statementIn(s string) string {
	if _, after, ok := strings.Cut(s, "</think>"); ok {
		s = after
	}
	if _, after, ok := strings.Cut(s, "```"); ok {
		s, _, _ = strings.Cut(after, "```")
		if language := fenceLanguage.FindString(s); language != "" {
			s = s[len(language):]
		}
	}

	return strings.TrimSpace(s)
}

// ddl writes the tables as a model knows them best.
func (c *catalog) ddl() string {
	var b strings.Builder
	for _, t := range c.tables {
		if t.Note != "" {
			fmt.Fprintf(&b, "-- %s\n", t.Note)
		}
		fmt.Fprintf(&b, "CREATE TABLE %s (\n", t.spelled())
		for _, col := range t.Columns {
			fmt.Fprintf(&b, "  %s %s,", col.Name, col.Type)
			if col.Note != "" {
				b.WriteString(" -- " + col.Note)
			}
			b.WriteByte('\n')
		}
		for _, r := range t.Refs {
			fmt.Fprintf(
				&b,
				"  FOREIGN KEY (%s) REFERENCES %s(%s),\n",
				r.Column, r.Table, r.ToColumn,
			)
		}
		b.WriteString(");\n")
	}

	return b.String()
}
