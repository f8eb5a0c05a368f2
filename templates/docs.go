package templates

import (
	"html/template"
	"slices"
	"strings"
)

// Docs describes the API over HTTP: what the OpenAPI document says, by its tags. Make it with
// ReadDocs. Summaries are translated; the details of operations are in English in every language.
type Docs struct {
	Product     string
	URL         string // where the API is, without a slash at the end
	Description string
	Groups      []DocGroup

	Query string // only operations with these words are shown; "" shows all
	Found int    // operations with these words
}

// DocGroup is the operations of one tag.
type DocGroup struct {
	Name, Words string
	Operations  []Operation
}

// Operation is what one method of one address does.
type Operation struct {
	ID          string // its place on the page
	Method      string
	Path        string
	Also        []string // other addresses that do the same
	Summary     string
	Description string

	Scopes   []string // that a token must have; any of them, if there are several rows
	Public   bool     // it takes no token
	Optional bool     // it takes one, or none

	Parameters []Member
	Body       []Body
	Answers    []Answer
	Example    string // a request, as a line for a shell

	words    string                     // what a search looks at
	rendered map[language]template.HTML // once: to render all of them takes 12 ms
}

// HTML returns the operation as HTML in a language.
func (o Operation) HTML(tag string) template.HTML { return o.rendered[language(tag)] }

// prepare makes what every page shows of the operation, and what searches look at.
func (o *Operation) prepare(group string) error {
	also := strings.Join(o.Also, " ")
	translated, _ := Spanish(o.Summary)
	words := []string{o.Method, o.Path, also, o.Summary, translated, o.Description, group}
	o.words = strings.ToLower(strings.Join(words, " "))
	o.rendered = map[language]template.HTML{}
	for _, l := range languages {
		var b strings.Builder
		err := parsed(l, Docs{}.file()).ExecuteTemplate(&b, "operation", o)
		if err != nil {
			return err
		}
		o.rendered[l] = template.HTML(b.String())
	}
	return nil
}

// Body is what a request or an answer carries, in one form.
type Body struct {
	Type    string // its media type
	Words   string // description of the whole, if it has no members
	Members []Member
	Example string
}

// Answer is what may come back.
type Answer struct {
	Status string // 200, or 4XX
	Words  string
	Bodies []Body
}

// Member is a parameter, or a member of a JSON value under its path: tasks[].id.
type Member struct {
	Name     string
	In       string // place of a parameter: path, query, header
	Type     string
	Words    string
	Required bool
}

func (Docs) file() string { return "docs" }

// Matching returns a page with only the operations that have all words of a query. It reads no
// more of the query than people type.
func (d *Docs) Matching(query string) Docs {
	found := *d
	words := strings.Fields(strings.ToLower(query[:min(len(query), 200)]))
	if len(words) == 0 {
		return found
	}

	found.Query = strings.Join(words, " ")
	found.Groups = nil
	for _, g := range d.Groups {
		all := g.Operations
		g.Operations = nil
		for _, o := range all {
			if o.matches(words) {
				g.Operations = append(g.Operations, o)
			}
		}
		if len(g.Operations) > 0 {
			found.Groups = append(found.Groups, g)
			found.Found += len(g.Operations)
		}
	}

	return found
}

// matches reports whether an operation has all words.
func (o *Operation) matches(words []string) bool {
	missing := func(w string) bool { return !strings.Contains(o.words, w) }
	return !slices.ContainsFunc(words, missing)
}
