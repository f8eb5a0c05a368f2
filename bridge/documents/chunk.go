package documents

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/mcp"
)

// Cursor is where a page of a result begins: at a piece, and at an offset in its text. The zero
// value is the first page, which reserves room for the last message of the agent.
type Cursor struct {
	piece, offset int
	later         bool
}

// String encodes a cursor for a client.
func (c Cursor) String() string { return fmt.Sprintf("%d.%d", c.piece, c.offset) }

// ParseCursor decodes a cursor; "" is the first page.
func ParseCursor(s string) (Cursor, error) {
	if s == "" {
		return Cursor{}, nil
	}
	piece, offset, ok := strings.Cut(s, ".")
	p, err1 := strconv.Atoi(piece)
	o, err2 := strconv.Atoi(offset)
	if !ok || err1 != nil || err2 != nil || p < 0 || o < 0 {
		return Cursor{}, ledger.InputError{Text: fmt.Sprintf("The argument \"cursor\" is not one: %q. Take it from next_cursor of the result before, or leave it out to begin.", sanitize.Short(s, 40))}
	}
	return Cursor{p, o, true}, nil
}

// Leads reports whether a task has something at c. The cursor of another task may point
// behind its end.
func (c Cursor) Leads(e *ledger.Record, history int) bool {
	if c == (Cursor{later: true}) || !c.later {
		return true
	}
	if e.Task == nil {
		return false
	}
	ps, with := pieces(e.Task), withoutText(e.Task.Status.Message)
	turns := e.Task.WithHistory(&history).History
	switch i := c.piece - len(ps); {
	case i < 0:
		return c.within(ps[c.piece].Content)
	case i == 0:
		return c.within(a2a.Text(e.Task.Status.Message.Text()))
	case i <= len(with):
		return c.within(with[i-1].Content)
	default:
		return i <= len(with)+len(turns)
	}
}

// within reports whether a page may begin at the offset of c in the content: only text
// can be divided.
func (c Cursor) within(content a2a.Content) bool {
	text, _ := content.(a2a.Text)
	return c.offset == 0 || c.offset < len(sanitize.Text(string(text)))
}

// ErrCursorAstray is the error for a cursor of another task.
var ErrCursorAstray = ledger.InputError{Text: "The argument \"cursor\" leads to no part of this task. Take it from next_cursor of the result before, of the same task and with the same history_length, or leave it out to begin."}

// artifacts shows pieces from a position until the budget is used up, sets the cursor
// of the next page, and reports whether it reached the end.
func (r *renderer) artifacts(ps []piece, from Cursor) (end bool) {
	var current *a2a.Artifact
	for i := from.piece; i < len(ps); i++ {
		p := ps[i]
		if p.artifact != current {
			if !r.heading(p.artifact) {
				r.info.Cursor = Cursor{piece: i, offset: from.offset}.String()
				return false
			}
			current = p.artifact
		}
		if p.restated() {
			from.offset = 0
			continue
		}
		to, all := r.piece(p, from.offset)
		if !all && i == from.piece && to == from.offset && from != (Cursor{}) { // it fits no page
			r.cut, all = true, true
		}
		if !all {
			r.info.Cursor = Cursor{piece: i, offset: to}.String()
			return false
		}
		from.offset = 0
	}
	return true
}

// heading begins an artifact on each page that shows some of it.
func (r *renderer) heading(a *a2a.Artifact) bool {
	info := ArtifactInfo{
		ID: sanitize.Label(a.ID), Name: sanitize.Label(a.Name), Description: sanitize.Short(a.Description, 1000),
		URI: artifactURI(r.info.TaskID, a.ID), Parts: []PartInfo{},
	}
	if !r.spend(perItem + cost(info.ID+info.Name+info.Description) + len(info.URI)) {
		return false
	}
	r.info.Artifacts = append(r.info.Artifacts, info)
	return true
}

// piece adds a part to the last artifact or, if it belongs to none, to the message. Text may be
// divided: piece shows what fits from an offset and returns where that ends.
func (r *renderer) piece(p piece, offset int) (to int, all bool) {
	if p.Content == nil {
		return 0, true
	}
	r.uri = ""
	if file, ok := p.Content.(a2a.Raw); ok && p.artifact != nil && len(file) > maxInline && len(file) <= MaxResource {
		r.uri = partURI(r.info.TaskID, p.artifact.ID, p.Number)
	}
	info, to, all := r.part(p, offset)
	if all || to > offset {
		list := &r.info.MessageParts
		if p.artifact != nil {
			list = &r.info.Artifacts[len(r.info.Artifacts)-1].Parts
		}
		*list = append(*list, info)
	}
	return to, all
}

