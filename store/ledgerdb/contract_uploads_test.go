package ledgerdb_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/uploads"
)

// Uploading is what the contract of uploads.Store needs: uploads end with their tasks.
type Uploading interface {
	uploads.Store
	ledger.Store
}

var roomy = uploads.Bounds{Files: 10, OfOwner: 1000, All: 2000}

// testUploads runs the contract of uploads.Store against the stores that open returns. Each must be empty.
func testUploads(t *testing.T, open func(*testing.T) Uploading) {
	for name, test := range map[string]func(*testing.T, Uploading){
		"an upload comes once, before it expires":     uploadComes,
		"bytes are read back by chunk":                uploadBytes,
		"links and files of owners are bounded":       uploadsBounded,
		"uploads go to one task, all or none":         uploadsTaken,
		"a task waits for its files":                  uploadsAwaited,
		"an upload that failed is forgotten":          uploadsForgotten,
		"uploads end with time, and with their tasks": uploadsDropped,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func upload(t *testing.T, db Uploading, owner string, size int64) *uploads.Upload {
	t.Helper()
	u := &uploads.Upload{ID: uuid.NewString(), Owner: owner, Connector: "sales", Name: "a.pdf", MediaType: "application/pdf", Size: size, Expires: now.Add(time.Hour)}
	if err := db.AddUpload(t.Context(), u, "hash "+u.ID, now, roomy); err != nil {
		t.Fatal(err)
	}
	return u
}

func comes(ctx context.Context, db Uploading, u *uploads.Upload, at time.Time) error {
	come := *u
	come.Content = "content " + u.ID
	return db.CompleteUpload(ctx, &come, at)
}

func uploadComes(t *testing.T, db Uploading) {
	ctx := t.Context()
	want := upload(t, db, "alice", 10)
	got, err := db.UploadAt(ctx, "hash "+want.ID)
	if err != nil || got.ID != want.ID || got.Connector != "sales" || got.Size != 10 || !got.Expires.Equal(want.Expires) {
		t.Fatalf("got %+v, %v", got, err)
	}
	if _, err := db.UploadAt(ctx, "another"); !errors.Is(err, uploads.ErrNone) {
		t.Errorf("an unknown hash: got %v", err)
	}
	if err := comes(ctx, db, want, want.Expires); !errors.Is(err, uploads.ErrUsed) {
		t.Errorf("too late: got %v", err)
	}
	if err := comes(ctx, db, want, now); err != nil {
		t.Error(err)
	}
	if err := comes(ctx, db, want, now); !errors.Is(err, uploads.ErrUsed) {
		t.Errorf("twice: got %v", err)
	}
	if got, err := db.Upload(ctx, want.ID); err != nil || got.Content == "" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func uploadBytes(t *testing.T, db Uploading) {
	ctx := t.Context()
	for n, bytes := range [][]byte{{0, 0xff, 'x'}, {1}} {
		if err := db.AddChunk(ctx, "content", n, bytes, now); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := db.Chunk(ctx, "content", 0); err != nil || !slices.Equal(got, []byte{0, 0xff, 'x'}) {
		t.Errorf("got %v, %v", got, err)
	}
	if err := db.DropContent(ctx, "content"); err != nil {
		t.Error(err)
	}
	if _, err := db.Chunk(ctx, "content", 1); !errors.Is(err, uploads.ErrNone) {
		t.Errorf("after the end: got %v", err)
	}
}

func uploadsBounded(t *testing.T, db Uploading) {
	ctx := t.Context()
	upload(t, db, "alice", 900)
	add := func(owner string, size int64, most uploads.Bounds) error {
		u := &uploads.Upload{ID: uuid.NewString(), Owner: owner, Size: size, Expires: now.Add(time.Hour)}
		return db.AddUpload(ctx, u, u.ID, now, most)
	}
	for name, c := range map[string]struct {
		owner string
		size  int64
		most  uploads.Bounds
	}{
		"bytes of the owner": {"alice", 101, roomy},
		"bytes of all":       {"bob", 101, uploads.Bounds{Files: 10, OfOwner: 1000, All: 1000}},
		"files of the owner": {"alice", 1, uploads.Bounds{Files: 1, OfOwner: 1000, All: 2000}},
	} {
		if err := add(c.owner, c.size, c.most); !errors.Is(err, uploads.ErrTooMany) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := add("alice", 100, roomy); err != nil {
		t.Error(err)
	}
}

// addWith adds an idle task in a state with files. In input-required it waits for them.
func addWith(ctx context.Context, db Uploading, handle string, state a2a.State, files ...*uploads.Upload) error {
	e := &ledger.Record{
		Handle: handle, Owner: "alice", Agent: "one", Idle: true, Created: now, Updated: now,
		Task: &a2a.Task{Status: a2a.Status{State: state}, History: []a2a.Message{{ID: "m"}}},
	}
	for _, u := range files {
		e.Files = append(e.Files, u.ID)
	}
	return db.AddTask(ctx, e, "replica", 10)
}

// uploadsTaken: a file and its task are written in one step. A server that died between two once left a
// file that was used without a task.
func uploadsTaken(t *testing.T, db Uploading) {
	ctx := t.Context()
	one, two := upload(t, db, "alice", 1), upload(t, db, "alice", 1)
	if err := addWith(ctx, db, "first", a2a.Completed, one); err != nil {
		t.Fatal(err)
	}
	if err := addWith(ctx, db, "second", a2a.Completed, two, one); !errors.Is(err, uploads.ErrTaken) {
		t.Errorf("one of them is taken: got %v", err)
	}
	if _, err := db.Task(ctx, "alice", "second"); !errors.Is(err, ledger.ErrNoTask) {
		t.Errorf("the second task: got %v", err)
	}
	continued := add(t, db)
	settle(t, db, continued, a2a.InputRequired)
	continued.Files = []string{two.ID, one.ID}
	if err := db.ContinueTask(ctx, continued, "m2", "r1", now); !errors.Is(err, uploads.ErrTaken) {
		t.Errorf("a task that goes on with one that is taken: got %v", err)
	}
	if got, err := db.Upload(ctx, two.ID); err != nil || got.Task != "" {
		t.Errorf("the other one: got %+v, %v", got, err)
	}
	if err := comes(ctx, db, two, now); err != nil {
		t.Fatal(err)
	}
	continued.Files = []string{two.ID}
	if err := db.ContinueTask(ctx, continued, "m2", "r1", now); err != nil {
		t.Errorf("a task that goes on: got %v", err)
	}
	got, err := db.Upload(ctx, two.ID)
	if err != nil || got.Task != continued.Handle || !got.Expires.Equal(continued.Updated.Add(uploads.KeptFor)) {
		t.Errorf("afterwards: got %+v, %v", got, err)
	}
}

// uploadsForgotten: what has come, or what a task has, is not forgotten.
func uploadsForgotten(t *testing.T, db Uploading) {
	ctx := t.Context()
	fails, has, waits := upload(t, db, "alice", 1), upload(t, db, "alice", 1), upload(t, db, "alice", 1)
	if err := errors.Join(comes(ctx, db, has, now), addWith(ctx, db, "task", a2a.InputRequired, waits)); err != nil {
		t.Fatal(err)
	}
	for u, want := range map[*uploads.Upload]error{fails: uploads.ErrNone, has: nil, waits: nil} {
		if err := db.DropUpload(ctx, u.ID); err != nil {
			t.Error(err)
		}
		if _, err := db.Upload(ctx, u.ID); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

// uploadsAwaited: a task waits until all its files have come, or one has expired.
func uploadsAwaited(t *testing.T, db Uploading) {
	ctx := t.Context()
	one, two := upload(t, db, "alice", 1), upload(t, db, "alice", 1)
	if err := addWith(ctx, db, "task", a2a.InputRequired, one, two); err != nil {
		t.Fatal(err)
	}
	want := func(when string, at time.Time, want ...uploads.Waiting) {
		t.Helper()
		if got, err := db.EndedWaits(ctx, at, "", 10); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %v, %v, want %v", when, got, err, want)
		}
	}
	if err := comes(ctx, db, one, now); err != nil {
		t.Fatal(err)
	}
	want("one of two has come", now)
	want("the other one has expired", two.Expires, uploads.Waiting{Owner: "alice", Task: "task", Expired: true})
	if got, err := db.EndedWaits(ctx, two.Expires, "task", 10); err != nil || len(got) > 0 {
		t.Errorf("after the last: got %v, %v", got, err)
	}
	if _, err := db.DropUploads(ctx, two.Expires, 10); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Upload(ctx, two.ID); err != nil {
		t.Errorf("while the task waits: got %v", err)
	}
	if err := comes(ctx, db, two, now); err != nil {
		t.Fatal(err)
	}
	want("both have come", now, uploads.Waiting{Owner: "alice", Task: "task"})
	if err := db.EndWait(ctx, "task"); err != nil {
		t.Fatal(err)
	}
	want("the message was sent", now)
}

func uploadsDropped(t *testing.T, db Uploading) {
	ctx := t.Context()
	old, ended, waits := upload(t, db, "alice", 1), upload(t, db, "alice", 1), upload(t, db, "alice", 1)
	for u, state := range map[*uploads.Upload]a2a.State{ended: a2a.Completed, waits: a2a.InputRequired} {
		if err := addWith(ctx, db, u.ID, state, u); err != nil {
			t.Fatal(err)
		}
	}
	for _, u := range []*uploads.Upload{old, ended, waits} {
		if err := db.AddChunk(ctx, "content "+u.ID, 0, []byte{1}, now); err != nil {
			t.Fatal(err)
		}
	}
	if err := comes(ctx, db, waits, now); err != nil {
		t.Fatal(err)
	}
	if _, err := db.DropUploads(ctx, now.Add(30*time.Minute), 10); err != nil {
		t.Fatal(err)
	}
	for u, want := range map[*uploads.Upload]error{old: nil, ended: uploads.ErrNone, waits: nil} {
		if _, err := db.Upload(ctx, u.ID); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	waits.Expires = now.Add(3 * time.Hour)
	if _, err := db.DropUploads(ctx, now.Add(61*time.Minute), 10); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Upload(ctx, old.ID); !errors.Is(err, uploads.ErrNone) {
		t.Errorf("after its time: got %v", err)
	}
	if _, err := db.Chunk(ctx, "content "+ended.ID, 0); !errors.Is(err, uploads.ErrNone) {
		t.Errorf("bytes that nothing refers to: got %v", err)
	}
}
