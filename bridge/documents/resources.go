package documents

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
	"rialto/mcp"
)

// The forms of the URIs of resources (RFC 6570).
const (
	tasksURI     = "rialto://tasks/"
	taskForm     = tasksURI + "{task}"
	artifactForm = taskForm + "/artifacts/{artifact}"
	partForm     = artifactForm + "/parts/{part}"
	cardForm     = "rialto://agents/{agent}/card"
)

// MaxResource limits the bytes of one read of a resource. Larger files can be downloaded.
const MaxResource = 4 << 20

// TaskURI returns the URI of a task for MCP clients.
func TaskURI(handle string) string { return tasksURI + escaped(handle) }

func CardURI(agent string) string { return "rialto://agents/" + escaped(agent) + "/card" }

// artifactURI returns the URI of an artifact, or "" for an artifact without a usable id.
func artifactURI(handle, artifact string) string {
	if artifact == "" || len(artifact) > sanitize.MaxName {
		return ""
	}
	return tasksURI + escaped(handle) + "/artifacts/" + escaped(artifact)
}

func partURI(handle, artifact string, i int) string {
	uri := artifactURI(handle, artifact)
	if uri == "" {
		return ""
	}
	return uri + "/parts/" + strconv.Itoa(i)
}

// escaped escapes a variable of a URI template (RFC 6570 section 3.2.2).
func escaped(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// Resources offers what a Service shows as MCP resources.
type Resources struct{ service *Service }

// Resources returns the MCP resources.
func (sv *Service) Resources() Resources { return Resources{sv} }

// Templates returns the resources that clients can read: tasks, their artifacts, and
// agents. Callers read only their own.
func (rs Resources) Templates() []mcp.ResourceTemplate {
	return []mcp.ResourceTemplate{
		{
			URITemplate: taskForm,
			Name:        "task",
			Title:       "A task",
			MIMEType:    view.JSONType,
			Read:        rs.readTask,
			Description: "One of your tasks as get_task shows it: where it stands, what its agent said, " +
				"and what it has produced. It can be subscribed to.",
		},
		{
			URITemplate: artifactForm,
			Name:        "artifact",
			Title:       "What a task has produced",
			Read:        rs.readArtifact,
			Description: "One artifact of one of your tasks, whole, with each of its parts.",
		},
		{
			URITemplate: partForm,
			Name:        "part",
			Title:       "A part of what a task has produced",
			Read:        rs.readArtifact,
			Description: "One part of an artifact, such as a file. " +
				"The first is 0; that of a text that was streamed is all of it.",
		},
		{
			URITemplate: cardForm,
			Name:        "card",
			Title:       "An agent",
			MIMEType:    view.JSONType,
			Read:        rs.readCard,
			Description: "What an agent can do, as get_agent tells it.",
		},
	}
}

func (rs Resources) readTask(ctx context.Context, r *mcp.Read) ([]mcp.Contents, error) {
	e, err := rs.readable(ctx, r)
	if err != nil {
		return nil, err
	}
	return jsonContents(r.URI, rs.service.Result(e, RenderOptions{History: 100}).Structured)
}

// readable returns the task of a request.
func (rs Resources) readable(ctx context.Context, r *mcp.Read) (*ledger.Record, error) {
	e, err := rs.service.Runner.Task(ctx, rs.service.Directory.Access(ctx), r.Variables["task"])
	if errors.Is(err, ledger.ErrNoTask) {
		return nil, mcp.ErrNoResource
	}
	return e, err
}

func jsonContents(uri string, v any) ([]mcp.Contents, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return []mcp.Contents{{URI: uri, MIMEType: view.JSONType, Text: string(text)}}, nil
}

func (rs Resources) readCard(ctx context.Context, r *mcp.Read) ([]mcp.Contents, error) {
	access := rs.service.Directory.Access(ctx)
	p := rs.service.Directory.Agent(access, r.Variables["agent"])
	if p == nil {
		return nil, mcp.ErrNoResource
	}
	return jsonContents(r.URI, rs.service.Directory.Info(ctx, access, p))
}

func (rs Resources) readArtifact(ctx context.Context, r *mcp.Read) ([]mcp.Contents, error) {
	e, err := rs.readable(ctx, r)
	if err != nil {
		return nil, err
	}

	a, n := ledger.ArtifactOf(e.Task, r.Variables["artifact"])
	if a == nil {
		return nil, mcp.ErrNoResource
	}

	from := 0
	to := len(a.Parts)
	if part, one := r.Variables["part"]; one {
		from, to = rangeOf(a.Parts, part)
		if to == 0 {
			return nil, mcp.ErrNoResource
		}
	}
	if ledger.PartsSize(a.Parts[from:to]) > MaxResource {
		return nil, rs.tooLarge(e, r.URI, a, n, from, to)
	}

	contents := []mcp.Contents{}
	for i, p := range view.Parts(a.Parts[from:to]) {
		contents = append(contents, contentsOf(partURI(e.Handle, a.ID, from+i), &p))
	}

	if len(contents) == 1 {
		contents[0].URI = r.URI
	}

	return contents, nil
}

// rangeOf returns the range of parts that a number names, 0 and 0 if there is none. Results name a
// text that came in chunks by the first of them.
func rangeOf(parts []a2a.Part, number string) (from, to int) {
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(parts) || strconv.Itoa(i) != number {
		return 0, 0
	}
	begins := i == 0 || !ledger.IsChunk(parts[i-1])
	if end, one := ledger.Run(parts, i); one && begins {
		return i, end
	}
	return i, i + 1
}

// contentsOf returns a piece as the contents of a resource: text or bytes. Bytes of
// clean text become text, for models.
func contentsOf(uri string, p *view.Piece) mcp.Contents {
	c := mcp.Contents{URI: uri, MIMEType: cmp.Or(p.MediaType, "text/plain"), Text: p.Text()}
	switch p.Kind {
	case view.Data:
		c.MIMEType = view.JSONType
	case view.Link:
		c.MIMEType = "text/plain"
		if link := p.Link(); link != "" {
			c.Text = link
			c.MIMEType = "text/uri-list"
		}
	case view.File:
		c.MIMEType = cmp.Or(p.MediaType, "application/octet-stream")
		s := string(p.Bytes())
		if isText(c.MIMEType) && utf8.ValidString(s) && sanitize.Text(s) == s {
			c.Text = s
		} else {
			c.Data = append([]byte{}, p.Bytes()...)
		}
	}

	return c
}

func isText(mediaType string) bool {
	t, _, _ := strings.Cut(mediaType, ";")
	structured := t == view.JSONType || strings.HasSuffix(t, "+json") ||
		strings.HasSuffix(t, "+xml")
	return structured || strings.HasPrefix(t, "text/")
}

// tooLarge returns the error for a resource that exceeds MaxResource, with the way to
// get it: in parts, or as a download.
func (rs Resources) tooLarge(e *ledger.Record, uri string, a *a2a.Artifact, n, from, to int) error {
	about := struct {
		URI      string `json:"uri"`
		Size     int    `json:"size"`
		Limit    int    `json:"limit"`
		Download string `json:"download,omitempty"`
	}{URI: uri, Size: ledger.PartsSize(a.Parts[from:to]), Limit: MaxResource}
	what := fmt.Sprintf(
		"it has about %d bytes, and a resource is read with at most %d", about.Size, MaxResource,
	)
	switch _, file := a.Parts[from].Content.(a2a.Raw); {
	case to-from > 1:
		first := partURI(e.Handle, a.ID, 0)
		last := partURI(e.Handle, a.ID, to-1)
		what += fmt.Sprintf("; read its parts one by one: %s to %s", first, last)
	case file && rs.service.Downloads != nil:
		about.Download = rs.service.downloads(e).Of(view.PartRef{Artifact: n, Number: from})
		what += "; download it: " + about.Download
	default:
		what += "; get_task shows it in pages"
	}

	data, err := json.Marshal(about)
	if err != nil {
		return err
	}

	return mcp.Refusal(what, data)
}
