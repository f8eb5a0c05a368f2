package operator

import (
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The sizes of pages: the default, and the largest.
const (
	DefaultPage = 50
	LargestPage = 200
)

// MostTotal bounds the totals of lists: to count 10,000 rows that match takes longer than the page.
const MostTotal = 1000

// Page is a part of a list. Next is the cursor of the next part, "" at the end, and Prev that
// of the part before it, "" at the beginning.
type Page[T any] struct {
	Items []T
	Next  string
	Prev  string
	Total int // rows in all parts, up to MostTotal, if Span.Count asked for it
}

// Span chooses a part of a list. The zero value is the first page.
type Span struct {
	Cursor  string // Next of the page before or, with Back, Prev of the page after
	Back    bool
	Reverse bool // the list is sorted the other way round
	Count   bool // the page has its Total
	Size    int  // 0 is DefaultPage; more than LargestPage is LargestPage
}

// Check returns ErrCursor if the cursor is not the Next of a page.
func (p Span) Check() error {
	_, err := p.mark()
	return err
}

func (p Span) size() int {
	if p.Size <= 0 {
		return DefaultPage
	}
	return min(p.Size, LargestPage)
}

// Mark is a place in a list. Lists are sorted by time, the latest first; lists that are searched
// for a text are sorted by the word that was found. The zero value is before the first item.
type Mark struct {
	At   time.Time
	Term string // the word that was found; "" without a search
	ID   string
}

func (p Span) mark() (Mark, error) {
	if p.Cursor == "" {
		return Mark{}, nil
	}

	b, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	at, id, ok := strings.Cut(string(b), " ")
	ms, bad := strconv.ParseInt(at, 10, 64)
	if err != nil || !ok || bad != nil || id == "" || !utf8.ValidString(id) {
		return Mark{}, ErrCursor
	}

	id, term, _ := strings.Cut(id, "\n")
	return Mark{At: time.UnixMilli(ms), ID: id, Term: term}, nil
}

func (m Mark) cursor() string {
	text := strconv.FormatInt(m.At.UnixMilli(), 10) + " " + m.ID
	if m.Term != "" {
		text += "\n" + m.Term
	}
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// Rows says which rows of a list a store returns: at most Limit, after After.
type Rows struct {
	After   Mark
	Limit   int
	Now     time.Time
	Reverse bool // read the list from its end
}

// span lets list read the Span of a filter that embeds one.
func (p Span) span() Span { return p }

// list returns a page of the rows that match a filter. It reads one row more than the page has, to know
// whether there is a next page.
func list[T any, F interface{ span() Span }](
	ctx context.Context, s *Service, f F,
	read func(context.Context, F, Rows) ([]T, error),
	count func(context.Context, F, int) (int, error),
	mark func(*T) Mark,
) (*Page[T], error) {
	span := f.span()
	after, err := span.mark()
	if err != nil {
		return nil, err
	}

	size := span.size()
	rows, err := read(ctx, f, Rows{
		After:   after,
		Limit:   size + 1,
		Now:     s.Now(),
		Reverse: span.Reverse != span.Back,
	})
	more := len(rows) > size
	p := &Page[T]{Items: rows[:min(len(rows), size)]}
	if err == nil && span.Count {
		p.Total, err = count(ctx, f, MostTotal)
	}
	if err != nil || len(rows) == 0 {
		return p, err
	}
	if span.Back {
		slices.Reverse(p.Items)
	}
	if more || span.Back {
		p.Next = mark(&p.Items[len(p.Items)-1]).cursor()
	}
	if span.Cursor != "" && (more || !span.Back) {
		p.Prev = mark(&p.Items[0]).cursor()
	}

	return p, nil
}
