package documents

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
	"rialto/mcp"
)

// renderer collects a result within a budget.
type renderer struct {
	info    *TaskInfo
	content []mcp.Content
	left    int  // characters of JSON
	cut     bool // something is left out for good
	link    DownloadURL
	current *a2a.Artifact   // the last one of the result
	words   strings.Builder // of earlier messages
}

// task shows a page of a task. The last message is on the first page in any case, because it may be
// a question.
func (r *renderer) task(t *a2a.Task, show RenderOptions) {
	all := itemsOf(t, show.History)
	said := view.MessageText(t.Status.Message)
	first := show.From == (Cursor{})
	reserved := 0 // for the last message
	if first {
		reserved = min(view.Cost(said), messageReserve)
	}

	r.left -= reserved
	for i := show.From.item; i < all.len() && r.info.Cursor == ""; i++ {
		if i >= all.message() {
			r.left += reserved
			reserved = 0
		}
		offset := 0
		if i == show.From.item {
			offset = show.From.offset
		}
		to, whole := r.item(&all, i, said, offset)
		stuck := !first && i == show.From.item && to == offset
		switch {
		case whole:
		case stuck: // it fits no page
			r.cut = true
		default:
			r.info.Cursor = Cursor{item: i, offset: to}.String()
		}
	}

	if reserved > 0 {
		r.left += reserved
		r.message(said)
	}
	if r.words.Len() > 0 {
		r.addText("Earlier messages, the oldest first:" + r.words.String())
	}
}

// item shows the ith item from an offset in its text, and returns where that ends and whether it is all.
func (r *renderer) item(all *items, i int, said string, offset int) (to int, whole bool) {
	p := all.piece(i)
	switch {
	case p != nil:
		return r.piece(p, offset)
	case i > all.message():
		return r.turn(all.turn(i), offset)
	}

	offset = min(offset, len(said))
	to = offset + r.message(said[offset:])
	return to, to == len(said)
}

// message shows as much of the last message as fits, and returns how much that is.
func (r *renderer) message(said string) int {
	r.info.Message = r.take(said)
	r.addText(r.info.Message)
	return len(r.info.Message)
}

// heading begins an artifact on each page that shows some of it.
func (r *renderer) heading(a *a2a.Artifact) bool {
	info := ArtifactInfo{
		ID:          sanitize.Label(a.ID),
		Name:        sanitize.Label(a.Name),
		Description: sanitize.Short(a.Description, 1000),
		URI:         artifactURI(r.info.TaskID, a.ID),
		Parts:       []PartInfo{},
	}
	if !r.spend(itemCost + view.Cost(info.ID+info.Name+info.Description) + len(info.URI)) {
		return false
	}

	r.info.Artifacts = append(r.info.Artifacts, info)
	r.current = a
	return true
}

// piece adds a piece to its artifact or, if it belongs to none, to the message. Text may be divided:
// piece shows what fits from an offset and returns where that ends.
func (r *renderer) piece(p *view.Piece, offset int) (to int, whole bool) {
	list := &r.info.MessageParts
	if p.Artifact != nil {
		if p.Artifact != r.current && !r.heading(p.Artifact) {
			return offset, false
		}
		list = &r.info.Artifacts[len(r.info.Artifacts)-1].Parts
	}
	if p.Kind == view.Empty || p.Duplicate() {
		return 0, true
	}

	info := PartInfo{Kind: string(p.Kind), Filename: p.Name, MediaType: p.MediaType}
	if !r.spend(itemCost + view.Cost(info.Filename+info.MediaType)) {
		return offset, false
	}

	switch p.Kind {
	case view.Text:
		text := p.Text()
		rest := text[min(offset, len(text)):]
		info.Text = r.take(rest)
		r.addText(info.Text)
		to = offset + len(info.Text)
		whole = len(info.Text) == len(rest)
	case view.Data:
		whole = r.data(&info, p.Data())
	case view.Link:
		whole = r.address(&info, p)
	case view.File:
		whole = r.file(&info, p)
	}

	if whole || to > offset {
		*list = append(*list, info)
	}

	return to, whole
}

func (r *renderer) data(info *PartInfo, data []byte) bool {
	text := string(data)
	if !r.spend(view.Cost(text)) {
		return false
	}
	info.Data = data
	r.addText(text)
	return true
}

// address shows the address of a file as a link or, if it is none, as text.
func (r *renderer) address(info *PartInfo, p *view.Piece) bool {
	info.Kind = string(view.File)
	link := p.Link()
	text := p.Text()
	switch {
	case len(link)+len(text) > sanitize.MaxLink:
		r.cut = true
	case !r.spend(2 * (len(link) + view.Cost(text))):
		return false
	case link != "":
		info.URL = link
		r.content = append(r.content, mcp.Link(link, info.name(), info.MediaType))
	default:
		info.Text = text
		r.addText(text)
	}

	return true
}

// maxInline limits the bytes of a file in a result; a larger file is linked.
const maxInline = 24_000

