package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/cmd/rialto/internal/term"
)

// listCommand returns the command that prints the list of a resource.
func listCommand(resource, short string) *cobra.Command {
	return queryCommand(command("list", short), operator.NewQuery(resource), (*request).writeList)
}

// queryCommand gives a command the flags of a list, and runs do with its filters set.
func queryCommand(
	cmd *cobra.Command, query operator.Query, do func(*request, operator.Query) error,
) *cobra.Command {
	if !query.Table().Whole {
		cmd.Flags().Int("limit", 100, "maximum number of rows (up to "+strconv.Itoa(maxListed)+")")
	}

	addFilters(cmd, operator.Filters(query))
	return withOperator(cmd, func(r *request) error {
		if err := r.setFilters(operator.Filters(query)); err != nil {
			return err
		}
		return do(r, query)
	})
}

// addFilters adds the flags of filters.
func addFilters(cmd *cobra.Command, filters []operator.Filter) {
	for _, f := range filters {
		if f.Flag == "" {
			continue
		}
		if _, ok := f.To.(*bool); ok {
			cmd.Flags().Bool(f.Flag, false, f.Usage)
			continue
		}
		cmd.Flags().String(f.Flag, "", f.Usage)
		switch f.Kind {
		case operator.OfOwner, operator.OfActor:
			completeFrom(cmd, f.Flag, "accounts")
		case operator.OfApp:
			completeFrom(cmd, f.Flag, "clients")
		case operator.OfAgent:
			completeFrom(cmd, f.Flag, "agents")
		default:
			if len(f.Choices) > 0 {
				complete(cmd, f.Flag, f.Values()...)
			}
		}
	}
}

// setFilters sets filters from the flags of a command.
func (r *request) setFilters(filters []operator.Filter) error {
	for _, f := range filters {
		flag := r.cmd.Flags().Lookup(f.Flag)
		if flag == nil || !flag.Changed {
			continue
		}
		value, err := r.filterValue(f, flag.Value.String())
		if err != nil {
			return err
		}
		if err := f.Set(value); err != nil {
			return usagef("--%s: %w", f.Flag, err)
		}
	}
	return nil
}

// filterValue returns the value of a filter for the value of its flag. The error of an unknown value
// names the known ones.
func (r *request) filterValue(f operator.Filter, value string) (string, error) {
	if _, ok := f.To.(*bool); ok {
		return map[string]string{"true": f.Choices[0].Value}[value], nil
	}

	switch f.Kind {
	case operator.OfOwner:
		return r.accountID(value)
	case operator.OfAgent:
		return value, r.knownAgent(value)
	}

	if len(f.Choices) > 0 {
		return value, oneOf("--"+f.Flag, value, f.Values()...)
	}

	return value, nil
}

// maxListed limits the rows of a list.
const maxListed = 100_000

// writeList prints the pages of a list as a table or JSON. It says on standard error if there is more.
func (r *request) writeList(query operator.Query) error {
	limit := maxListed
	if !query.Table().Whole {
		limit, _ = r.cmd.Flags().GetInt("limit")
	}
	if limit < 1 || limit > maxListed {
		return usagef("--limit must be from 1 to %d", maxListed)
	}

	items, more, err := r.read(query, limit)
	if err != nil {
		return err
	}
	if err := r.writeItems(query.Table(), items); err != nil {
		return err
	}
	if more {
		fmt.Fprintf(r.cmd.ErrOrStderr(), "There are more: --limit shows up to %d.\n", maxListed)
	}

	return nil
}

// read returns the first entries of a list, and whether there are more.
func (r *request) read(query operator.Query, limit int) (items []any, more bool, err error) {
	items = []any{} // JSON has a list
	span := operator.Span{}
	bar := r.progress("Reading")
	defer bar.Stop()
	for len(items) < limit {
		span.Size = min(limit-len(items), operator.LargestPage)
		p, err := query.Read(r.ctx, r.Service, span)
		if err != nil {
			return nil, false, err
		}
		items = append(items, p.Items...)
		bar.Say(fmt.Sprintf("%d rows", len(items)))
		span.Cursor = p.Next
		if p.Next == "" {
			break
		}
	}

	more = span.Cursor != "" || len(items) > limit
	return items[:min(len(items), limit)], more, nil
}

