package documents

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
	"rialto/internal/usage"
)

// maxView limits the text of an agent's document, in characters.
const maxView = 1 << 20

// DocumentView is a whole document for a reader.
type DocumentView struct {
	ID     string            `json:"id"`
	Title  string            `json:"title"`
	Agent  string            `json:"agent"`
	Fields map[string]string `json:"fields,omitempty"` // more facts
	Pieces []view.Piece      `json:"-"`
	Cut    bool              `json:"cut,omitempty"` // Pieces has not all of it

	AgentTitle string `json:"-"` // its title, or its name; set for pages

	url  string         // where a person opens it
	next string         // what a model should do about it
	task *ledger.Record // that it shows, if it is one
	link DownloadURL
}

// DownloadURL returns where the owner can download a piece, "" if nowhere.
func (s *DocumentView) DownloadURL(p *view.Piece) string {
	if p.Kind == view.Empty || p.Gone {
		return ""
	}
	return s.link.Of(p.Ref)
}

// View returns the document with an id. Its errors are those of Fetch.
func (sv *Service) View(ctx context.Context, access directory.Access, id string) (*DocumentView, error) {
	kind, rest, _ := strings.Cut(id, ":")
	switch kind {
	case "agent":
		return sv.viewCard(ctx, access, rest)
	case "task", "artifact":
		handle, artifact, _ := strings.Cut(rest, ":")
		e, err := sv.Runner.Task(ctx, access, handle)
		if err != nil {
			return nil, err
		}
		s := newDocumentView(e, kind == "artifact", artifact, sv.downloads(e))
		if s == nil {
			return nil, ledger.ErrNoTask
		}
		s.url, s.next = sv.DocumentURL(s.ID), cmp.Or(next(e, RenderOptions{answers: sv.PageURL(e)}), ending(e))
		if asked := e.RequestText(); asked != "" {
			s.Fields["asked"] = sanitize.Short(asked, 500)
		}
		return s, nil
	case "doc":
		if agent, own, ok := strings.Cut(rest, ":"); ok {
			return sv.viewDocument(ctx, access, agent, own)
		}
	}

	return nil, ledger.InputError{Text: fmt.Sprintf("There is no document with the id %q. "+
		"Use an id from a result of search.", sanitize.Short(id, 200))}
}

// ViewPage is View for a page, and records the use of an agent.
func (sv *Service) ViewPage(
	ctx context.Context, access directory.Access, id string,
) (s *DocumentView, err error) {
	if kind, _, _ := strings.Cut(id, ":"); kind != "doc" {
		return sv.View(ctx, access, id)
	}

	c := sv.Calls.Begin(access, usage.Web, "document")
	defer c.End(ctx, &err)
	c.In = len(id)
	if p := sv.Directory.Lookup(AgentNamed(id)); p != nil {
		c.Agent = p.Name
	}

	s, err = sv.View(ctx, access, id)
	if err == nil {
		c.Out = len(s.Pieces[0].Text()) // a document has one
	}

	return s, err
}

func (sv *Service) viewCard(
	ctx context.Context, access directory.Access, name string,
) (*DocumentView, error) {
	agent, err := sv.named(ctx, access, name, "")
	if err != nil {
		return nil, err
	}

	conn, err := agent.Connect(ctx)
	if err != nil {
		return nil, err
	}

	card := access.Card(agent.Agent, conn.Card())
	id := agentID(name)
	return &DocumentView{
		ID:     id,
		Title:  "Agent: " + sanitize.Label(card.Name),
		Agent:  name,
		Fields: map[string]string{"version": sanitize.Label(card.Version)},
		Pieces: []view.Piece{
			view.FromText(sanitize.Truncate(directory.DescribeCard(card), maxView)),
		},
		url: sv.DocumentURL(id),
	}, nil
}

// named resolves an agent that a call must name.
func (sv *Service) named(
	ctx context.Context, access directory.Access, name, skill string,
) (*directory.Resolved, error) {
	if name == "" {
		return nil, ledger.InputError{
			Text: "The id names no agent. Use an id from a result of search.",
		}
	}
	return sv.Directory.Resolve(ctx, access, name, skill)
}

func (sv *Service) viewDocument(
	ctx context.Context, access directory.Access, agent, own string,
) (*DocumentView, error) {
	p, err := sv.named(ctx, access, agent, FetchSkill)
	if err != nil {
		return nil, err
	}
	if err := sv.checkFetches(ctx, access, p.Agent); err != nil {
		return nil, err
	}

	var answer struct {
		Title    string                     `json:"title"`
		Text     string                     `json:"text"`
		URL      string                     `json:"url"`
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	ctx, cancel := context.WithTimeout(ctx, fetchBudget)
	defer cancel()
	err = sv.askSkill(ctx, access, p.Agent, FetchSkill, "id", own, "text", &answer)
	if sv.Directory.NeedsConnection(agent, err) {
		return nil, sv.Directory.NotConnected(agent, "Then fetch the document again.")
	}
	if err != nil {
		return nil, err
	}

	id := documentID(agent, own)
	text := sanitize.Text(answer.Text)
	s := &DocumentView{
		ID:     id,
		Title:  titled(answer.Title, own),
		Agent:  agent,
		Fields: map[string]string{},
		Pieces: []view.Piece{view.FromText(sanitize.Truncate(text, maxView))},
		Cut:    utf8.RuneCountInString(text) > maxView,
		url:    sv.openable(answer.URL, id),
	}
	for _, k := range slices.Sorted(maps.Keys(answer.Metadata))[:min(len(answer.Metadata), 30)] {
		s.Fields[sanitize.Label(k)] = sanitize.Short(plain(answer.Metadata[k]), 500)
	}

	return s, nil
}

// checkFetches refuses agents without a fetch skill: they would take the name of a
// document for a request.
func (sv *Service) checkFetches(
	ctx context.Context, access directory.Access, p *directory.Agent,
) error {
	conn, err := sv.Directory.ConnectFor(ctx, p, access.User())
	if sv.Directory.NeedsConnection(p.Name, err) {
		return nil // the request for the document says what to do
	}
	if err != nil {
		return err
	}
	if _, ok := access.Card(p, conn.Card()).Skill(FetchSkill); !ok {
		return ledger.InputError{Text: "The agent " + p.Name + " hands out no documents: " +
			"it has no skill named " + FetchSkill + ", or not for you. " +
			"The user can open the url of its search results; send_task gives it something to do."}
	}

	return nil
}

// newDocumentView returns what a task has produced and the last message of its agent, or one
// artifact; nil if there is no such artifact.
func newDocumentView(e *ledger.Record, one bool, artifact string, link DownloadURL) *DocumentView {
	s := &DocumentView{
		ID:     TaskID(e.Handle),
		Title:  fmt.Sprintf("Task of %s, %s", e.Agent, e.State()),
		Agent:  e.Agent,
		Fields: map[string]string{"state": string(e.State())},
		Pieces: view.Pieces(e.Task),
		task:   e,
		link:   link,
	}
	if !one {
		return s
	}

	a, _ := ledger.ArtifactOf(e.Task, artifact)
	if a == nil {
		return nil
	}

	s.ID = artifactID(e.Handle, a.ID)
	s.Title = cmp.Or(sanitize.Label(a.Name), "Artifact "+sanitize.Label(a.ID))
	s.Fields["task"] = e.Handle
	s.Pieces = slices.DeleteFunc(s.Pieces, func(p view.Piece) bool { return p.Artifact != a })
	return s
}
