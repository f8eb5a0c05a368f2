package documents

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/internal/usage"
)

// How much a page shows. What there is beyond can be read as a resource.
const (
	maxView   = 1 << 20 // characters of text
	maxBlocks = 1000

	closingBlocks = 50 // reserved for the last message of the agent
)

// DocumentView is a whole document for a reader.
type DocumentView struct {
	ID     string            `json:"id"`
	Title  string            `json:"title"`
	Agent  string            `json:"agent"`
	Fields map[string]string `json:"fields,omitempty"` // more facts
	Blocks []Block           `json:"blocks"`
	Cut    bool              `json:"cut,omitempty"` // the page has not all of it

	url   string         // where a person opens it
	parts []string       // ids under which parts can be fetched alone
	next  string         // what a model should do about it
	task  *ledger.Record // that it shows, if it is one
}

// Block is a piece of a document: a text, a link or a file.
type Block struct {
	Number    int    `json:"number"` // number of the piece, for its download
	Heading   string `json:"heading,omitempty"`
	Name      string `json:"name,omitempty"` // of a file
	MediaType string `json:"media_type,omitempty"`
	Text      string `json:"text,omitempty"`
	Link      string `json:"link,omitempty"`
	Size      int    `json:"size,omitempty"` // size of the file in bytes
	File      bool   `json:"file,omitempty"`

	Restated bool   `json:"-"` // it only repeats data of its artifact
	Begins   bool   `json:"-"` // it is the first of an artifact
	About    string `json:"-"` // description of the artifact that it begins
	Closing  bool   `json:"-"` // it is of the last message of the agent
	Download string `json:"-"` // where its text can be had as a file, for its owner
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
		s := newDocumentView(e, kind == "artifact", artifact, sv.linker(e))
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
	return nil, ledger.InputError{Text: fmt.Sprintf("There is no document with the id %q. Use an id from a result of search.", sanitize.Short(id, 200))}
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
		c.Out = len(s.Blocks[0].Text) // a document has one
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
	card, id := access.Card(agent.Agent, conn.Card()), agentID(name)
	return &DocumentView{
		ID: id, Title: "Agent: " + sanitize.Label(card.Name), Agent: name, url: sv.DocumentURL(id),
		Fields: map[string]string{"version": sanitize.Label(card.Version)}, Blocks: []Block{{Text: sanitize.Truncate(directory.DescribeCard(card), maxView)}},
	}, nil
}