// file adds bytes to the result in the content type that fits them, or links to them: a resource
// for the client and a download for the user. They cost the length of their base64.
func (r *renderer) file(info *PartInfo, p *view.Piece) bool {
	info.Size = p.Size
	info.URL = r.link.Of(p.Ref)
	if p.Size > maxInline {
		return r.linked(info, p)
	}
	if !r.spend((p.Size+2)/3*4 + 2*len(info.URL)) {
		return false
	}

	switch b := p.Bytes(); {
	case strings.HasPrefix(info.MediaType, "image/"):
		r.content = append(r.content, mcp.Image(b, info.MediaType))
	case strings.HasPrefix(info.MediaType, "audio/"):
		r.content = append(r.content, mcp.Audio(b, info.MediaType))
	default:
		r.content = append(
			r.content, mcp.Blob("attachment:"+url.PathEscape(info.name()), info.MediaType, b),
		)
	}

	return true
}

// linked links to a file that is too large to be in the result.
func (r *renderer) linked(info *PartInfo, p *view.Piece) bool {
	uri := ""
	if p.Artifact != nil && p.Size <= MaxResource {
		uri = partURI(r.info.TaskID, p.Artifact.ID, p.Ref.Number)
	}

	r.cut = r.cut || uri+info.URL == ""
	if !r.spend(len(uri) + 2*len(info.URL)) {
		return false
	}

	for _, link := range []string{uri, info.URL} {
		if link != "" {
			r.content = append(r.content, mcp.Link(link, info.name(), info.MediaType))
		}
	}

	return true
}

// turn shows an earlier message with the names of its files.
func (r *renderer) turn(m *a2a.Message, offset int) (to int, whole bool) {
	text := strings.TrimPrefix(view.MessageText(m)+r.filesOf(m), "\n")
	offset = min(offset, len(text))
	said := ""
	if r.spend(itemCost) {
		said = r.take(text[offset:])
	}
	if said != "" || text == "" {
		r.info.History = append(r.info.History, Turn{Role: m.Role, Text: said})
		fmt.Fprintf(&r.words, "\n%s: %s", m.Role, said)
	}

	to = offset + len(said)
	return to, to == len(text)
}

// filesOf names the files of an earlier message, with links to them.
func (r *renderer) filesOf(m *a2a.Message) (names string) {
	for _, p := range view.Attachments(nil, m) {
		address := ""
		switch {
		case p.Kind == view.Link:
			address = cmp.Or(p.Link(), p.Text())
		case p.Kind == view.File:
			address = r.link.Of(p.Ref)
		default:
			continue
		}
		names += "\n[" + strings.Join(strings.Fields(p.Name+" "+p.MediaType+" "+address), " ") + "]"
	}
	return names
}

// revisions shows the states of a task and its replaced artifacts, the latest first.
func (r *renderer) revisions(e *ledger.Record) {
	if !e.Revisions.Any() {
		return
	}

	for _, s := range e.Revisions.States {
		if !r.spend(itemCost) {
			r.cut = true
			break
		}
		r.info.Statuses = append(
			r.info.Statuses, StatusInfo{s.State, time.UnixMilli(s.Since).UTC()},
		)
	}

	r.info.Dropped = e.Revisions.Dropped
	for _, v := range view.Replaced(e) {
		if !r.spend(itemCost) {
			r.cut = true
			return
		}
		text := v.Text()
		said := r.take(text)
		r.cut = r.cut || len(said) < len(text)
		r.info.Versions = append(r.info.Versions, VersionInfo{
			ID:    v.ID,
			Name:  v.Name,
			Until: v.Until,
			Text:  said,
			Files: r.replacedFiles(v.Pieces),
		})
	}
}

// replacedFiles shows the files of a replaced artifact.
func (r *renderer) replacedFiles(pieces []view.Piece) (files []VersionFile) {
	for _, p := range pieces {
		file := VersionFile{
			Filename:  p.Name,
			MediaType: p.MediaType,
			Size:      p.Size,
			Gone:      p.Gone,
		}
		switch {
		case p.Kind == view.Link:
			file.URL = p.Link()
		case p.Kind != view.File:
			continue
		case !p.Gone:
			file.URL = r.link.Of(p.Ref)
		}
		if len(file.URL) > sanitize.MaxLink ||
			!r.spend(itemCost+view.Cost(file.Filename+file.MediaType+file.URL)) {
			r.cut = true
			continue
		}
		files = append(files, file)
	}
	return files
}

// spend takes n from the budget, or reports false.
func (r *renderer) spend(n int) bool {
	if n > r.left {
		return false
	}
	r.left -= n
	return true
}

// take returns as much of a clean text as the budget allows.
func (r *renderer) take(s string) string {
	for i, c := range s {
		if !r.spend(view.RuneCost(c)) {
			return s[:i]
		}
	}
	return s
}

func (r *renderer) addText(s string) {
	if s != "" {
		r.content = append(r.content, mcp.Text(s))
	}
}
