package templates

import (
	"html/template"
	"slices"
	"strings"
)

// Docs describes the API over HTTP: what the OpenAPI document says, by its tags. Make it with
// ReadDocs. What the document says is in English in every language of the page.
type Docs struct {
	Product     string
	URL         string // where the API is, without a slash at the end
	Description string
	Groups      []DocGroup

	Query string // only operations with these words are shown; "" shows all
	Found int    // operations with these words

	rendered map[language]template.HTML // its longest part, which is the same for everybody
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
	found.rendered = nil
	for _, g := range d.Groups {
		all := g.Operations
		g.Operations = nil
		for _, o := range all {
			text := strings.ToLower(
				strings.Join(
					[]string{
						o.Method,
						o.Path,
						strings.Join(o.Also, " "),
						o.Summary,
						o.Description,
						g.Name,
					},
					" ",
				),
			)
			if !slices.ContainsFunc(
				words, func(w string) bool { return !strings.Contains(text, w) },
			) {
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

// Body returns the groups as HTML in a language.
func (d Docs) Body(tag string) (template.HTML, error) {
	if rendered, ok := d.rendered[language(tag)]; ok {
		return rendered, nil
	}
	var b strings.Builder
	err := parsed(language(tag), d.file()).ExecuteTemplate(&b, "groups", d.Groups)
	return template.HTML(b.String()), err
}
