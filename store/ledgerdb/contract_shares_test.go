package ledgerdb_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
)

// Sharing is what the contract of bridge.ShareStore needs: shares of tasks end
// with the tasks.
type Sharing interface {
	documents.ShareStore
	ledger.Store
}

// testShares runs the contract of bridge.ShareStore against the stores that open
// returns. Each must be empty.
func testShares(t *testing.T, open func(*testing.T) Sharing) {
	for name, test := range map[string]func(*testing.T, Sharing){
		"a share is read as it was written, until it ends": shareReadBack,
		"a share is ended by its owner only":               shareEnded,
		"a share ends with its task":                       shareOfTask,
		"an owner shares only so much":                     sharesBounded,
		"shares are listed in pages, the latest first":     sharesListed,
		"shares that have ended are forgotten":             sharesDropped,
		"views by others are counted":                      viewsCounted,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// share adds a share of owner's that ends after a while.
func share(t *testing.T, db Sharing, owner, hash string, lasts time.Duration) *documents.Share {
	t.Helper()
	s := &documents.Share{ID: uuid.NewString(), Owner: owner, Document: "doc:a:1", Title: "A title", Content: []byte(`{"id":"doc:a:1"}`), Created: now, Expires: now.Add(lasts)}
	if err := db.AddShare(t.Context(), s, hash, 1000); err != nil {
		t.Fatal(err)
	}
	return s
}

func gone(t *testing.T, db Sharing, hash string, at time.Time) {
	t.Helper()
	if s, err := db.Share(t.Context(), hash, at); !errors.Is(err, documents.ErrNoShare) {
		t.Errorf("%s: got %+v, %v, want ErrNoShare", hash, s, err)
	}
}

func shareReadBack(t *testing.T, db Sharing) {
	want := share(t, db, "alice", "hash", time.Minute)
	got, err := db.Share(t.Context(), "hash", now.Add(time.Minute-time.Millisecond))
	if err != nil || !got.Created.Equal(want.Created) || !got.Expires.Equal(want.Expires) {
		t.Fatalf("got %+v, %v, want %+v", got, err, want)
	}
	got.Created, got.Expires = want.Created, want.Expires
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	gone(t, db, "hash", now.Add(time.Minute))
	gone(t, db, "another", now)
	if err := db.AddShare(t.Context(), want, "hash", 1000); err == nil {
		t.Error("the same hash was taken twice")
	}
}

func shareEnded(t *testing.T, db Sharing) {
	s := share(t, db, "alice", "hash", time.Minute)
	for _, wrong := range [][2]string{{"bob", s.ID}, {"alice", "hash"}, {"", s.ID}} {
		if err := db.EndShare(t.Context(), wrong[0], wrong[1]); !errors.Is(err, documents.ErrNoShare) {
			t.Errorf("%q: got %v, want ErrNoShare", wrong, err)
		}
	}
	if err := db.EndShare(t.Context(), "alice", s.ID); err != nil {
		t.Error(err)
	}
	gone(t, db, "hash", now)
	if err := db.EndShare(t.Context(), "alice", s.ID); !errors.Is(err, documents.ErrNoShare) {
		t.Errorf("again: got %v, want ErrNoShare", err)
	}
}

func shareOfTask(t *testing.T, db Sharing) {
	e := add(t, db)
	settle(t, db, e, a2a.Completed)
	kept := add(t, db)
	for hash, handle := range map[string]string{"one": e.Handle, "two": e.Handle, "other": kept.Handle, "none": ""} {
		s := &documents.Share{ID: hash, Owner: "alice", Document: "task:" + handle, Handle: handle, Created: now, Expires: now.Add(time.Hour)}
		if err := db.AddShare(t.Context(), s, hash, 1000); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := db.Shares(t.Context(), "alice", now, ledger.Mark{}, 10)
	if err != nil || len(listed) != 4 {
		t.Errorf("got %+v, %v", listed, err)
	}
	for _, s := range listed {
		if want := map[bool]string{true: e.Agent}[s.Handle != ""]; s.Agent != want {
			t.Errorf("%s is of the agent %q, want %q", s.ID, s.Agent, want)
		}
	}
	if n, err := db.DropTasks(t.Context(), now.Add(time.Minute), "", nil, 10); n != 1 || err != nil {
		t.Fatalf("got %d, %v", n, err)
	}
	gone(t, db, "one", now)
	gone(t, db, "two", now)
	for _, hash := range []string{"other", "none"} {
		if s, err := db.Share(t.Context(), hash, now); err != nil || s.Content != nil {
			t.Errorf("%s: got %+v, %v", hash, s, err)
		}
	}
}

func sharesBounded(t *testing.T, db Sharing) {
	share(t, db, "alice", "ended", -time.Minute)
	share(t, db, "bob", "bob's", time.Minute)
	s := share(t, db, "alice", "first", time.Minute)
	next := *s
	next.ID = "next"
	if err := db.AddShare(t.Context(), &next, "next", 1); !errors.Is(err, documents.ErrTooManyShares) {
		t.Errorf("got %v, want ErrTooManyShares", err)
	}
	gone(t, db, "next", now)
	if err := db.AddShare(t.Context(), &next, "next", 2); err != nil {
		t.Error(err)
	}
}

func sharesListed(t *testing.T, db Sharing) {
	share(t, db, "alice", "ended", -time.Minute)
	share(t, db, "bob", "bob's", time.Minute)
	want := map[string]bool{}
	for i := range 5 {
		want[share(t, db, "alice", fmt.Sprint(i), time.Minute).ID] = true // all made at the same moment
	}
	var after ledger.Mark
	for _, n := range []int{2, 2, 1, 0} {
		page, err := db.Shares(t.Context(), "alice", now, after, 2)
		if err != nil || len(page) != n {
			t.Fatalf("got %v, %v, want %d", page, err, n)
		}
		for _, s := range page {
			if !want[s.ID] || s.Title != "A title" || s.Content != nil {
				t.Errorf("got %+v", s)
			}
			delete(want, s.ID)
			after = ledger.Mark{Created: s.Created, Handle: s.ID}
		}
	}
}

func viewsCounted(t *testing.T, db Sharing) {
	share(t, db, "alice", "seen", time.Minute)
	share(t, db, "alice", "unseen", time.Minute)
	later := now.Add(time.Second)
	for i, reader := range []string{"", "bob", "", "alice"} {
		if err := db.CountView(t.Context(), "seen", reader, later.Add(time.Duration(i)*time.Millisecond)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.CountView(t.Context(), "nothing", "bob", later); err != nil {
		t.Errorf("of no share: got %v", err)
	}
	all, err := db.Shares(t.Context(), "alice", now, ledger.Mark{}, 10)
	if err != nil || len(all) != 2 {
		t.Fatalf("got %v, %v", all, err)
	}
	for _, s := range all {
		seen := s.Views == 3 && s.Viewed.Equal(later.Add(2*time.Millisecond))
		if unseen := s.Views == 0 && s.Viewed.IsZero(); !seen && !unseen {
			t.Errorf("got %d views, the last at %s", s.Views, s.Viewed)
		}
	}
	if all[0].Views+all[1].Views != 3 {
		t.Errorf("got %d and %d views, want 3 and none", all[0].Views, all[1].Views)
	}
}

func sharesDropped(t *testing.T, db Sharing) {
	for i := range 3 {
		share(t, db, "alice", fmt.Sprint(i), time.Minute)
	}
	share(t, db, "alice", "later", time.Hour)
	for _, want := range []int{2, 1, 0} {
		if n, err := db.DropShares(t.Context(), now.Add(time.Minute), 2); n != want || err != nil {
			t.Errorf("got %d, %v, want %d", n, err, want)
		}
	}
	if _, err := db.Share(t.Context(), "later", now); err != nil {
		t.Error(err)
	}
}
