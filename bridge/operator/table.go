package operator

import (
	"context"
	_ "embed" // for tables.yaml
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"rialto/internal/embedded"
)

//go:embed tables.yaml
var tablesFile []byte

// tables returns the lists by their names.
var tables = sync.OnceValue(func() map[string]*Table {
	named := map[string]*Table{}
	for _, t := range embedded.YAML[[]*Table](tablesFile)() {
		named[t.Name] = t
	}

	return named
})

// Table describes the list of a resource for pages, commands and the REST API alike: tables.yaml has
// them. Words for people are sentences in English.
type Table struct {
	Name    string   // names the list in JSON, and the resource everywhere
	Key     string   // the column that names an entry: id or name
	Hint    []string // the columns that a shell shows beside the key
	Page    []Column // columns of the page, in order
	Command []Column // columns of the command, in order
	Sorted  string   // the column that sorts the page
	Ranked  bool     // a search sorts the page by the word that it found
	Right   []string // columns of the page that hold numbers
	NoTotal bool     `yaml:"no_total"` // the page does not say how many entries there are
	Empty   string   // what the page says if there are no entries
	Whole   bool     // commands and the REST API list all entries at once
	Remove  Removal
	Bulk    Bulk
	Latest  bool // a search reads the latest MostSearched entries; pages are dense
	Filters []Filter
	Fields  []ConnectorField // what forms and commands set of a connector
}

// Removal describes how an entry is removed or ended: see Service.Remove.
type Removal struct {
	Path   string   // the last part of the address of the form
	Button string   // the word of the button
	Title  string   // the question on pages
	About  string   // what happens; each {} stands for the column in Of
	Of     []string // columns
	Word   string   // the button that confirms
	Done   string   // the key of the message after it
	Back   string   // the address of the entry's page, which asks; "" asks in the list

	Use   string // the usage line of the command
	Short string // what the command does
	Ask   string // the question of the command about %s
	Said  string // what the command says about %s after it
}

// Bulk describes what pages do to several entries at once, which are ticked: the action of each is
// that of the form at Path.
type Bulk struct {
	Path   string // the last part of the address of the form
	Button string // the word of the button
	Title  string // the question
	About  string // what happens to {} entries
	Word   string // the button that confirms
	Done   string // the key of the message after it, which says how many of them
}

// Column is a column of a list. Name is the member of the entry's JSON object, and Title its heading.
type Column struct{ Name, Title string }

// Filter chooses entries of a list. A face without a name for it does not have it.
type Filter struct {
	Sets    string // a field of the Query
	To      any    `yaml:"-"` // that field: a *string, *[]string, *bool or *time.Time; see Filters
	Param   string // its name in the REST API
	Flag    string // its name in commands
	Usage   string // what the flag does
	Field   string // its name on pages
	Label   string // of the field; "" keeps it hidden
	Kind    FilterKind
	Choices []Choice // its values; the first one sets a *bool
	Open    bool     // the REST API accepts other values than Choices
}

// Choice is a value of a Filter. Word names it on pages.
type Choice struct{ Value, Word string }

// FilterKind says what the value of a filter is, for suggestions and checks.
type FilterKind string

// The kinds of filters; "" is any other value.
const (
	Search  FilterKind = "search" // a text to look for
	OfOwner FilterKind = "owner"  // the ID of an account; pages and commands take its name
	OfActor FilterKind = "actor"  // the name of an account
	OfApp   FilterKind = "app"    // the ID of a client; pages take its name
	OfAgent FilterKind = "agent"  // the name of an agent
	OfState FilterKind = "state"  // the state of a task
	Days    FilterKind = "days"   // the number of days up to now
)

// Values returns the values of the choices.
func (f Filter) Values() (all []string) {
	for _, c := range f.Choices {
		all = append(all, c.Value)
	}
	return all
}