func (r *request) writeItems(table *operator.Table, items []any) error {
	if r.asJSON {
		return writeJSON(r.out, items)
	}

	style := term.StyleOf(r.out)
	if len(items) == 0 && style.Terminal() {
		_, err := fmt.Fprintln(r.out, "Nothing found.")
		return err
	}

	t := &term.Table{IDs: "ID", Spare: spare}
	for _, c := range table.Command {
		t.Head = append(t.Head, c.Title)
	}

	for _, item := range items {
		var row []string
		for _, c := range table.Command {
			row = append(row, cell(style, item, c.Name))
		}
		t.Add(row...)
	}

	return t.Write(r.out)
}

// spare are the headings of the columns that a narrow terminal leaves out first.
var spare = []string{"CREATED", "SCOPE", "FROM", "SINCE"}

// widths limits the cells of columns with the texts of others.
var widths = map[string]int{"asked": 60, "target": 50, "detail": 60}

// cell returns a cell of a list as text.
func cell(style term.Style, item any, column string) string {
	if a, ok := item.(directory.AgentStatus); ok {
		switch column {
		case "enabled":
			return agentState(a)
		case "configured":
			if a.Configured {
				return "configuration"
			}
			return "database"
		}
	}
	switch v := operator.Value(item, column).(type) {
	case time.Time:
		if column == "time" && !style.Terminal() {
			return v.UTC().Format("2006-01-02 15:04:05Z")
		}
		return style.Time(v)
	case bool:
		return yesNo(v)
	case int:
		return formatCount(v)
	case []string:
		return strings.Join(v, ",")
	default:
		text := fmt.Sprint(v)
		switch {
		case column == "issuer":
			return cmp.Or(text, "here")
		case column == "id" && style.Terminal() && len(text) > 20:
			return text[:shownID]
		}
		if width, ok := widths[column]; ok {
			return cellText(text, width)
		}
		return text
	}
}

func agentState(a directory.AgentStatus) string {
	switch {
	case !a.Enabled:
		return "disabled"
	case a.Waiting:
		return "enabled, a changed card waits"
	}
	return "enabled"
}

// names returns the names of the entries of a resource, for completion. Of grants it returns those
// that are live.
func (r *request) names(resource string) (names []string) {
	query := operator.NewQuery(resource)
	if grants, ok := query.(*operator.GrantFilter); ok {
		grants.Live = true
	}

	p, err := query.Read(r.ctx, r.Service, operator.Span{Size: operator.LargestPage})
	if err != nil {
		return nil
	}

	table := query.Table()
	for _, item := range p.Items {
		name := cell(term.Style{}, item, table.Key)
		var hints []string
		for _, column := range table.Hint {
			hints = append(hints, cellText(cell(term.Style{}, item, column), 40))
		}
		if len(hints) > 0 {
			name = cobra.CompletionWithDesc(name, strings.Join(hints, " "))
		}
		names = append(names, name)
	}

	return names
}

// Lists at a terminal show the beginning of a long ID: those of tasks begin with the millisecond.
const (
	shownID    = 13
	shortestID = 4 // that commands take
)

// expand completes the beginning of an ID, which is all that a list at a terminal shows.
func (r *request) expand(resource string) error {
	if len(r.name) < shortestID || operator.NewQuery(resource).Table().Key != "id" {
		return nil
	}
	if _, err := r.Entry(r.ctx, resource, r.name); !errors.Is(err, operator.ErrNotFound) {
		return err
	}

	items, _, err := r.read(operator.NewQuery(resource), maxListed)
	var found []string
	for _, item := range items {
		if id := fmt.Sprint(operator.Value(item, "id")); strings.HasPrefix(id, r.name) {
			found = append(found, id)
		}
	}
	if len(found) > 1 {
		return usagef(
			"%d %s have an ID that begins with %s: write more of it", len(found), resource, r.name,
		)
	}
	if len(found) == 1 {
		r.name = found[0]
	}

	return err
}

// removeCommand returns the command that removes or ends an entry of a resource.
func removeCommand(resource string) *cobra.Command {
	x := operator.NewQuery(resource).Table().Remove
	cmd := onEntry(resource, x.Use, x.Short)
	cmd.SuggestFor = []string{"rm"}
	return withOperator(destructive(cmd), func(r *request) error {
		if err := r.confirm(x.Ask, r.name); err != nil {
			return err
		}
		if err := r.Remove(r.ctx, operator.CommandLine, resource, r.name); err != nil {
			return r.entryError(resource, r.name, err)
		}
		return r.done(struct{}{}, x.Said, r.name)
	})
}
