package documents

import (
	"fmt"
	"strconv"
	"strings"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
)

// Cursor is where a page of a result begins: at an item, and at an offset in its text. The zero
// value is the first page, which reserves room for the last message of the agent.
type Cursor struct {
	item, offset int
	later        bool
}

// String encodes a cursor for a client.
func (c Cursor) String() string { return fmt.Sprintf("%d.%d", c.item, c.offset) }

// ParseCursor decodes a cursor; "" is the first page.
func ParseCursor(s string) (Cursor, error) {
	if s == "" {
		return Cursor{}, nil
	}

	item, offset, ok := strings.Cut(s, ".")
	i, err1 := strconv.Atoi(item)
	o, err2 := strconv.Atoi(offset)
	if !ok || err1 != nil || err2 != nil || i < 0 || o < 0 {
		return Cursor{}, ledger.InputError{
			Text: fmt.Sprintf("The argument \"cursor\" is not one: %q. "+
				"Take it from next_cursor of the result before, or leave it out to begin.", sanitize.Short(s, 40)),
		}
	}

	return Cursor{i, o, true}, nil
}

// ErrForeignCursor is the error for a cursor of another task.
var ErrForeignCursor = ledger.InputError{
	Text: "The argument \"cursor\" leads to no part of this task. " +
		"Take it from next_cursor of the result before, of the same task and with the same history_length, " +
		"or leave it out to begin.",
}

// Exists reports whether a task has something at c. The cursor of another task may point
// behind its end.
func (c Cursor) Exists(e *ledger.Record, history int) bool {
	if c == (Cursor{later: true}) || !c.later {
		return true
	}
	if e.Task == nil {
		return false
	}

	all := itemsOf(e.Task, history)
	if c.item >= all.len() || c.offset == 0 {
		return c.item < all.len()
	}

	switch p := all.piece(c.item); { // only text can be divided
	case p != nil:
		return p.Kind == view.Text && c.offset < len(p.Text())
	case c.item == all.message():
		return c.offset < len(view.MessageText(e.Task.Status.Message))
	}

	return true
}

// items are what the pages of a result show of a task, in their order: the pieces of its artifacts,
// the text and the other parts of its last message, and earlier messages.
type items struct {
	output, attached []view.Piece
	turns            []a2a.Message
}

func itemsOf(t *a2a.Task, history int) items {
	return items{
		output:   view.Output(t),
		attached: view.Attachments(t, t.Status.Message),
		turns:    t.WithHistory(&history).History,
	}
}

// message returns the number of the text of the last message.
func (all *items) message() int { return len(all.output) }

func (all *items) len() int { return len(all.output) + 1 + len(all.attached) + len(all.turns) }

// piece returns the ith item if it is a piece; nil if it is a message.
func (all *items) piece(i int) *view.Piece {
	n := all.message()
	switch {
	case i < n:
		return &all.output[i]
	case i > n && i-n-1 < len(all.attached):
		return &all.attached[i-n-1]
	}
	return nil
}

// turn returns the ith item, an earlier message.
func (all *items) turn(i int) *a2a.Message {
	return &all.turns[i-len(all.output)-1-len(all.attached)]
}
