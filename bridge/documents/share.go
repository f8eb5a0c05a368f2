package documents

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
	"rialto/internal/batch"
	"rialto/internal/quota"
)

// SharedPath is where shared documents are shown; the secret of a link follows.
const SharedPath = "/shared/"

// MostShares limits the shared documents of a user.
const MostShares = 100

// ErrNoShare says that a share link does not work: it is expired, revoked or invalid,
// its document is deleted, or its owner is not active.
var ErrNoShare = errors.New("nothing is shared so")

// ErrTooManyShares says that the user has MostShares shared documents.
var ErrTooManyShares = errors.New("too many documents are shared")

// ErrNotShareable says that a running task cannot be shared, because its owner does not
// know the result.
var ErrNotShareable = errors.New("the task has not ended")

// Share is a document that anyone with the link can read.
type Share struct {
	ID       string    `json:"share_id"` // names it to its owner, and opens nothing
	Owner    string    `json:"-"`
	Document string    `json:"id"` // the id that fetch takes
	Title    string    `json:"title"`
	Handle   string    `json:"-"` // of the task that it shows or is a part of; "" for what is none
	Agent    string    `json:"-"` // agent of the document; set by Shares
	Content  []byte    `json:"-"` // copy of a document that is not of a task
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires"`
	Views    int       `json:"views,omitzero"` // by others than the owner; set by Shares
	Viewed   time.Time `json:"last_viewed,omitzero"`
}

// ShareStore keeps shares under the hashes of their secrets. Its methods are
// atomic and may be called concurrently.
type ShareStore interface {
	// AddShare keeps s. An owner who has most shares that have not ended by
	// s.Created gets ErrTooManyShares.
	AddShare(ctx context.Context, s *Share, hash string, most int) error

	// Share returns what is shared under the hash at a moment, or ErrNoShare. A
	// share of a task ends with the task.
	Share(ctx context.Context, hash string, now time.Time) (*Share, error)

	// Shares returns owner's shares that have not ended, the latest first,
	// without their content and with their agents, at most limit: those that come
	// after a place in that list, whose Handle is the id of a share.
	Shares(
		ctx context.Context,
		owner string,
		now time.Time,
		after ledger.Mark,
		limit int,
	) ([]Share, error)

	// CountView records that reader looked at what is shared under the hash. The owner does not count.
	CountView(ctx context.Context, hash, reader string, now time.Time) error

	// EndShare ends a share of owner's, or returns ErrNoShare.
	EndShare(ctx context.Context, owner, id string) error

	// DropShares forgets shares that ended before a moment, at most limit, and returns how many.
	DropShares(ctx context.Context, before time.Time, limit int) (int, error)
}

// Sharing makes links to documents. All fields are required.
type Sharing struct {
	Store ShareStore
	TTL   time.Duration // how long a link leads to the document
	views quota.Rate
}

// countedViews bounds the views of a link that are counted: each is a write.
var countedViews = quota.Bucket{Burst: 10, Window: time.Minute}

// ShareDocument makes a link to a document of the caller: a task that has ended, one of
// its artifacts, or a document of an agent, which is copied. The secret in the link is
// returned and not stored. Its errors are those of Fetch, ErrNotShareable,
// ErrTooManyShares, and ErrNoShare if there is no sharing.
func (sv *Service) ShareDocument(
	ctx context.Context, access directory.Access, id string,
) (*Share, string, error) {
	if sv.Sharing == nil || !access.AllowsTool("share") {
		return nil, "", ErrNoShare
	}

	doc, err := sv.View(ctx, access, id)
	if err != nil {
		return nil, "", err
	}

	now := sv.Runner.Now().Truncate(time.Millisecond)
	s := &Share{
		ID:       uuid.NewString(),
		Owner:    access.User(),
		Document: doc.ID,
		Title:    sanitize.Truncate(doc.Title, 300),
		Agent:    doc.Agent,
		Created:  now,
		Expires:  now.Add(sv.Sharing.TTL),
	}
	switch {
	case doc.task != nil && !doc.task.State().Terminal():
		return nil, "", ErrNotShareable
	case doc.task != nil:
		s.Handle = doc.task.Handle
		if title := ledger.Title(doc.task.Asked); title != "" && doc.ID == TaskID(s.Handle) {
			s.Title = title
		}
	case strings.HasPrefix(id, "agent:"):
		return nil, "", ledger.InputError{Text: "An agent's description cannot be shared: " +
			"share a task, what it has produced, or a document."}
	default:
		s.Content, err = encodeCopy(doc)
		if err != nil {
			return nil, "", err
		}
	}

	secret := newSecret()
	if err := sv.Sharing.Store.AddShare(ctx, s, hashOf(secret), MostShares); err != nil {
		return nil, "", err
	}

	return s, sv.URL + SharedPath + secret, nil
}

// newSecret returns 256 random bits.
func newSecret() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(b)
}

func hashOf(secret string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(secret))) }

// ListShares returns a page of the shares of the caller, the latest first, and the
// cursor of the next page, "" at the end. Shares of hidden agents are omitted, so that
// a page may have less than limit.
func (sv *Service) ListShares(
	ctx context.Context, access directory.Access, cursor string, limit int,
) ([]Share, string, error) {
	if sv.Sharing == nil {
		return nil, "", nil
	}

	after, err := ledger.ParseMark(cursor)
	if err != nil {
		return nil, "", err
	}

	shares, err := sv.Sharing.Store.Shares(ctx, access.User(), sv.Runner.Now(), after, limit+1)
	if err != nil {
		return nil, "", err
	}

	next := ""
	if len(shares) > limit {
		next = ledger.Mark{Created: shares[limit-1].Created, Handle: shares[limit-1].ID}.String()
		shares = shares[:limit]
	}

	hidden := func(s Share) bool { return !sv.Directory.AllowsTasks(access, s.of()) }
	return slices.DeleteFunc(shares, hidden), next, nil
}

