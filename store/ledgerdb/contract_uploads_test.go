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
		"an upload comes once, before it expires":      uploadComes,
		"bytes are read back by chunk":                 uploadBytes,
		"links and files of owners are bounded":        uploadsBounded,
		"uploads go to one task, all or none":          uploadsClaimed,
		"a task is ready when all its files have come": uploadsReady,
		"uploads end with time, and with their tasks":  uploadsDropped,
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

func uploadsClaimed(t *testing.T, db Uploading) {
	ctx := t.Context()
	one, two := upload(t, db, "alice", 1), upload(t, db, "alice", 1)
	if err := db.ClaimUploads(ctx, []string{one.ID}, "first", false); err != nil {
		t.Fatal(err)
	}
	if err := db.ClaimUploads(ctx, []string{two.ID, one.ID}, "second", false); !errors.Is(err, uploads.ErrUsed) {
		t.Errorf("one of them is taken: got %v", err)
	}
	if got, err := db.Upload(ctx, two.ID); err != nil || got.Task != "" {
		t.Errorf("the other one: got %+v, %v", got, err)
	}
	if err := db.ReleaseUploads(ctx, "first"); err != nil {
		t.Error(err)
	}
	if err := db.ClaimUploads(ctx, []string{two.ID, one.ID}, "second", false); err != nil {
		t.Errorf("after its release: got %v", err)
	}
}

func uploadsReady(t *testing.T, db Uploading) {
	ctx := t.Context()
	one, two := upload(t, db, "alice", 1), upload(t, db, "alice", 1)
	if err := db.ClaimUploads(ctx, []string{one.ID, two.ID}, "task", true); err != nil {
		t.Fatal(err)
	}
	want := func(n int, when string) {
		t.Helper()
		if got, err := db.ReadyUploads(ctx, 10); err != nil || len(got) != n {
			t.Errorf("%s: got %v, %v", when, got, err)
		}
	}
	if err := comes(ctx, db, one, now); err != nil {
		t.Fatal(err)
	}
	want(0, "one of two has come")
	if err := comes(ctx, db, two, now); err != nil {
		t.Fatal(err)
	}
	want(1, "both have come")
	if err := db.EndWait(ctx, "task"); err != nil {
		t.Fatal(err)
	}
	want(0, "the message was sent")
}

func uploadsDropped(t *testing.T, db Uploading) {
	ctx := t.Context()
	old, ended, waits := upload(t, db, "alice", 1), upload(t, db, "alice", 1), upload(t, db, "alice", 1)
	for u, state := range map[*uploads.Upload]a2a.State{ended: a2a.Completed, waits: a2a.InputRequired} {
		e := &ledger.Record{Handle: u.ID, Owner: "alice", Agent: "one", Idle: true, Created: now, Updated: now, Task: &a2a.Task{ID: "x", Status: a2a.Status{State: state}}}
		if err := db.AddTask(ctx, e, "replica", 10); err != nil {
			t.Fatal(err)
		}
		if err := db.ClaimUploads(ctx, []string{u.ID}, e.Handle, false); err != nil {
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
