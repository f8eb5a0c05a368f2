// Package operator is the operator's view of a server: its clients, what people
// have granted them, the accounts, everybody's tasks, what it was used for, who did
// what to it, the signing keys and the settings in force. The console, the REST API and the command line are all
// made of it, so that each can do what the others can.
//
// It decides nothing about who is an operator: whoever calls a method may. Lists
// come in pages of a bounded size, each sorted by an index of the store, so that
// a page costs the same however long the list is.
package operator

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/audit"
	"rialto/internal/doctor"
	"rialto/internal/usage"
	"rialto/oauth"
	"rialto/oauth/authserver"
)

// Service answers an operator. Store, OAuth, Now and Log are required; it may
// be used concurrently.
type Service struct {
	Store Store
	OAuth *authserver.Server
	Now   func() time.Time
	Log   *slog.Logger

	// Bridge reaches the agents, to cancel tasks; nil cancels none.
	Bridge *bridge.Bridge

	// Agents is the list of agents that changes while the server runs; nil where
	// it is not looked at.
	Agents *directory.Registry

	// Audit is told of what is changed here; nil tells nobody.
	Audit audit.Recorder

	// Doctor looks at an address, within a bound of requests; nil where nobody asks
	// it to.
	Doctor func(ctx context.Context, address string) *doctor.Report

	// InForce returns the settings in force, without secrets; nil has none to
	// show.
	InForce func() []Setting

	examining atomic.Int64
}

// Setting is one setting in force. A secret's value only says where it is.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Settings returns the settings in force, in the order of the documentation.
func (s *Service) Settings() []Setting {
	if s.InForce == nil {
		return []Setting{}
	}
	return s.InForce()
}

// ErrNotFound says that there is no such client, grant, account or task.
var ErrNotFound = errors.New("operator: not found")

// Invalid is the refusal of a request that asks for what cannot be, in words
// for the operator.
type Invalid struct{ Words string }

// Error returns the words.
func (e Invalid) Error() string { return e.Words }

// The sizes of pages: one that is not said, and the largest.
const (
	DefaultPage = 50
	LargestPage = 200
)

// Page is a part of a list. Next is the cursor of the next part, "" at the end.
type Page[T any] struct {
	Items []T
	Next  string
}

// Span chooses a part of a list. The zero value is its first page.
type Span struct {
	Cursor string // Next of the page before
	Size   int    // 0 is DefaultPage; more than LargestPage is LargestPage
}

func (p Span) size() int {
	if p.Size <= 0 {
		return DefaultPage
	}
	return min(p.Size, LargestPage)
}

// Mark is a place in a list: what is there when the list is sorted by time, the
// latest first, or, where a text is looked for, by what was found. The zero value
// is before the first.
type Mark struct {
	At   time.Time
	Term string // by which a text found it; "" where none is looked for
	ID   string
}

// ErrCursor says that a cursor is not one that a list has given.
var ErrCursor error = Invalid{"The page does not exist: begin at the first."}

// Check returns ErrCursor if the cursor is not one that a list has given.
func (p Span) Check() error {
	_, err := p.mark()
	return err
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

// paged makes a page of what a store returned that was asked for one row more
// than the page has.
func paged[T any](rows []T, size int, mark func(*T) Mark) *Page[T] {
	p := &Page[T]{Items: rows}
	if len(rows) > size {
		p.Items = rows[:size]
		p.Next = mark(&p.Items[size-1]).cursor()
	}
	return p
}

// found puts the words of the other packages for "there is none" into ours.
func found(err error) error {
	if errors.Is(err, oauth.ErrNotFound) || errors.Is(err, ledger.ErrNoTask) {
		return ErrNotFound
	}
	return err
}

// Store keeps what an operator looks at. Its methods may be called concurrently.
// A list returns at most Limit rows that come after After.
type Store interface {
	usage.Store
	audit.Store

	// ListClients returns the clients that registered, or brought a document,
	// the latest first, or, with a text, in the order of what it found.
	ListClients(ctx context.Context, f ClientRows) ([]ClientRow, error)
	// ClientRow returns one of them, or oauth.ErrNotFound.
	ClientRow(ctx context.Context, id string, now time.Time) (*ClientRow, error)
	// UseOf tells when a grant of a client was used last, zero for never, and how
	// many live ones there are, up to MostCounted.
	UseOf(ctx context.Context, client string, now time.Time) (used time.Time, live int, err error)

	// ListGrants returns what people have granted, the latest first.
	ListGrants(ctx context.Context, f GrantRows) ([]Grant, error)

	// ListAccounts returns accounts in the order of their names, or, with a text,
	// in that of what it found.
	ListAccounts(ctx context.Context, f AccountRows) ([]Account, error)

	// ListTasks returns everybody's tasks, the latest created first.
	ListTasks(ctx context.Context, f TaskRows) ([]Task, error)
	// AnyTask returns a task whosever it is, or ledger.ErrNoTask.
	AnyTask(ctx context.Context, handle string) (*ledger.Record, error)
}

// MostCounted bounds what is counted to be shown beside a row.
const MostCounted = 100
