package tableexpert

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

// topicsFile may stand beside the tables; docs/tableexpert.md explains it.
const topicsFile = "topics.yaml"

// topic is a group of tables. It narrows searches, lists and questions; it is no access
// control.
type topic struct {
	ID          string   `yaml:"id" json:"id"`
	Title       string   `yaml:"title" json:"title"`
	Description string   `yaml:"description" json:"description,omitempty"`
	Tables      []string `yaml:"tables" json:"tables"`
	UseCases    []string `yaml:"usecases" json:"usecases,omitempty"` // whose topic this is when they name none
}

// curation is what people have said about the tables as a whole.
type curation struct {
	Topics []topic  `yaml:"topics"`
	Gold   []string `yaml:"gold"` // the tables that are ready to be relied on
}

// readTopics reads the file of topics, if there is one.
func readTopics(root *os.Root) (*curation, error) {
	b, err := root.ReadFile(topicsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	c := &curation{}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(c); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", topicsFile, err)
	}

	return c, nil
}

// check returns an error that names what the tables do not have.
func (c *curation) check(tables *catalog) error {
	seen := map[string]bool{}
	for _, t := range c.Topics {
		if t.ID == "" || anyTopic(t.ID) || seen[t.ID] {
			return fmt.Errorf("%s: every topic needs an id of its own; %q is none", topicsFile, t.ID)
		}
		seen[t.ID] = true
		if len(t.Tables) == 0 {
			return fmt.Errorf("%s: topic %s has no tables", topicsFile, t.ID)
		}
	}
	named := slices.Clone(c.Gold)
	for _, t := range c.Topics {
		named = append(named, t.Tables...)
	}
	for _, name := range named {
		if tables.find(name) == nil {
			return fmt.Errorf(
				"%s: there is no table %q; the tables are %s",
				topicsFile, name, tables.list(),
			)
		}
	}

	return nil
}

// addDefaults adds defaults: a topic for each table with the tables that it refers to, and
// as gold the views, or else all tables.
func (c *curation) addDefaults(tables *catalog) {
	if len(c.Topics) == 0 {
		for _, tb := range tables.tables {
			t := topic{
				ID:          tb.Name,
				Title:       strings.ReplaceAll(tb.bare, "_", " "),
				Description: tb.Note,
				Tables:      []string{tb.Name},
			}
			for _, r := range tb.Refs {
				if !slices.Contains(t.Tables, r.Table) {
					t.Tables = append(t.Tables, r.Table)
				}
			}
			c.Topics = append(c.Topics, t)
		}
	}
	if len(c.Gold) > 0 {
		return
	}

	for _, tb := range tables.tables {
		if tb.View {
			c.Gold = append(c.Gold, tb.Name)
		}
	}

	if len(c.Gold) == 0 {
		c.Gold = tables.names()
	}
}

// anyTopic reports whether a name means all tables.
func anyTopic(name string) bool {
	return slices.Contains(
		[]string{"", "*", "any", "all"}, strings.ToLower(strings.TrimSpace(name)),
	)
}

// topic finds the topic that a request is about: the one that it names, or
// that of its use case; nil means all tables. A name that no topic has is
// taken for the only topic if there is one.
func (c *curation) topic(name, useCase string) (*topic, error) {
	if !anyTopic(name) {
		for i, t := range c.Topics {
			if strings.EqualFold(t.ID, name) || strings.EqualFold(t.Title, name) {
				return &c.Topics[i], nil
			}
		}
		if len(c.Topics) == 1 {
			return &c.Topics[0], nil
		}
		return nil, refuse(
			"There is no topic %q. The topics are %s.", sqlbox.Clip(name, 60), c.list(),
		)
	}
	if useCase == "" || name != "" {
		return nil, nil
	}

	for i, t := range c.Topics {
		if containsFold(t.UseCases, useCase) {
			return &c.Topics[i], nil
		}
	}

	return nil, nil
}

func (c *curation) list() string {
	first := c.Topics[:min(len(c.Topics), 30)]
	return strings.Join(mapped(first, func(t topic) string { return t.ID }), ", ")
}

// has reports whether a table belongs to the topic.
func (t *topic) has(name string) bool {
	return t == nil || containsFold(t.Tables, name)
}

func containsFold(list []string, name string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
}

// within returns the tables of a topic.
func (c *catalog) within(t *topic) *catalog {
	if t == nil {
		return c
	}

	part := &catalog{}
	for _, tb := range c.tables {
		if t.has(tb.Name) {
			part.tables = append(part.tables, tb)
		}
	}

	return part
}

// topicOf returns the topic that a message is about. What its data says
// counts before what travels with it.
func (e *Expert) topicOf(r *request, m *a2a.Message) (*topic, error) {
	return e.curation.topic(
		cmp.Or(r.Topic, metadata(m, "topic")), cmp.Or(r.UseCase, metadata(m, "usecase")),
	)
}

func metadata(m *a2a.Message, key string) string {
	s, _ := m.Metadata[key].(string)
	return strings.TrimSpace(s)
}

// discoverTopics lists the topics, and says which one the caller's use case
// stands for.
func (e *Expert) discoverTopics(t *a2aexec.Turn, selected *topic) error {
	data := map[string]any{"topics": e.curation.Topics}
	var b strings.Builder
	for _, tp := range e.curation.Topics {
		fmt.Fprintf(
			&b,
			"- %s: %s. Tables: %s.\n",
			tp.ID,
			strings.TrimSuffix(cmp.Or(tp.Description, tp.Title), "."),
			strings.Join(tp.Tables, ", "),
		)
	}

	closing := count(len(e.curation.Topics), "topic") + "."
	if selected != nil {
		data["selected"] = selected.ID
		closing += " Yours is " + selected.ID + "."
	}
	closing += ` Name one as "topic" to search, describe and ask about its tables only.`
	return finish(t, "topics", strings.TrimSpace(b.String()), data, closing)
}

// listGold lists the tables that are ready to be relied on.
func (e *Expert) listGold(ctx context.Context, t *a2aexec.Turn, within *topic) error {
	type dataset struct {
		ID       string   `json:"id"`
		Name     string   `json:"name"`
		Note     string   `json:"description,omitempty"`
		RowCount *int64   `json:"row_count,omitempty"`
		Topics   []string `json:"topics"`
	}
	counting, cancel := context.WithTimeout(ctx, countTimeout)
	defer cancel()
	var b strings.Builder
	sets := []dataset{}
	for _, name := range e.curation.Gold {
		tb := e.catalog.find(name)
		if !within.has(tb.Name) {
			continue
		}
		d := e.describe(counting, tb)
		set := dataset{
			ID:       d.ID,
			Name:     d.Name,
			Note:     d.Note,
			RowCount: d.RowCount,
			Topics:   []string{},
		}
		for _, tp := range e.curation.Topics {
			if tp.has(tb.Name) {
				set.Topics = append(set.Topics, tp.ID)
			}
		}
		sets = append(sets, set)
		fmt.Fprintf(&b, "- %s: %s\n", d.Name, cmp.Or(d.Note, d.Kind))
	}

	closing := count(len(sets), "trusted table") + "."
	return finish(t, "gold", strings.TrimSpace(b.String()), map[string]any{"tables": sets}, closing)
}
