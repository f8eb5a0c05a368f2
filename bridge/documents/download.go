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
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
	"rialto/internal/sealed"
	"rialto/mcp"
)

// DownloadPath is the path of download links.
const DownloadPath = "/downloads/"

// ErrNoDownload says that a link does not work: it is expired or invalid, its owner is
// not active, or its file is deleted.
var ErrNoDownload = errors.New("no such download")

// Downloads makes and reads links to the files of tasks. A link holds the file, its
// owner and its expiry, encrypted, so that nothing is stored for it.
type Downloads struct {
	Key []byte        // 32 bytes, the same on all replicas
	TTL time.Duration // how long a link leads to the file
}

// ticket is the content of a link.
type ticket struct {
	Owner  string `json:"o"`
	Handle string `json:"h"`
	view.PartRef
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

// DownloadURL makes download links to the parts of a task. The zero value makes none.
type DownloadURL struct {
	service *Service
	task    *ledger.Record
}

func (sv *Service) downloads(e *ledger.Record) DownloadURL {
	if sv.Downloads == nil {
		return DownloadURL{}
	}
	return DownloadURL{sv, e}
}

// Of returns the link to a part. It is "" without downloads, and for a part that has no place.
func (d DownloadURL) Of(part view.PartRef) string {
	sv := d.service
	if sv == nil || part.Number == view.NoPart {
		return ""
	}
	until := sv.Runner.Now().Add(sv.Downloads.TTL).Unix()
	return sv.URL + DownloadPath +
		sv.Downloads.seal(ticket{d.task.Owner, d.task.Handle, part, until})
}

// Result renders a record as the result of a tool, with links to its files, and to its
// page if the user can answer there.
func (sv *Service) Result(e *ledger.Record, show RenderOptions) *mcp.Result {
	show.link = sv.downloads(e)
	if e.State().Interrupted() {
		show.answers = sv.PageURL(e)
	}
	return result(e, show)
}

// ownerAccess returns the access of a reader with a link: it reads what the owner of the link can.
func (sv *Service) ownerAccess(owner string) directory.Access {
	return sv.Directory.AccessOf(directory.Caller{User: owner})
}

// Download returns the file of a link; a text becomes a file. One without a name is called after the
// request of its task.
func (sv *Service) Download(ctx context.Context, link string) (*a2a.Part, error) {
	if sv.Downloads == nil {
		return nil, ErrNoDownload
	}

	t, ok := sv.Downloads.open(link, sv.Runner.Now())
	if !ok {
		return nil, ErrNoDownload
	}

	e, err := sv.taskOfOwner(ctx, t.Owner, t.Handle, ErrNoDownload)
	if err != nil {
		return nil, err
	}

	file, err := fileAt(e, t.PartRef, ErrNoDownload)
	if err == nil {
		file.Filename = cmp.Or(file.Filename, sanitize.Short(e.Asked, 60))
	}
	return file, err
}

// taskOfOwner returns the task that a link of its owner leads to, or the error gone. It returns no
// task if handle is "".
func (sv *Service) taskOfOwner(
	ctx context.Context, owner, handle string, gone error,
) (*ledger.Record, error) {
	if sv.Accounts != nil {
		if active, err := sv.Accounts.Active(ctx, owner); err != nil || !active {
			return nil, cmp.Or(err, gone)
		}
	}
	if handle == "" {
		return nil, nil
	}

	e, err := sv.Runner.Task(ctx, sv.ownerAccess(owner), handle)
	if errors.Is(err, ledger.ErrNoTask) {
		err = gone
	}

	return e, err
}

// fileAt returns a part of a task as a file, also a text or data, or the error gone.
func fileAt(e *ledger.Record, ref view.PartRef, gone error) (*a2a.Part, error) {
	p := view.Part(e, ref)
	if p == nil {
		return nil, gone
	}

	file := *p
	file.Filename = cmp.Or(p.Filename, artifactName(e, ref))
	switch c := p.Content.(type) {
	case a2a.Text:
		file.Content, file.MediaType = a2a.Raw(c), cmp.Or(p.MediaType, textType)
	case a2a.Data:
		file.Content = a2a.Raw(c)
		file.MediaType = view.JSONType
	case a2a.URL:
		return nil, gone
	}

	return &file, nil
}

// artifactName returns the name of the artifact that a part belongs to; "" if there is none.
func artifactName(e *ledger.Record, ref view.PartRef) string {
	if ref.Version > 0 || ref.InMessage {
		return ""
	}
	return e.Task.Artifacts[ref.Artifact].Name
}

const textType = "text/plain; charset=utf-8"
