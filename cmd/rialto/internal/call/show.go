package call

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"mime"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rialto/bridge/sanitize"
	"rialto/cmd/rialto/internal/term"
)

// Printer prints tools and results.
type Printer struct {
	Out    io.Writer
	Output string // the directory for files; "" saves none
}

// Tools prints the tools of a server.
func (p *Printer) Tools(tools []*mcp.Tool) error {
	t := &term.Table{Head: []string{"TOOL", "ARGUMENTS", "WHAT IT DOES"}}
	for _, tool := range tools {
		s := schemaOf(tool.InputSchema)
		var args []string
		for _, name := range names(s) {
			if slices.Contains(s.Required, name) {
				args = append(args, name+"=…")
			}
		}
		if len(args) < len(s.Properties) {
			args = append(args, "[…]")
		}
		t.Add(
			tool.Name, strings.Join(args, " "), sanitize.Short(firstSentence(tool.Description), 90),
		)
	}

	return t.Write(p.Out)
}

func firstSentence(s string) string {
	s, _, _ = strings.Cut(strings.Join(strings.Fields(sanitize.Text(s)), " "), ". ")
	return strings.TrimSuffix(s, ".")
}

// Tool prints the arguments of a tool.
func (p *Printer) Tool(tool *mcp.Tool, command string) {
	style := term.StyleOf(p.Out)
	fmt.Fprintf(
		p.Out,
		"%s\n\n%s\n",
		style.Bold(sanitize.Label(cmp.Or(tool.Title, tool.Name))),
		sanitize.Text(tool.Description),
	)
	s := schemaOf(tool.InputSchema)
	example := command + " " + sanitize.Label(tool.Name)
	if len(s.Properties) > 0 {
		fmt.Fprintln(p.Out, "\n"+style.Bold("Arguments"))
	}

	for _, name := range names(s) {
		a := s.Properties[name]
		about := []string{cmp.Or(strings.Join(kindsOf(a), " or "), "any type")}
		if slices.Contains(s.Required, name) {
			about, example = append(about, "required"), example+" "+sanitize.Label(name)+"=…"
		}
		if a.Enum != nil {
			about = append(about, "one of "+cell(a.Enum, 200))
		}
		if a.Default != nil {
			about = append(about, "default "+string(a.Default))
		}
		fmt.Fprintf(
			p.Out,
			"  %s  %s\n      %s\n",
			style.Code(sanitize.Label(name)),
			style.Dim(sanitize.Short(strings.Join(about, ", "), 250)),
			sanitize.Short(a.Description, 300),
		)
	}

	fmt.Fprintf(p.Out, "\n%s\n  %s\n", style.Bold("Example"), example)
}

// JSON prints a result as the server sent it, without control characters.
func (p *Printer) JSON(v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = p.Out.Write(append(sanitize.JSON(b), '\n'))
	return err
}

// Result prints a result for people, and saves its files.
func (p *Printer) Result(ctx context.Context, s *Session, r *mcp.CallToolResult) error {
	style := term.StyleOf(p.Out)
	printed := false
	if list, ok := listIn(r.StructuredContent); ok {
		return p.list(list)
	}
	if doc, ok := documentIn(r.StructuredContent); ok {
		return p.document(style, doc)
	}

	var data []string
	table := false
	for _, c := range r.Content {
		text, ok := c.(*mcp.TextContent)
		switch {
		case !ok:
			if err := p.file(ctx, s, r, c); err != nil {
				return err
			}
			printed = true
		case json.Valid([]byte(text.Text)) && strings.ContainsAny(text.Text, "{["):
			data = append(data, text.Text)
		case strings.HasPrefix(text.Text, "[task_id "): // for models; the task is named below
		default:
			if printed {
				fmt.Fprintln(p.Out)
			}
			fmt.Fprint(p.Out, style.Markdown(sanitize.Text(text.Text)))
			printed, table = true, table || strings.HasPrefix(text.Text, "|")
		}
	}

	if id := TaskOf(r); id == "" && !printed && r.StructuredContent != nil {
		return p.data(r.StructuredContent)
	}
	if table { // it says the same for people
		data = nil
	}

	for _, text := range data {
		var v any
		_ = json.Unmarshal([]byte(text), &v) // valid
		if err := p.data(v); err != nil {
			return err
		}
	}

	p.task(style, r)
	return nil
}

