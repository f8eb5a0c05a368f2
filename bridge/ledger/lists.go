package ledger

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/sanitize"
)

// Filter selects tasks of one owner, the latest first. Empty fields select all.
type Filter struct {
	Agent string
	State a2a.State
	Since time.Time // created then or later
	After Mark      // only what comes after this task in the list
	Limit int       // at most so many; required
}

// Mark is a place in a list of tasks.
type Mark struct {
	Created time.Time
	Handle  string
}

// Summary is what list_tasks tells of one task.
type Summary struct {
	TaskID    string    `json:"task_id"`
	Agent     string    `json:"agent"`
	ContextID string    `json:"context_id"`
	State     a2a.State `json:"state"`
	Asked     string    `json:"asked,omitempty"`   // the beginning of the first message
	Message   string    `json:"message,omitempty"` // the beginning of the last message of the agent
	Created   time.Time `json:"created"`
	Updated   time.Time `json:"updated"`

	Failure *Failure `json:"-"` // Message is its beginning; nil if an agent said it
}

// titleLength bounds Title, in characters.
const titleLength = 80

// Title names a task by the first words of its request, as Excerpt has kept it. It is "" for a
// request without text.
func Title(asked string) string {
	cut := sanitize.Short(asked, titleLength)
	if i := strings.LastIndexByte(cut, ' '); len(cut) < len(asked) && i > len(cut)/2 {
		return strings.TrimRight(cut[:i], " ,;:") + "…"
	}
	return cut
}

// Mark returns the cursor of the tasks after this one.
func (s *Summary) Mark() string { return Mark{s.Created, s.TaskID}.String() }

// Summary returns what list_tasks tells of e.
func (e *Record) Summary() Summary {
	s := Summary{
		TaskID:    e.Handle,
		Agent:     e.Agent,
		ContextID: sanitize.Short(e.ContextID(), 200),
		State:     e.State(),
		Asked:     e.Asked,
		Created:   e.Created.UTC(),
		Updated:   e.Updated.UTC(),
	}
	switch {
	case e.Failure != nil:
		s.Message = sanitize.Truncate(e.Failure.Message, 200)
	case e.Task != nil:
		s.Message = sanitize.Short(e.Task.Status.Message.Text(), 200)
	}

	return s
}

// String returns m as an opaque cursor.
func (m Mark) String() string {
	return base64.RawURLEncoding.EncodeToString(
		[]byte(strconv.FormatInt(m.Created.UnixMilli(), 10) + " " + m.Handle),
	)
}

// ParseMark decodes a cursor; "" is the beginning of a list. Its error is ErrCursor.
func ParseMark(cursor string) (Mark, error) {
	if cursor == "" {
		return Mark{}, nil
	}

	b, err := base64.RawURLEncoding.DecodeString(cursor)
	created, handle, ok := strings.Cut(string(b), " ")
	ms, number := strconv.ParseInt(created, 10, 64)
	if err != nil || !ok || number != nil {
		return Mark{}, ErrCursor
	}

	return Mark{time.UnixMilli(ms), handle}, nil
}

// PageQuery selects tasks of one owner, the latest changed first. Empty fields select all.
type PageQuery struct {
	Agent     string
	ContextID string // the agent's or the caller's word for it
	State     a2a.State
	Since     time.Time // changed then or later
	After     Mark      // only what comes after this task in the list; Created is when it changed
	Limit     int       // at most so many; required
	MaxBytes  int       // all tasks together, unless the first is larger; required
}

// Page is some of the tasks that fit a filter.
type Page struct {
	Records []*Record
	More    bool // there are others after these
	Total   int  // how many fit, on any page
}
