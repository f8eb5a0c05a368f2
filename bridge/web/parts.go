package web

import (
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"rialto/bridge/documents"
	"rialto/internal/markdown"
	"rialto/templates"
)

// maxMarkdown bounds the Markdown that a page renders, in bytes. The rest is shown as it is.
const maxMarkdown = 4 * markdown.Longest

// images are the types that cannot run scripts.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// maker makes the parts of one page. where returns the address of the file of a block, or of a text
// as a file; nil leaves them without one.
type maker struct {
	where func(documents.Block) string
	left  int // bytes of Markdown
	ids   int
}

func newMaker(where func(documents.Block) string) *maker {
	return &maker{where: where, left: maxMarkdown}
}

// ownFile returns the path of a download on this server, which a page may show images from.
func ownFile(b documents.Block) string {
	u, err := url.Parse(b.Download)
	if err != nil {
		return ""
	}
	return u.EscapedPath()
}

// parts returns pieces of a question or of a result. The data of a result with text is folded:
// agents send it for programs.
func (m *maker) parts(blocks []documents.Block, result bool) (all []templates.TaskPart) {
	fold := result && slices.ContainsFunc(blocks, func(b documents.Block) bool { return b.Text != "" && b.MediaType != "application/json" })
	for _, b := range blocks {
		p := m.part(b)
		p.Fold = fold && p.Data != nil
		all = append(all, p)
	}
	return all
}

func (m *maker) part(b documents.Block) templates.TaskPart {
	p := templates.TaskPart{Name: b.Name, Kind: b.MediaType, Href: m.where(b)}
	switch {
	case b.File:
		p.File, p.Size = true, size(b.Size)
		p.Image = p.Href != "" && slices.Contains(images, b.MediaType)
	case b.Text == "" && b.Link != "":
		p.Leaves, p.Href = b.Link, ""
	case b.MediaType == "application/json":
		p.ID = m.id()
		p.Data = dataTable(b.Text)
	default:
		p.ID, p.Text = m.id(), b.Text
		if plain := b.MediaType != "" && b.MediaType != "text/plain" && b.MediaType != "text/markdown"; plain || len(b.Text) > m.left {
			return p
		}
		if html, ok := markdown.Render(b.Text); ok {
			p.HTML, p.Text = html, ""
			m.left -= len(b.Text)
		}
	}
	return p
}

func (m *maker) id() string {
	m.ids++
	return "part-" + strconv.Itoa(m.ids)
}

// results groups the blocks of artifacts.
func (m *maker) results(blocks []documents.Block) (all []templates.TaskResult) {
	for len(blocks) > 0 {
		n := 1
		for n < len(blocks) && !blocks[n].Begins && !blocks[n].Closing {
			n++
		}
		if parts := m.parts(blocks[:n], true); len(parts) > 0 {
			if rest, ok := strings.CutPrefix(string(parts[0].HTML), "<h4>"+template.HTMLEscapeString(blocks[0].Heading)+"</h4>\n"); ok && rest != "" {
				parts[0].HTML = template.HTML(rest) // the name is above it
			}
			all = append(all, templates.TaskResult{Name: blocks[0].Heading, Description: blocks[0].About, Parts: parts})
		}
		blocks = blocks[n:]
	}
	return all
}

func size(bytes int) string {
	switch {
	case bytes >= 1<<20:
		return strconv.FormatFloat(float64(bytes)/(1<<20), 'f', 1, 64) + " MiB"
	case bytes >= 1<<10:
		return strconv.Itoa(bytes>>10) + " KiB"
	}
	return strconv.Itoa(bytes) + " B"
}
