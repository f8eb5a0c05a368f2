package documents

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/sealed"
	"rialto/mcp"
)

// DownloadPath is the path of download links.
const DownloadPath = "/downloads/"

// ErrNoDownload says that a link does not work: it is expired or invalid, its owner is
// not admitted, or its file is deleted.
var ErrNoDownload = errors.New("no such download")

// Downloads makes and reads links to the files of tasks. A link holds the file, its
// owner and its expiry, encrypted, so that nothing is stored for it.
type Downloads struct {
	Key []byte        // 32 bytes, the same on all replicas
	TTL time.Duration // how long a link leads to the file

	// Admits reports whether a user may still use Rialto; links of other users do not
	// work. Nil admits all users.
	Admits func(ctx context.Context, user string) (bool, error)
}

// ticket is the content of a link.
type ticket struct {
	Owner  string `json:"o"`
	Handle string `json:"h"`
	place
	Until int64 `json:"u"` // seconds since 1970
}

// linkPurpose keeps download links apart from other values sealed with the key.
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

// linker returns the download link of a part of a task.
type linker func(place) string

// linker returns the function that links to parts of e.
func (sv *Service) linker(e *ledger.Record) linker {
	if sv.Downloads == nil {
		return nil
	}
	until := sv.Now().Add(sv.Downloads.TTL).Unix()
	return func(at place) string {
		return sv.URL + DownloadPath + sv.Downloads.seal(ticket{e.Owner, e.Handle, at, until})
	}
}

// Result renders a record as the result of a tool, with links to its files, and to its
// page if the user can answer there.
func (sv *Service) Result(e *ledger.Record, show RenderOptions) *mcp.Result {
	show.link = sv.linker(e)
	if e.State().Interrupted() {
		show.answers = sv.PageURL(e)
	}
	return result(e, show)
}

// ownerAccess returns the access of a reader with a link: it reads what the owner of the link can.
func (sv *Service) ownerAccess(owner string) directory.Access {
	return sv.Directory.AccessOf(directory.Caller{User: owner})
}

// Download returns the file of a link; a text becomes a file.
func (sv *Service) Download(ctx context.Context, link string) (*a2a.Part, error) {
	if sv.Downloads == nil {
		return nil, ErrNoDownload
	}
	t, ok := sv.Downloads.open(link, sv.Now())
	if !ok {
		return nil, ErrNoDownload
	}
	if admits := sv.Downloads.Admits; admits != nil {
		if ok, err := admits(ctx, t.Owner); err != nil || !ok {
			return nil, cmp.Or(err, ErrNoDownload)
		}
	}
	e, err := sv.Runner.Task(ctx, sv.ownerAccess(t.Owner), t.Handle)
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

// pieceAt returns a piece of the output of a task or, with a higher number, a part of
// the last message of its agent; nil if there is none.
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