// listIn returns the list of a result that is nothing but a list.
func listIn(structured any) ([]any, bool) {
	d, _ := structured.(map[string]any)
	for name, v := range d {
		if list, ok := v.([]any); ok &&
			(len(d) == 1 || len(d) == 2 && d["next_cursor"] != nil && name != "next_cursor") {
			return list, true
		}
	}
	list, ok := structured.([]any)
	return list, ok
}

// documentIn returns the result of a tool such as fetch: a document with its text.
func documentIn(structured any) (doc map[string]any, ok bool) {
	doc, _ = structured.(map[string]any)
	_, isText := doc["text"].(string)
	return doc, isText && doc["id"] != nil && doc["title"] != nil
}

// document prints the whole text of a document; at a terminal, under its title.
func (p *Printer) document(style term.Style, doc map[string]any) error {
	text := sanitize.Text(doc["text"].(string))
	if !term.Is(p.Out) {
		_, err := fmt.Fprintln(p.Out, text)
		return err
	}

	_, err := fmt.Fprintf(
		p.Out,
		"%s\n\n%s\n%s\n",
		style.Bold(cell(doc["title"], 200)),
		style.Markdown(text),
		style.Dim(cell(doc["url"], 1000)),
	)
	return err
}

func (p *Printer) list(list []any) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(p.Out, "The list is empty.")
		return err
	}
	return tableOf(term.StyleOf(p.Out), list).Write(p.Out)
}

// data prints what a result says to programs.
func (p *Printer) data(v any) error {
	if list, ok := listIn(v); ok {
		return p.list(list)
	}

	d, ok := v.(map[string]any)
	if !ok {
		d = map[string]any{"result": v}
	}

	rows, isTable := d["rows"].([]any)
	if columns, ok := d["columns"].([]any); ok && isTable {
		t := &term.Table{}
		for _, c := range columns {
			t.Head = append(t.Head, cell(c, 60))
		}
		for _, row := range rows {
			list, _ := row.([]any)
			var cells []string
			for _, v := range list {
				cells = append(cells, cell(v, 60))
			}
			t.Add(cells...)
		}
		return t.Write(p.Out)
	}

	var lines [][2]string
	for _, name := range keys([]any{d}) {
		lines = append(lines, [2]string{name, cell(d[name], 500)})
	}

	return term.Details(p.Out, lines)
}

// mostColumns is how many members of objects become columns.
const mostColumns = 6

// tableOf makes a table of objects, or of other values.
func tableOf(style term.Style, list []any) *term.Table {
	flat := slices.DeleteFunc(keys(list), func(name string) bool { // lists have no place in a row
		return slices.ContainsFunc(list, func(item any) bool {
			d, _ := item.(map[string]any)
			_, nested := d[name].([]any)
			return nested
		})
	})
	t := &term.Table{
		Head:  flat[:min(len(flat), mostColumns)],
		IDs:   "task_id",
		Spare: []string{"updated", "message"},
	}
	if len(t.Head) == 0 {
		t.Head = []string{"value"}
	}
	for _, item := range list {
		row := []string{}
		d, ok := item.(map[string]any)
		for _, name := range t.Head {
			text := cell(d[name], 60)
			if at, err := time.Parse(time.RFC3339, text); err == nil && style.Terminal() {
				text = style.Time(at)
			}
			row = append(row, text)
		}
		if !ok {
			row[0] = cell(item, 120)
		}
		t.Add(row...)
	}

	return t
}

// first are the members that come first, in this order.
var first = strings.Fields(
	"name title task_id id agent state updated asked message description url",
)

// keys returns the members of objects.
func keys(list []any) (all []string) {
	for _, item := range list {
		d, _ := item.(map[string]any)
		for name := range d {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}

	rank := func(name string) int {
		if i := slices.Index(first, name); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortFunc(
		all,
		func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) },
	)
	return all
}

func cell(v any, most int) string {
	text, ok := v.(string)
	if !ok && v != nil {
		b, _ := json.Marshal(v) // came as JSON
		text = string(b)
	}
	if strings.HasPrefix(text, "http") {
		most = max(most, 2000) // a part of an address is worth nothing
	}
	return sanitize.Short(strings.Join(strings.Fields(sanitize.Text(text)), " "), most)
}

