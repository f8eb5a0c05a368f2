package documents

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/internal/sealed"
	"rialto/mcp"
)

// DownloadPath is where files are served to whoever has a link to them.
const DownloadPath = "/downloads/"

// ErrNoDownload says that a link leads nowhere: it has expired, was never
// made here, its owner may not come in any more, or what it led to is
// forgotten.
var ErrNoDownload = errors.New("no such download")

// Downloads makes and reads links to the files of tasks. A link names its
// file, its owner and its end under a key, so that nothing is kept for it:
// nobody can make one, or read in it whose it is.
type Downloads struct {
	Key []byte        // 32 bytes, the same on all replicas
	TTL time.Duration // how long a link leads to the file

	// Admits tells whether somebody may still use the bridge: the links of those
	// who may not lead nowhere. Nil: everybody may.
	Admits func(ctx context.Context, user string) (bool, error)
}

// ticket is what a link says.
type ticket struct {
	Owner  string `json:"o"`
	Handle string `json:"h"`
	place
	Until int64 `json:"u"` // seconds since 1970
}

// linkPurpose keeps what is sealed under the key for this from being taken for
// anything else.
const linkPurpose = "rialto download link"

func (d *Downloads) seal(t ticket) string {
	b, err := json.Marshal(t)
	if err != nil {
		panic(err) // it has strings and numbers
	}
	text, err := sealed.Seal(d.Key, linkPurpose, b)
	if err != nil {
		panic(err) // the key has another length
	}
	return text
}

func (d *Downloads) open(link string, now time.Time) (t ticket, ok bool) {
	b, err := sealed.Open(d.Key, linkPurpose, link)
	if err != nil || json.Unmarshal(b, &t) != nil {
		return t, false
	}
	return t, now.Unix() < t.Until
}

// linker returns where a person can download a part of a task.
type linker func(place) string

// linker returns where what e holds can be downloaded.
func (l *Library) linker(e *ledger.Record) linker {
	if l.Downloads == nil {
		return nil
	}
	until := l.Now().Add(l.Downloads.TTL).Unix()
	return func(at place) string {
		return l.URL + DownloadPath + l.Downloads.seal(ticket{e.Owner, e.Handle, at, until})
	}
}

// Result renders an entry with links to its files, and to its page where that
// answers the agent.
func (l *Library) Result(e *ledger.Record, show Chunk) *mcp.Result {
	show.link = l.linker(e)
	if e.State().Interrupted() {
		show.answers = l.PageURL(e)
	}
	return result(e, show)
}

// Download returns the file that a link leads to, or a text as one.
func (l *Library) Download(ctx context.Context, link string) (*a2a.Part, error) {
	if l.Downloads == nil {
		return nil, ErrNoDownload
	}
	t, ok := l.Downloads.open(link, l.Now())
	if !ok {
		return nil, ErrNoDownload
	}
	if admits := l.Downloads.Admits; admits != nil {
		if ok, err := admits(ctx, t.Owner); err != nil || !ok {
			return nil, cmp.Or(err, ErrNoDownload)
		}
	}
	e, err := l.Runner.Ledger.Task(ctx, t.Owner, t.Handle)
	switch {
	case errors.Is(err, ledger.ErrNoTask):
		return nil, ErrNoDownload
	case err != nil:
		return nil, err
	}
	p := partAt(e, t.place)
	if p == nil {
		return nil, ErrNoDownload
	}
	p = asFile(p)
	if _, ok := p.Content.(a2a.Raw); !ok {
		return nil, ErrNoDownload
	}
	return p, nil
}

// pieceAt returns a piece of what a task has produced, or behind these a part
// of what its agent said last; nil if there is none.
func pieceAt(t *a2a.Task, i int) *a2a.Part {
	if t == nil || i < 0 {
		return nil
	}
	ps := pieces(t)
	if i < len(ps) {
		return &ps[i].Part
	}
	if m, i := t.Status.Message, i-len(ps); m != nil && i < len(m.Parts) {
		return &m.Parts[i]
	}
	return nil
}