func (r *renderer) part(p piece, offset int) (info PartInfo, to int, all bool) {
	info = PartInfo{Filename: sanitize.Label(p.Filename), MediaType: sanitize.Label(p.MediaType)}
	if !r.spend(perItem + cost(info.Filename+info.MediaType)) {
		return info, offset, false
	}
	switch c := p.Content.(type) {
	case a2a.Text:
		text := sanitize.Text(string(c))
		rest := text[min(offset, len(text)):]
		info.Kind, info.Text = "text", r.take(rest)
		r.say(info.Text)
		return info, offset + len(info.Text), len(info.Text) == len(rest)
	case a2a.Data:
		info.Kind = "data"
		data := sanitize.JSON(c)
		if !r.spend(cost(string(data))) {
			return info, 0, false
		}
		info.Data = data
		r.say(string(data))
	case a2a.URL:
		info.Kind = "file"
		link := sanitize.Link(string(c))
		switch {
		case link == "": // what is no link is words
			info.Text, all = r.words(string(c))
			return info, 0, all
		case len(link) > sanitize.MaxLink:
			r.cut = true
		case !r.spend(2 * len(link)):
			return info, 0, false
		default:
			info.URL = link
			r.content = append(r.content, mcp.Link(link, info.name(), info.MediaType))
		}
	case a2a.Raw:
		info.Kind, info.Size = "file", len(c)
		return info, 0, r.file(p.place, &info, c)
	}
	return info, 0, true
}

// words shows an address that is not a link as text.
func (r *renderer) words(address string) (text string, all bool) {
	text = sanitize.Text(address)
	if len(text) > sanitize.MaxLink {
		r.cut = true
		return "", true
	}
	if !r.spend(2 * cost(text)) {
		return "", false
	}
	r.say(text)
	return text, true
}

// maxInline limits the bytes of a file in a result; a larger file is linked.
const maxInline = 24_000

// file adds bytes to the result in the content type that fits them, or links to them: a resource
// for the client and a download for the user. They cost the length of their base64.
func (r *renderer) file(at place, info *PartInfo, b []byte) bool {
	if r.link != nil {
		info.URL = r.link(at)
	}
	if len(b) > maxInline {
		r.cut = r.cut || r.uri+info.URL == ""
		if !r.spend(len(r.uri) + 2*len(info.URL)) {
			return false
		}
		for _, link := range []string{r.uri, info.URL} {
			if link != "" {
				r.content = append(r.content, mcp.Link(link, info.name(), info.MediaType))
			}
		}
		return true
	}
	if !r.spend((len(b)+2)/3*4 + 2*len(info.URL)) {
		return false
	}
	switch {
	case strings.HasPrefix(info.MediaType, "image/"):
		r.content = append(r.content, mcp.Image(b, info.MediaType))
	case strings.HasPrefix(info.MediaType, "audio/"):
		r.content = append(r.content, mcp.Audio(b, info.MediaType))
	default:
		r.content = append(r.content, mcp.Blob("attachment:"+url.PathEscape(info.name()), info.MediaType, b))
	}
	return true
}

// closing shows the last message of the agent: on the first page as much of its text as
// fits, on the last page the rest and its other parts. n pieces precede it; end reports
// that this page has the last of them.
func (r *renderer) closing(m *a2a.Message, with []piece, from Cursor, n int, end bool) {
	if from.piece <= n {
		text, start := sanitize.Text(m.Text()), 0
		if from.piece == n {
			start = min(from.offset, len(text))
		}
		r.info.Message = r.take(text[start:])
		r.say(r.info.Message)
		if !end {
			return
		}
		if start+len(r.info.Message) < len(text) {
			r.info.Cursor = Cursor{piece: n, offset: start + len(r.info.Message)}.String()
			return
		}
	}
	r.attachments(with, from, n+1)
}

// attachments shows the parts of the last message that are not text, from the nth piece on.
func (r *renderer) attachments(ps []piece, from Cursor, n int) {
	for i := max(from.piece-n, 0); i < len(ps); i++ {
		offset := 0
		if n+i == from.piece {
			offset = from.offset
		}
		to, all := r.piece(ps[i], offset)
		switch {
		case !all && n+i == from.piece && to == offset: // it fits no page
			r.cut = true
		case !all:
			r.info.Cursor = Cursor{piece: n + i, offset: to}.String()
			return
		}
	}
}

// history shows earlier messages, after n pieces.
func (r *renderer) history(turns []a2a.Message, from Cursor, n int) {
	var all strings.Builder
	for i := max(from.piece-n, 0); i < len(turns) && r.info.Cursor == ""; i++ {
		m, start := &turns[i], 0
		text := sanitize.Text(strings.TrimPrefix(m.Text()+r.filesOf(m), "\n"))
		if n+i == from.piece {
			start = min(from.offset, len(text))
		}
		said := ""
		if r.spend(perItem) {
			said = r.take(text[start:])
		}
		if start+len(said) < len(text) {
			r.info.Cursor = Cursor{piece: n + i, offset: start + len(said)}.String()
		}
		if said != "" || text == "" {
			r.info.History = append(r.info.History, Turn{Role: m.Role, Text: said})
			fmt.Fprintf(&all, "\n%s: %s", m.Role, said)
		}
	}
	if all.Len() > 0 {
		r.say("Earlier messages, the oldest first:" + all.String())
	}
}

// filesOf names the files of an earlier message, with links to them.
func (r *renderer) filesOf(m *a2a.Message) (names string) {
	for _, p := range withoutText(m) {
		var link string
		switch c := p.Content.(type) {
		case a2a.URL:
			link = string(c)
		case a2a.Raw:
			if r.link != nil {
				link = r.link(p.place)
			}
		default:
			continue
		}
		names += "\n[" + strings.Join(strings.Fields(strings.Join([]string{p.Filename, p.MediaType, link}, " ")), " ") + "]"
	}
	return names
}