// task prints the task that a result is about, and what comes next.
func (p *Printer) task(style term.Style, r *mcp.CallToolResult) {
	d, _ := r.StructuredContent.(map[string]any)
	id, state := taskOf(r)
	if id == "" || state == "" {
		return
	}

	fmt.Fprintf(
		p.Out,
		"\n%s  %s\n",
		style.Dim("task "+sanitize.Label(id)+"  "+cell(d["agent"], 60)),
		style.State(sanitize.Label(state)),
	)
	if next := cell(d["next_cursor"], 200); next != "" {
		fmt.Fprintf(p.Out, "There is more: get_task with this task_id and cursor=%s\n", next)
	}
}

// file prints a line about content that is no text, and saves it.
func (p *Printer) file(
	ctx context.Context, s *Session, r *mcp.CallToolResult, c mcp.Content,
) error {
	name := ""
	kind := ""
	address := ""
	var content []byte
	switch c := c.(type) {
	case *mcp.ImageContent:
		name = cmp.Or(nameOf(r.StructuredContent, c.MIMEType, len(c.Data)), "image")
		kind = c.MIMEType
		content = c.Data
	case *mcp.AudioContent:
		name = cmp.Or(nameOf(r.StructuredContent, c.MIMEType, len(c.Data)), "audio")
		kind = c.MIMEType
		content = c.Data
	case *mcp.EmbeddedResource:
		if c.Resource == nil {
			return nil
		}
		address, kind, content = c.Resource.URI, c.Resource.MIMEType, bytesOf(c.Resource)
	case *mcp.ResourceLink:
		name = c.Name
		address = c.URI
		kind = c.MIMEType
		if p.Output != "" && !strings.HasPrefix(address, "http") {
			r, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: address})
			if err == nil && len(r.Contents) > 0 {
				content = bytesOf(r.Contents[0])
			}
		}
	}

	name = fileName(name, address, kind)
	about := strings.TrimRight(
		fmt.Sprintf("file %s  %s  %s", name, sanitize.Label(kind), sanitize.Label(address)), " ",
	)
	switch {
	case content == nil:
	case p.Output == "":
		about += fmt.Sprintf("  %d bytes (save it with --output DIR)", len(content))
	default:
		to, err := save(p.Output, name, content)
		if err != nil {
			return err
		}
		about = fmt.Sprintf("saved %s  %d bytes", to, len(content))
	}

	_, err := fmt.Fprintln(p.Out, about)
	return err
}

// nameOf returns the name that a result gives to a file of a type and size: images and audio have
// none of their own. It is "" if the result names no such file.
func nameOf(about any, kind string, size int) (name string) {
	var members iter.Seq[any]
	switch v := about.(type) {
	case map[string]any:
		name, _ = v["filename"].(string)
		if v["media_type"] == kind && v["size"] == float64(size) {
			return name
		}
		members = maps.Values(v)
	case []any:
		members = slices.Values(v)
	default:
		return ""
	}

	for member := range members {
		name = nameOf(member, kind, size)
		if name != "" {
			return name
		}
	}

	return ""
}

func bytesOf(r *mcp.ResourceContents) []byte {
	if r.Blob != nil {
		return r.Blob
	}
	return []byte(r.Text)
}

// fileName returns a name for a file that has no path in it and is not hidden.
func fileName(name, address, kind string) string {
	if u, err := url.Parse(address); err == nil && name == "" {
		opaque, _ := url.PathUnescape(u.Opaque) // attachment:NAME
		name = path.Base(cmp.Or(u.Path, opaque))
	}

	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, sanitize.Label(name))
	name = cmp.Or(strings.TrimLeft(name, "._"), "file")
	if endings, _ := mime.ExtensionsByType(kind); path.Ext(name) == "" && len(endings) > 0 {
		name += endings[0]
	}

	return name
}

// save writes a file that is not there yet.
func save(dir, name string, content []byte) (to string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}

	to = filepath.Join(dir, name)
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return "", err
	}

	_, err = f.Write(content)
	return to, errors.Join(err, f.Close())
}
