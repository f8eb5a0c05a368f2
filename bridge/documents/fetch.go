package documents

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
)

// Document is the result of fetch, in the shape of ChatGPT connectors.
type Document struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Text     string            `json:"text"`
	URL      string            `json:"url"`
	Metadata map[string]string `json:"metadata,omitempty"`
	Task     string            `json:"-"` // the handle of the task that it shows or is a part of
}

// Document ids are "agent:NAME", "task:TASK_ID", "artifact:TASK_ID:ID", and
// "doc:NAME:ID" for a document of the agent NAME under its own ID.
func agentID(name string) string { return "agent:" + name }

// TaskID returns the id of a task among documents.
func TaskID(handle string) string               { return "task:" + handle }
func artifactID(handle, artifact string) string { return "artifact:" + handle + ":" + artifact }
func documentID(agent, id string) string        { return "doc:" + agent + ":" + id }

// Fetch returns the document with an id, truncated to fit a result. Its errors are
// ErrNoTask, an *a2a.Error of the agent, or an InputError.
func (sv *Service) Fetch(
	ctx context.Context, access directory.Access, id string,
) (*Document, error) {
	s, err := sv.View(ctx, access, id)
	if err != nil {
		return nil, err
	}

	doc := &Document{
		ID:       s.ID,
		Title:    s.Title,
		Text:     s.text(),
		URL:      s.url,
		Metadata: s.Fields,
	}
	doc.Metadata["agent"] = s.Agent
	if s.task != nil {
		doc.Task = s.task.Handle
	}
	return doc, nil
}

// plain returns a JSON string as text and any other value as JSON, because metadata of
// a document are texts.
func plain(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// AgentNamed returns the agent in the id of a document, or "".
func AgentNamed(id string) string {
	kind, rest, _ := strings.Cut(id, ":")
	if kind != "agent" && kind != "doc" {
		return ""
	}
	name, _, _ := strings.Cut(rest, ":")
	return name
}

// fetchedParts is how many artifacts of a task are named that can be fetched alone.
const fetchedParts = 20

// text returns the document as a model reads it, cut to a result.
func (s *DocumentView) text() string {
	var all strings.Builder
	cut := s.Cut
	var artifact *a2a.Artifact
	for i := range s.Pieces {
		if all.Len() > utf8.UTFMax*maxDocument { // no more fits
			break
		}
		p := &s.Pieces[i]
		begins := p.Artifact != nil && p.Artifact != artifact
		artifact = p.Artifact
		if p.Duplicate() {
			continue
		}
		if begins && p.Artifact.Name != "" {
			fmt.Fprintln(&all, sanitize.Label(p.Artifact.Name))
		}
		cut = s.write(&all, p) || cut
	}

	if s.task != nil && s.task.Failure != nil {
		fmt.Fprintln(&all, sanitize.Text(s.task.Failure.Message))
	}

	all.WriteString(s.next)
	text := strings.TrimSpace(all.String())
	if text == "" && s.task != nil {
		text = "The task is completed. There is no output."
	}

	short, whole := truncateCost(text, maxDocument-3*(Length(s.Fields)+Length(s.Title)))
	if whole && !cut {
		return text
	}

	return short + "…\n[There is more than fits here. " + s.elsewhere() + "]"
}

// write writes a piece, and reports whether some of it is left out.
func (s *DocumentView) write(out *strings.Builder, p *view.Piece) (cut bool) {
	text := p.Text()
	switch p.Kind {
	case view.Data:
		text = view.Indented(text)
	case view.Link:
		text = cmp.Or(p.Link(), text)
		cut = len(p.Link()) > sanitize.MaxLink
	case view.File:
		name := cmp.Or(p.Name, "without a name")
		mediaType := cmp.Or(p.MediaType, "of no known type")
		link := cmp.Or(s.DownloadURL(p), "not for download")
		text = fmt.Sprintf("[file %s, %s, %d bytes: %s]", name, mediaType, p.Size, link)
	}

	if text != "" && !cut {
		fmt.Fprintln(out, text)
	}

	return cut
}

// elsewhere says where a document can be read that is too long for a result.
func (s *DocumentView) elsewhere() string {
	where := "A person can open it at " + s.url
	if s.task == nil {
		return where
	}

	where += ", and get_task with task_id " + s.task.Handle + " shows all of it in pages"
	var parts []string
	for _, p := range s.Pieces {
		if p.Artifact == nil || len(parts) == fetchedParts {
			break
		}
		id := artifactID(s.task.Handle, p.Artifact.ID)
		fetchable := artifactURI(s.task.Handle, p.Artifact.ID) != "" && sanitize.Text(id) == id
		if fetchable && !slices.Contains(parts, id) {
			parts = append(parts, id)
		}
	}

	alone := len(parts) == 1 && parts[0] == s.ID
	if len(parts) > 0 && !alone {
		where += ". What the task has produced can be fetched alone: " + strings.Join(parts, ", ")
	}

	return where
}

// maxDocument limits the text of a document in characters of the result, which holds it
// twice: as structured content and as JSON in a text.
const maxDocument = 85_000

// truncateCost returns the beginning of s that costs at most most, and whether that is all.
func truncateCost(s string, most int) (string, bool) {
	for i, c := range s {
		n := view.RuneCost(c)
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
