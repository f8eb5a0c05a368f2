package web

import (
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"rialto/bridge/documents"
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
	"rialto/internal/bytesize"
	"rialto/internal/markdown"
	"rialto/templates"
)

// How much a page shows. What there is beyond can be read as a resource.
const (
	maxText     = 1 << 20 // characters of results
	maxTimeline = 200_000 // characters
	maxParts    = 1000    // results and timeline have so many each
	maxMarkdown = 4 * markdown.Longest
)

// images are the types that cannot run scripts.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Links knows the address of the file of a piece, or of a text as a file; "" leaves it without one.
type Links interface{ FileURL(*view.Piece) string }

// partBuilder makes the parts of one page.
type partBuilder struct {
	links    Links
	text     int  // characters that are left
	count    int  // parts that are left
	cut      bool // there was more
	markdown int  // bytes of Markdown that are left; what is beyond is shown as it is
	ids      int
}

func newPartBuilder(links Links) *partBuilder {
	return &partBuilder{
		links:    links,
		text:     maxText,
		count:    maxParts,
		markdown: maxMarkdown,
	}
}

// ownLinks are the paths of downloads on this server, which a page may show images from.
type ownLinks struct{ *documents.DocumentView }

// FileURL implements Links.
func (l ownLinks) FileURL(p *view.Piece) string {
	u, err := url.Parse(l.DownloadURL(p))
	if err != nil {
		return ""
	}
	return u.EscapedPath()
}

// parts returns pieces of a question or of a result. The data of a result with text is folded:
// agents send it for programs.
func (m *partBuilder) parts(pieces []view.Piece, result bool) (all []templates.TaskPart) {
	fold := result && slices.ContainsFunc(pieces, isText)
	for i := range pieces {
		if p := m.part(&pieces[i]); p != nil {
			p.Fold = fold && p.Data != nil
			all = append(all, *p)
		}
	}
	return all
}

func isText(p view.Piece) bool { return p.Text() != "" && !isData(&p) }

func isData(p *view.Piece) bool { return p.Kind == view.Data || p.MediaType == view.JSONType }

// part returns a piece as far as the page has room for it; nil if it has none.
func (m *partBuilder) part(p *view.Piece) *templates.TaskPart {
	link := p.Link()
	if m.count == 0 || len(link) > sanitize.MaxLink {
		m.cut = true
		return nil
	}

	m.count--
	out := &templates.TaskPart{Name: p.Name, Kind: p.MediaType}
	if p.Kind != view.Link { // there is nothing here to download
		out.Href = m.links.FileURL(p)
	}

	switch {
	case p.Kind == view.File:
		out.File, out.Size = true, bytesize.Format(int64(p.Size))
		out.Image = out.Href != "" && slices.Contains(images, p.MediaType)
	case link != "":
		out.Leaves = link
	case p.Kind == view.Data:
		out.ID = m.id()
		out.Kind = view.JSONType
		out.Data = dataTable(m.truncate(view.Indented(p.Text())))
	case isData(p):
		out.ID, out.Data = m.id(), dataTable(m.truncate(p.Text()))
	default:
		out.ID, out.Text = m.id(), m.truncate(p.Text())
		m.render(out)
	}

	return out
}

// render renders a text as Markdown, if it is some.
func (m *partBuilder) render(p *templates.TaskPart) {
	if !slices.Contains([]string{"", "text/plain", "text/markdown"}, p.Kind) ||
		len(p.Text) > m.markdown {
		return
	}
	if html, ok := markdown.Render(p.Text); ok {
		m.markdown -= len(p.Text)
		p.HTML = html
		p.Text = ""
	}
}

// truncate returns as much of a text as the page has room for.
func (m *partBuilder) truncate(text string) string {
	short := sanitize.Truncate(text, max(m.text, 1))
	m.cut = m.cut || short != text
	m.text -= len(short)
	return short
}

func (m *partBuilder) id() string {
	m.ids++
	return "part-" + strconv.Itoa(m.ids)
}

// results groups pieces by their artifacts.
func (m *partBuilder) results(pieces []view.Piece) (all []templates.TaskResult) {
	for len(pieces) > 0 {
		a := pieces[0].Artifact
		n := slices.IndexFunc(pieces, func(p view.Piece) bool { return p.Artifact != a })
		if n < 0 {
			n = len(pieces)
		}
		parts := m.parts(pieces[:n], true)
		pieces = pieces[n:]
		if len(parts) == 0 {
			continue
		}
		out := templates.TaskResult{Parts: parts}
		if a != nil {
			out.Name, out.Description = sanitize.Label(a.Name), sanitize.Short(a.Description, 500)
		}
		title := "<h4>" + template.HTMLEscapeString(out.Name) + "</h4>\n"
		rest, ok := strings.CutPrefix(string(parts[0].HTML), title)
		if ok && rest != "" {
			parts[0].HTML = template.HTML(rest) // the name is above it
		}
		all = append(all, out)
	}
	return all
}
