package call

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rialto/bridge/form"
	"rialto/bridge/sanitize"
	"rialto/cmd/rialto/internal/term"
)

// mostTries is how often a field is asked for.
const mostTries = 5

var errDeclined = errors.New("declined")

// elicit asks the user what the server asks. Without an answer, the question stays open.
func (s *Session) elicit(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}

	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	s.question.Store(&cancel) // before it is seen, because who sees it may interrupt
	defer s.question.Store(nil)
	s.progress.Stop()
	s.c.Dialog.Say(s.c.host() + " asks: " + sanitize.Text(r.Params.Message))
	var content map[string]any
	var err error
	if r.Params.URL != "" {
		err = visit(asking, s.c.Dialog, r.Params.URL)
	} else {
		content, err = fill(asking, s.c.Dialog, r.Params.RequestedSchema)
	}

	s.progress = term.Start(s.c.Err, "Waiting for the answer")
	switch {
	case errors.Is(err, errDeclined):
		return &mcp.ElicitResult{Action: "decline"}, nil
	case err != nil:
		return &mcp.ElicitResult{Action: "cancel"}, ctx.Err()
	}

	return &mcp.ElicitResult{Action: "accept", Content: content}, nil
}

// host returns the host of the server.
func (c *Client) host() string {
	u, err := url.Parse(c.URL)
	if err != nil {
		return c.URL
	}
	return u.Host
}

// visit sends the user to a page, and waits until they are done there.
func visit(ctx context.Context, d *term.Dialog, address string) error {
	page := sanitize.WebPage(address)
	if page == "" {
		return errDeclined
	}

	answer, err := d.Ask(
		ctx, "\n  "+page+"\n\nOpen this page, then press Enter, or type n to decline: ",
	)
	if err == nil && strings.HasPrefix(strings.ToLower(answer), "n") {
		return errDeclined
	}

	return err
}

// fill asks for each field of a form.
func fill(ctx context.Context, d *term.Dialog, schema any) (content map[string]any, err error) {
	b, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}

	f, ok := form.Read(b)
	if !ok {
		return nil, errDeclined
	}

	order := names(schemaOf(schema)) // the SDK keeps no order
	slices.SortStableFunc(f.Fields, func(a, b form.Field) int {
		return cmp.Compare(slices.Index(order, a.Name), slices.Index(order, b.Name))
	})
	typed := map[string]string{}
	filled := func() (json.RawMessage, map[string]form.Problem) {
		return f.Fill(func(name string) string { return typed[name] })
	}
	for _, field := range f.Fields {
		describe(d, field)
		for try := 1; ; try++ {
			answer, err := d.Ask(ctx, "  "+field.Label()+hint(field)+": ")
			if err != nil {
				return nil, err
			}
			typed[field.Name] = text(field, answer)
			_, problems := filled()
			problem, wrong := problems[field.Name]
			if !wrong {
				break
			}
			d.Say("  " + strings.Replace(problem.Sentence, "{}", problem.Value, 1))
			if try == mostTries {
				return nil, term.ErrNoAnswer
			}
		}
	}

	object, _ := filled()
	return content, json.Unmarshal(object, &content)
}

func describe(d *term.Dialog, f form.Field) {
	if f.Description != "" {
		d.Say("  " + f.Description)
	}
	for i, c := range f.Choices {
		d.Say(fmt.Sprintf("  %d. %s", i+1, c.Title))
	}
}

// hint says what to type: the format of dates, numbers and lists, and what an empty line means.
func hint(f form.Field) string {
	var hints []string
	switch {
	case f.Kind == form.Boolean && f.Default == "true":
		return " (Y/n)"
	case f.Kind == form.Boolean:
		return " (y/N)"
	case f.Many:
		hints = append(hints, "separated by commas")
	case f.Format != "":
		hints = append(hints, f.Format)
	}

	switch {
	case f.Default != "":
		hints = append(hints, "default "+f.Default)
	case !f.Required:
		hints = append(hints, "optional")
	}

	if hints == nil {
		return ""
	}

	return " (" + strings.Join(hints, ", ") + ")"
}

// text returns an answer as it is typed into a form on a page.
func text(f form.Field, answer string) string {
	switch {
	case answer == "":
		return f.Default
	case f.Kind == form.Boolean:
		return strconv.FormatBool(strings.ContainsAny(answer[:1], "yYtTsS1"))
	case f.Many:
		var values []string
		for one := range strings.SplitSeq(answer, ",") {
			values = append(values, chosen(f, strings.TrimSpace(one)))
		}
		return strings.Join(values, "\n")
	}
	return chosen(f, answer)
}

// chosen returns the value that an answer names by its number or title.
func chosen(f form.Field, answer string) string {
	for i, c := range f.Choices {
		numbered := answer == strconv.Itoa(i+1) && answer != c.Value
		if numbered || strings.EqualFold(answer, c.Title) {
			return c.Value
		}
	}
	return answer
}
