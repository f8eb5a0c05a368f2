// Package markdown renders the Markdown of agents as HTML that is safe on our pages: paragraphs,
// lists, tables, code and links that lead away. HTML in it is shown as text, pictures become links,
// because a page asks no other host for anything. Callers have removed invisible characters.
package markdown

import (
	"bytes"
	"html/template"
	"strconv"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Longest is the longest text that is rendered, in bytes. The parser takes time with the square of
// some texts, and fills the rows of a table up to its head: without these bounds, 100 KB of asterisks
// took four minutes, and 32 KB of a wide head and short rows all memory.
const Longest = 32_000

const (
	maxMarks = 200 // of emphasis and links in a block; one with more is shown with its marks
	maxDepth = 50  // ">" in a line, and marks of lists that begin it
	maxLines = 2000
	maxCells = Longest / 2 // of all tables with full rows
)

// Render returns text as HTML that can stand below a heading of level 3. It reports false if the
// text is to be shown as it is: it is too long, or made to take long.
func Render(text string) (template.HTML, bool) {
	marks, ok := measure(text)
	if !ok {
		return "", false
	}

	var out bytes.Buffer
	if converter(marks <= maxMarks).Convert([]byte(text), &out) != nil {
		return "", false
	}

	safe := policy().SanitizeBytes(out.Bytes())
	return template.HTML(readable.Replace(string(safe))), true
}

// measure returns the largest number of marks in a block of text, and whether it can be rendered.
func measure(text string) (most int, ok bool) {
	if len(text) > Longest {
		return 0, false
	}

	marks := 0
	lines := 0
	before := 0
	rows := 0
	columns := 0 // before are the cells of the blocks before
	for line := range strings.Lines(text) {
		lead := line[:len(line)-len(strings.TrimLeft(line, " \t0123456789.)-+*>"))]
		if strings.TrimSpace(line) == "" {
			marks = 0
			before += rows * columns
			rows = 0
			columns = 0
		}
		lines, rows, columns = lines+1, rows+1, max(columns, strings.Count(line, "|"))
		if strings.Count(line, ">") > maxDepth || len(strings.Fields(lead)) > maxDepth ||
			lines > maxLines ||
			before+rows*columns > maxCells {
			return 0, false
		}
		for i := range len(line) {
			if strings.IndexByte("*_~[]!`", line[i]) >= 0 {
				marks++
			}
		}
		most = max(most, marks)
	}

	return most, true
}

// readable lets people scroll what is wider than the page without a mouse, and ticks the items of task
// lists (GitHub Flavored Markdown section 5.3). In sanitized HTML these strings are only tags: text
// has its brackets escaped.
var readable = strings.NewReplacer(
	"<li>[ ] ",
	`<li class="todo">☐ `,
	"<li>[x] ",
	`<li class="todo">☑ `,
	"<li>[X] ",
	`<li class="todo">☑ `,
	"<table>",
	`<div class="scroll" tabindex="0"><table>`,
	"</table>",
	"</table></div>",
	"<pre>",
	`<pre tabindex="0">`,
)

func converter(marks bool) goldmark.Markdown {
	if marks {
		return withMarks()
	}
	return withoutMarks()
}

var (
	withMarks = sync.OnceValue(func() goldmark.Markdown {
		return newConverter(
			[]util.PrioritizedValue{
				util.Prioritized(parser.NewLinkParser(), 200),
				util.Prioritized(parser.NewEmphasisParser(), 500),
			},
			extension.Strikethrough,
		)
	})
	withoutMarks = sync.OnceValue(func() goldmark.Markdown { return newConverter(nil) })
)

// newConverter leaves out the parsers of raw HTML, so that markup is text.
func newConverter(marks []util.PrioritizedValue, more ...goldmark.Extender) goldmark.Markdown {
	p := parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			append(
				marks,
				util.Prioritized(parser.NewCodeSpanParser(), 100),
				util.Prioritized(parser.NewAutoLinkParser(), 300),
			)...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithASTTransformers(util.Prioritized(pageAdapter{}, 1000)),
	)
	table := extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))
	return goldmark.New(
		goldmark.WithParser(p),
		goldmark.WithRendererOptions(html.WithHardWraps()),
		goldmark.WithExtensions(append(more, table, extension.Linkify)...),
	)
}

// policy is the second line: what the converter should not have made is taken out.
var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(
		"p",
		"br",
		"hr",
		"h4",
		"h5",
		"h6",
		"em",
		"strong",
		"del",
		"code",
		"pre",
		"blockquote",
		"ul",
		"ol",
		"li",
		"table",
		"thead",
		"tbody",
		"tr",
		"th",
		"td",
	)
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(bluemonday.CellAlign).OnElements("th", "td")
	p.AllowAttrs("href", "title").OnElements("a")
	p.AllowURLSchemes("https", "http", "mailto")
	p.AllowRelativeURLs(false)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true) // adds noopener
	return p
})

// pageAdapter turns pictures into links, says where each link leads, and fits headings under ours.
type pageAdapter struct{}

func (pageAdapter) Transform(doc *ast.Document, in text.Reader, _ parser.Context) {
	level := 3
	var pictures []*ast.Image
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			if entering {
				n.Level = min(n.Level+3, level+1, 6)
				level = n.Level
			}
		case *tables.Table:
			if entering {
				alignNumbers(n, in.Source())
			}
		case *ast.Link:
			n.Title = n.Destination
		case *ast.Image:
			if entering {
				pictures = append(pictures, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, picture := range pictures {
		link := ast.NewLink()
		link.Destination, link.Title = picture.Destination, picture.Destination
		for c := picture.FirstChild(); c != nil; c = picture.FirstChild() {
			link.AppendChild(link, c)
		}
		if link.FirstChild() == nil {
			link.AppendChild(link, ast.NewString(util.EscapeHTML(picture.Destination)))
		}
		picture.Parent().ReplaceChild(picture.Parent(), picture, link)
	}
}

// alignNumbers aligns at the right the columns of a table that hold nothing but numbers, unless the
// text says how.
func alignNumbers(t *tables.Table, source []byte) {
	columns := map[int][]*tables.TableCell{}
	numbers := map[int]bool{}
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		column := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			c := cell.(*tables.TableCell)
			columns[column] = append(columns[column], c)
			if row.Kind() == tables.KindTableRow {
				numbers[column] = (numbers[column] || len(columns[column]) == 2) &&
					isNumber(c, source)
			}
			column++
		}
	}

	for column, cells := range columns {
		for _, c := range cells {
			if numbers[column] && c.Alignment == tables.AlignNone {
				c.Alignment = tables.AlignRight
			}
		}
	}
}

func isNumber(cell *tables.TableCell, source []byte) bool {
	words, ok := cell.FirstChild().(*ast.Text)
	if !ok || words.NextSibling() != nil {
		return false
	}
	_, err := strconv.ParseFloat(
		strings.ReplaceAll(strings.TrimSpace(string(words.Segment.Value(source))), ",", ""), 64,
	)
	return err == nil
}