// Set sets what the filter is for, unless value is empty. It fails with an Error for a wrong time.
func (f Filter) Set(value string) (err error) {
	if value == "" {
		return nil
	}

	switch to := f.To.(type) {
	case *string:
		*to = value
	case *[]string:
		*to = []string{value}
	case *bool:
		*to = *to || value == f.Choices[0].Value
	case *time.Time:
		*to, err = ParseTime(value, time.Now())
	}

	return err
}

// Query is a list to be read: a filter of this package. Set its Filters first.
type Query interface {
	Table() *Table
	// Read returns a page of the list. It fails with ErrCursor.
	Read(context.Context, *Service, Span) (*Page[any], error)
}

// Filters returns the filters of a list, which set fields of the query, in the order of the page.
func Filters(query Query) []Filter {
	fields := reflect.Indirect(reflect.ValueOf(query))
	text := reflect.TypeFor[*string]()
	all := slices.Clone(query.Table().Filters)
	for i, f := range all {
		to := fields.FieldByName(f.Sets).Addr()
		if to.CanConvert(text) {
			to = to.Convert(text)
		}
		all[i].To = to.Interface()
	}
	return all
}

// Word returns how pages name a value of a field: as its filter does, or else by the value.
func Word(resource, field, value string) string {
	for _, f := range tables()[resource].Filters {
		for _, c := range f.Choices {
			if f.Field == field && c.Value == value {
				return c.Word
			}
		}
	}
	return value
}

// NewQuery returns a query that lists all entries of a resource, by the name of its Table.
func NewQuery(name string) Query {
	switch name {
	case "grants":
		return &GrantFilter{}
	case "clients":
		return &ClientFilter{}
	case "accounts":
		return &AccountFilter{}
	case "agents":
		return &AgentFilter{}
	case "connectors":
		return connectorQuery{}
	case "tasks":
		return &TaskFilter{}
	case "events":
		return &EventFilter{}
	case "keys":
		return keyQuery{}
	case "calls":
		return &CallFilter{}
	}
	panic("operator: there is no list of " + name)
}

// Entry returns the entry of a resource with a key, or ErrNotFound.
func (s *Service) Entry(ctx context.Context, resource, key string) (any, error) {
	switch resource {
	case "grants":
		return s.Grant(ctx, key)
	case "clients":
		return s.Client(ctx, key)
	case "accounts":
		return s.Account(ctx, key)
	case "agents":
		return s.Agents.Agent(ctx, key)
	case "connectors":
		return s.Agents.Connector(ctx, key)
	case "tasks":
		return s.Task(ctx, key)
	case "keys":
		return s.Key(ctx, key)
	}
	return nil, ErrNotFound
}

// Remove removes or ends the entry of a resource with a key. It fails with ErrNotFound, and with an
// Error where the entry cannot be removed.
func (s *Service) Remove(ctx context.Context, by Actor, resource, key string) error {
	switch resource {
	case "grants":
		return s.RevokeGrant(ctx, by, key)
	case "clients":
		return s.RemoveClient(ctx, by, key)
	case "accounts":
		return s.RemoveAccount(ctx, by, key)
	case "agents":
		return s.Agents.Remove(ctx, by, key)
	case "connectors":
		return s.Agents.RemoveConnector(ctx, by, key)
	case "keys":
		return s.RevokeKey(ctx, by, key)
	}
	return ErrNotFound
}

// untyped returns a page without the type of its entries.
func untyped[T any](p *Page[T], err error) (*Page[any], error) {
	if err != nil {
		return nil, err
	}

	out := &Page[any]{
		Items: make([]any, len(p.Items)),
		Next:  p.Next,
		Prev:  p.Prev,
		Total: p.Total,
	}
	for i, item := range p.Items {
		out.Items[i] = item
	}

	return out, nil
}

// Value returns the member of an entry that a column shows; nil if the entry has none of this name.
func Value(entry any, column string) any {
	return member(reflect.Indirect(reflect.ValueOf(entry)), column)
}

func member(v reflect.Value, name string) any {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag == name {
			return v.Field(i).Interface()
		}
		if field.Anonymous && tag == "" {
			if inner := member(v.Field(i), name); inner != nil {
				return inner
			}
		}
	}
	return nil
}
