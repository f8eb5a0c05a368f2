// Package uploads takes files apart from tool calls, so that no model has to type them: it makes
// one-time links, receives the bytes of a link into the store, checks them, and hands them to the
// agent of the task that names them. It knows agents' messages. It does not run tasks (see package
// runner), and serves no HTTP (see package web).
//
// A message names an upload by a part with the address "upload:ID". The record of the task keeps
// that address; the agent gets the bytes instead, or a signed link to them.
package uploads

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/singleflight"

	"rialto/bridge/ledger"
	"rialto/internal/quota"
)

// Path is where files are sent to; the secret of a link follows.
const Path = "/uploads/"

const (
	LinkTTL = time.Hour      // a link that no file has come for
	KeptFor = 24 * time.Hour // a file: until a task has it, and until the agent of the task has fetched it

	MaxInline = 1 << 20 // bytes of a file that a message to an agent has; of a larger one it has a link
	PerUser   = 250     // links and files of a user
	MaxName   = 200     // bytes of a file name

	chunkSize    = 128 << 10        // bytes of a file that are in memory while it comes or goes
	maxReceiving = 512              // files that come at one time
	maxSending   = 200              // files that one user sends at one time
	dropTime     = 10 * time.Second // for deleting what is not kept
)

// Upload is a file that is sent apart from the call that needs it.
type Upload struct {
	ID        string
	Owner     string
	Connector string // through which it was asked for; "" for that of the whole server
	Name      string
	MediaType string // "" until it has come, if the caller did not say it
	SHA256    string // in hex; "" until it has come, if the caller did not say it
	Size      int64  // bytes; until it has come, the most that it may have
	Content   string // names the bytes in the store; "" until they have come
	Task      string // the handle of the task that has it; "" for none
	Expires   time.Time
}

// Why a file is not taken. The door has a status for each.
var (
	ErrNone       = errors.New("no such upload")              // 404
	ErrIncomplete = errors.New("the file did not come whole") // 400
	ErrUsed       = errors.New("the upload was used")         // 409
	ErrExpired    = errors.New("the upload has expired")      // 410
	ErrTooLarge   = errors.New("the file is too large")       // 413
	ErrMediaType  = errors.New("the file has another type")   // 415
	ErrContent    = errors.New("the file is not taken")       // 422
	ErrTooMany    = errors.New("there are too many uploads")  // 429
	ErrAway       = errors.New("the file cannot be checked")  // 503
)

// ErrTaken says that a task has an upload already.
var ErrTaken = ledger.InputError{Text: "A task has this upload already. Ask for a new link with " +
	"request_upload, and have the file sent again."}

// Bounds bounds what is kept.
type Bounds struct {
	Files   int   // links and files of an owner
	OfOwner int64 // bytes of them
	All     int64 // bytes of all owners
}

// Store keeps uploads. Its methods are atomic and may be called concurrently, by several replicas.
type Store interface {
	// AddUpload keeps u under the hash of its secret. It fails with ErrTooMany beyond the bounds: a
	// link counts with the most that its file may have.
	AddUpload(ctx context.Context, u *Upload, hash string, now time.Time, most Bounds) error

	// UploadAt returns the upload with a hash, and Upload the one with an id, or ErrNone.
	UploadAt(ctx context.Context, hash string) (*Upload, error)
	Upload(ctx context.Context, id string) (*Upload, error)

	// AddChunk keeps the chunk n of a content, from 0. Chunk returns it, or ErrNone.
	AddChunk(ctx context.Context, content string, n int, bytes []byte, now time.Time) error
	Chunk(ctx context.Context, content string, n int) ([]byte, error)

	// DropContent deletes all chunks of a content.
	DropContent(ctx context.Context, content string) error

	// CompleteUpload says that u has come: it writes Content, Size, MediaType, SHA256 and Expires. Of
	// any number of calls for one upload, exactly one succeeds before it expires; the others get
	// ErrUsed.
	CompleteUpload(ctx context.Context, u *Upload, now time.Time) error

	// DropUpload deletes an upload that has not come, unless a task has it.
	DropUpload(ctx context.Context, id string) error

	// EndedWaits returns at most limit tasks that wait for uploads of which all have come, or one has
	// expired, in the order of their handles, beginning after one. EndWait says that a task waits no
	// longer. (ledger.Store gives uploads to tasks.)
	EndedWaits(ctx context.Context, now time.Time, after string, limit int) ([]Waiting, error)
	EndWait(ctx context.Context, task string) error

	// DropUploads deletes at most limit uploads that have expired and that no task waits for, or whose
	// tasks have ended, and at most limit contents that nothing has referred to for an hour. It
	// returns the larger of the two counts.
	DropUploads(ctx context.Context, now time.Time, limit int) (int, error)
}

// Waiting is a task that waits for files.
type Waiting struct {
	Owner, Task string
	Expired     bool // one of them can come no more
}

// Service takes files. Store, Key, URL, Now and Log are required.
type Service struct {
	Store Store
	Key   []byte // 32 bytes, the same on all replicas
	URL   string // of the server
	Now   func() time.Time
	Log   *slog.Logger

	MaxSize int64 // bytes of a file
	OfOwner int64 // bytes of the links and files of a user
	All     int64 // the same of all users

	Accounts Accounts // nil: all are active
	ScanURL  string   // gets the bytes of each file, and refuses it with any status but 2xx; "" for none

	FetchLoopback bool // files of chat apps may come from this computer, for tests

	fetching    singleflight.Group // files of chats, by upload
	openByLink  quota.Count        // files that come now
	openByOwner quota.Count
	arrived     chan struct{}
}

// Accounts tells whether a user may still do anything.
type Accounts interface {
	Active(ctx context.Context, id string) (bool, error)
}

// New returns a service with its defaults.
func New(s *Service) *Service {
	s.arrived = make(chan struct{}, 1)
	return s
}

// Arrived is ready after a file has come that a task may wait for.
func (s *Service) Arrived() <-chan struct{} { return s.arrived }

// secret returns what the link of an upload ends with. Only its hash is stored: the database
// alone does not make a link.
func (s *Service) secret(id string) string {
	mac := hmac.New(sha256.New, s.Key)
	mac.Write([]byte("rialto upload link\x00" + id))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Link returns the link of an upload.
func (s *Service) Link(u *Upload) string { return s.URL + Path + s.secret(u.ID) }

func hashOf(secret string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(secret))) }

// At returns the upload of a link that can still be used: the errors are ErrNone, ErrUsed and
// ErrExpired.
func (s *Service) At(ctx context.Context, secret string) (*Upload, error) {
	u, err := s.Store.UploadAt(ctx, hashOf(secret))
	if err != nil {
		return nil, err
	}
	if s.Accounts != nil {
		active, err := s.Accounts.Active(ctx, u.Owner)
		if err != nil {
			return nil, err
		}
		if !active {
			return nil, ErrNone
		}
	}

	switch {
	case u.Content != "":
		return nil, refuse(ErrUsed, "A file was sent to this link already. Ask for a new link.")
	case !s.Now().Before(u.Expires):
		return nil, refuse(ErrExpired, "This link has expired. Ask for a new one.")
	}
	return u, nil
}

// Prune deletes what is not needed any more.
func (s *Service) Prune(ctx context.Context) error {
	_, err := s.Store.DropUploads(ctx, s.Now(), pruneBatch)
	return err
}

// pruneBatch bounds how long one statement keeps other writers waiting.
const pruneBatch = 100