// named resolves an agent that a call must name.
func (sv *Service) named(
	ctx context.Context, access directory.Access, name, skill string,
) (*directory.Resolved, error) {
	if name == "" {
		return nil, ledger.InputError{Text: "The id names no agent. Use an id from a result of search."}
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
	if err := sv.checkFetches(ctx, access, p.Entry); err != nil {
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
	err = sv.askSkill(ctx, access, p.Entry, FetchSkill, "id", own, "text", &answer)
	if sv.Directory.MustConnect(agent, err) {
		return nil, sv.Directory.NotConnected(agent, "Then fetch the document again.")
	}
	if err != nil {
		return nil, err
	}
	id, text := documentID(agent, own), sanitize.Text(answer.Text)
	s := &DocumentView{ID: id, Title: titled(answer.Title, own), Agent: agent, url: sv.openable(answer.URL, id), Fields: map[string]string{}}
	s.Blocks = []Block{{Text: sanitize.Truncate(text, maxView)}}
	s.Cut = len(s.Blocks[0].Text) < len(text)
	for _, k := range slices.Sorted(maps.Keys(answer.Metadata))[:min(len(answer.Metadata), 30)] {
		s.Fields[sanitize.Label(k)] = sanitize.Short(plain(answer.Metadata[k]), 500)
	}
	return s, nil
}

// checkFetches refuses agents without a fetch skill: they would take the name of a
// document for a request.
func (sv *Service) checkFetches(
	ctx context.Context, access directory.Access, p *directory.Entry,
) error {
	conn, err := sv.Directory.ConnectFor(ctx, p, access.User())
	if sv.Directory.MustConnect(p.Name, err) {
		return nil // the request for the document says what to do
	}
	if err != nil {
		return err
	}
	if _, ok := access.Card(p.Agent, conn.Card()).Skill(FetchSkill); !ok {
		return ledger.InputError{Text: "The agent " + p.Name + " hands out no documents: it has no skill named " + FetchSkill + ", or not for you. The user can open the url of its search results; send_task gives it something to do."}
	}
	return nil
}

// newDocumentView returns what a task has produced and the last message of its agent, or one
// artifact; nil if there is no such artifact. link makes links to files; nil makes none.
func newDocumentView(e *ledger.Record, one bool, artifact string, link linker) *DocumentView {
	s := &DocumentView{
		ID: TaskID(e.Handle), Title: fmt.Sprintf("Task of %s, %s", e.Agent, e.State()), Agent: e.Agent, task: e,
		Fields: map[string]string{"state": string(e.State())},
	}
	t := e.Task
	if t == nil {
		t = &a2a.Task{}
	}
	all := pieces(t)
	var a *a2a.Artifact
	if one {
		if a, _ = ledger.ArtifactOf(t, artifact); a == nil {
			return nil
		}
		s.ID, s.Title = artifactID(e.Handle, a.ID), cmp.Or(sanitize.Label(a.Name), "Artifact "+sanitize.Label(a.ID))
		s.Fields["task"] = e.Handle
	}
	w := &viewWriter{DocumentView: s, left: maxView - forMessage, blocks: maxBlocks - closingBlocks, link: link}
	for i, p := range all {
		if a == nil || p.artifact == a {
			w.piece(i, p)
		}
	}
	if !one {
		w.left, w.blocks = max(w.left, 0)+forMessage, w.blocks+closingBlocks
		w.closing(e, len(all))
	}
	return s
}

// viewWriter fills a view within its limits.
type viewWriter struct {
	*DocumentView
	left    int // characters
	blocks  int
	cutLast bool // of the text that was taken last
	link    linker
	current *a2a.Artifact
}

func (w *viewWriter) piece(i int, p piece) {
	heading, begins := "", p.artifact != w.current
	if begins {
		w.current, heading = p.artifact, sanitize.Label(p.artifact.Name)
		if id := p.artifact.ID; artifactURI(w.task.Handle, id) != "" && sanitize.Text(id) == id && len(w.parts) < 20 {
			w.parts = append(w.parts, artifactID(w.task.Handle, p.artifact.ID))
		}
	}
	n := len(w.Blocks)
	w.part(i, heading, p.place, p.Part)
	if len(w.Blocks) > n {
		w.Blocks[n].Restated = p.restated()
		if begins {
			w.Blocks[n].Begins, w.Blocks[n].About = true, sanitize.Short(p.artifact.Description, 500)
		}
	}
}

func (w *viewWriter) part(i int, heading string, at place, p a2a.Part) {
	if len(w.Blocks) >= w.blocks {
		w.Cut = true
		return
	}
	block := Block{Number: i, Heading: heading, Name: sanitize.Label(p.Filename), MediaType: sanitize.Label(p.MediaType)}
	if w.link != nil && p.Content != nil {
		block.Download = w.link(at)
	}
	switch c := p.Content.(type) {
	case a2a.Text:
		if block.Text = w.take(string(c)); w.cutLast {
			block.Link = block.Download
		}
	case a2a.Data:
		var indented bytes.Buffer
		if json.Indent(&indented, c, "", "  ") != nil {
			indented.Write(c)
		}
		if block.Text, block.MediaType = w.take(indented.String()), jsonType; w.cutLast {
			block.Link = block.Download
		}
	case a2a.URL:
		if block.Link = sanitize.Link(string(c)); len(block.Link) > sanitize.MaxLink {
			block.Link, w.Cut = "", true
		} else if block.Link == "" {
			block.Text = w.take(string(c))
		}
	case a2a.Raw:
		block.File, block.Size, block.Link = true, len(c), block.Download
	}
	w.Blocks = append(w.Blocks, block)
}

// closing adds the last message of the agent, or the failure.
func (w *viewWriter) closing(e *ledger.Record, n int) {
	if e.Task != nil && e.Task.Status.Message != nil {
		m := e.Task.Status.Message
		from := len(w.Blocks)
		for i, p := range m.Parts {
			w.part(n+i, "", placeIn(m, i), p)
		}
		for i := range w.Blocks[from:] {
			w.Blocks[from+i].Closing = true
		}
	}
	if e.Failure != nil {
		w.Blocks = append(w.Blocks, Block{Number: -1, Text: w.take(e.Failure.Message), Closing: true})
	}
}

func (w *viewWriter) take(text string) string {
	text = sanitize.Text(text)
	short := sanitize.Truncate(text, max(w.left, 1))
	w.cutLast = short != text
	w.Cut = w.Cut || w.cutLast
	w.left -= len(short)
	return short
}

func (s *DocumentView) text() string {
	var all strings.Builder
	for _, b := range s.Blocks {
		if b.Restated {
			continue
		}
		for _, line := range []string{b.Heading, b.Text} {
			if line != "" {
				fmt.Fprintln(&all, line)
			}
		}
		switch {
		case b.File:
			fmt.Fprintf(&all, "[file %s, %s, %d bytes: %s]\n", cmp.Or(b.Name, "without a name"), cmp.Or(b.MediaType, "of no known type"), b.Size, cmp.Or(b.Link, "not for download"))
		case b.Link != "":
			fmt.Fprintln(&all, b.Link)
		}
	}
	all.WriteString(s.next)
	text := strings.TrimSpace(all.String())
	if text == "" && s.task != nil {
		text = "The task is completed. There is no output."
	}
	short, whole := fitted(text, maxDocument-3*(Length(s.Fields)+Length(s.Title)))
	if whole && !s.Cut {
		return text
	}
	short += "…\n[There is more than fits here. A person can open it at " + s.url
	if s.task != nil {
		short += ", and get_task with task_id " + s.task.Handle + " shows all of it in pages"
	}
	if len(s.parts) > 0 && (len(s.parts) > 1 || s.parts[0] != s.ID) {
		short += ". What the task has produced can be fetched alone: " + strings.Join(s.parts, ", ")
	}
	return short + "]"
}

// maxDocument limits the text of a document in characters of the result, which holds it
// twice: as structured content and as JSON in a text.
const maxDocument = 85_000

// fitted returns the beginning of s that costs at most most, and whether that is all.
func fitted(s string, most int) (string, bool) {
	for i, c := range s {
		n := costOf(c)
		switch {
		case n == 1:
			most -= 2
		case c == '"' || c == '\\':
			most -= n + 4
		default:
			most -= n + n + 1
		}
		if most < 0 {
			return s[:i], false
		}
	}
	return s, true
}