// of returns the name of the agent whose document is shown.
func (s *Share) of() string {
	if document, ok := strings.CutPrefix(s.Document, "doc:"); ok {
		agent, _, _ := strings.Cut(document, ":")
		return agent
	}
	return s.Agent
}

// EndShare ends one of the shares that the caller can list, or returns ErrNoShare.
func (sv *Service) EndShare(ctx context.Context, access directory.Access, id string) error {
	if sv.Sharing == nil || !access.AllowsTool("share") {
		return ErrNoShare
	}
	shares, _, err := sv.ListShares(ctx, access, "", MostShares)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(shares, func(s Share) bool { return s.ID == id }) {
		return ErrNoShare
	}
	return sv.Sharing.Store.EndShare(ctx, access.User(), id)
}

// EndShares ends all shares of the caller.
func (sv *Service) EndShares(ctx context.Context, access directory.Access) error {
	const batch = 50
	for range MostShares/batch + 1 {
		shares, _, err := sv.ListShares(ctx, access, "", batch)
		if err != nil || len(shares) == 0 {
			return err
		}
		for _, s := range shares {
			err := sv.Sharing.Store.EndShare(ctx, access.User(), s.ID)
			if err != nil && !errors.Is(err, ErrNoShare) {
				return err
			}
		}
	}

	return nil
}

// documentCopy is the document of an agent as a share stores it.
type documentCopy struct {
	DocumentView
	Blocks []copiedText `json:"blocks"` // one
}

type copiedText struct {
	Text string `json:"text,omitempty"`
}

func encodeCopy(s *DocumentView) ([]byte, error) {
	return json.Marshal(documentCopy{*s, []copiedText{{s.Pieces[0].Text()}}})
}

func decodeCopy(b []byte) (*DocumentView, error) {
	var c documentCopy
	err := json.Unmarshal(b, &c)
	for _, text := range c.Blocks {
		c.Pieces = append(c.Pieces, view.FromText(text.Text))
	}
	return &c.DocumentView, err
}

// Shared returns the document of a share link and its expiry, or ErrNoShare.
func (sv *Service) Shared(ctx context.Context, secret string) (*DocumentView, time.Time, error) {
	s, e, err := sv.shared(ctx, secret)
	if err != nil {
		return nil, time.Time{}, err
	}
	if e == nil {
		doc, err := decodeCopy(s.Content)
		return doc, s.Expires, err
	}

	_, artifact, one := strings.Cut(strings.TrimPrefix(s.Document, "artifact:"), ":")
	one = one && strings.HasPrefix(s.Document, "artifact:")
	doc := newDocumentView(e, one, artifact, DownloadURL{})
	if doc == nil {
		return nil, time.Time{}, ErrNoShare
	}

	return doc, s.Expires, nil
}

// CountView counts a view of the document behind a link. Views by its owner do not count.
func (sv *Service) CountView(ctx context.Context, access directory.Access, secret string) {
	hash := hashOf(secret)
	now := sv.Runner.Now()
	if sv.Sharing.views.Take(countedViews, now, quota.Key{Name: hash}) != nil {
		return
	}
	if err := sv.Sharing.Store.CountView(ctx, hash, access.User(), now); err != nil {
		sv.Log.WarnContext(ctx, "counting a view of a shared document", "err", err)
	}
}

// shared returns a share and, if it shows one, its task.
func (sv *Service) shared(ctx context.Context, secret string) (*Share, *ledger.Record, error) {
	if sv.Sharing == nil || len(secret) != base64.RawURLEncoding.EncodedLen(32) {
		return nil, nil, ErrNoShare
	}
	s, err := sv.Sharing.Store.Share(ctx, hashOf(secret), sv.Runner.Now())
	if err != nil {
		return nil, nil, err
	}
	e, err := sv.taskOfOwner(ctx, s.Owner, s.Handle, ErrNoShare)
	return s, e, err
}

// SharedPiece returns a whole piece of a shared document for download, a text as a
// file, or ErrNoShare.
func (sv *Service) SharedPiece(ctx context.Context, secret string, number int) (*a2a.Part, error) {
	doc, _, err := sv.Shared(ctx, secret)
	if err != nil {
		return nil, err
	}

	i := slices.IndexFunc(doc.Pieces, func(p view.Piece) bool { return p.Number == number })
	switch {
	case i < 0:
		return nil, ErrNoShare
	case doc.task == nil:
		return &a2a.Part{Content: a2a.Raw(doc.Pieces[i].Text()), MediaType: textType}, nil
	}

	return fileAt(doc.task, doc.Pieces[i].Ref, ErrNoShare)
}

// PruneShares forgets shares that have ended.
func (sv *Service) PruneShares(ctx context.Context) error {
	if sv.Sharing == nil {
		return nil
	}
	return batch.Drop(ctx, runner.PruneBatch, func(size int) (int, error) {
		return sv.Sharing.Store.DropShares(ctx, sv.Runner.Now(), size)
	})
}

// Shared is a share that was made just now.
type Shared struct {
	Share
	URL string `json:"url"` // the link
}
