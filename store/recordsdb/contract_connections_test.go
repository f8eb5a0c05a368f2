package recordsdb_test

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a/a2avault"
	"rialto/oauth/oauthtest"
	"rialto/store"
)

// testConnections runs the contract against a store that is empty.
func testConnections(t *testing.T, s a2avault.Store) {
	for name, test := range map[string]func(*testing.T, a2avault.Store){
		"a connection is its owner's, and is replaced": replaced,
		"one of many renews":                           oneRenews,
		"a claim ends":                                 claimEnds,
		"a renewal that comes late writes nothing":     lateRenewal,
		"an attempt is taken once":                     takenOnce,
		"a user has so many attempts":                  bounded,
	} {
		t.Run(name, func(t *testing.T) { test(t, s) })
	}
}

func connectionRow(owner, sealed string) a2avault.Row {
	return a2avault.Row{Owner: owner, Agent: "maps", Kind: a2avault.OAuth, Sealed: sealed, Connected: now, Updated: now}
}

func connect(t *testing.T, s a2avault.Store, owner, sealed string) *a2avault.Row {
	t.Helper()
	if err := s.PutConnection(t.Context(), connectionRow(owner, sealed)); err != nil {
		t.Fatal(err)
	}
	return connection(t, s, owner)
}

func connection(t *testing.T, s a2avault.Store, owner string) *a2avault.Row {
	t.Helper()
	r, err := s.Connection(t.Context(), owner, "maps")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func replaced(t *testing.T, s a2avault.Store) {
	ctx := t.Context()
	first := connect(t, s, "ann", "one")
	if _, err := s.Connection(ctx, "bob", "maps"); !errors.Is(err, a2avault.ErrNone) {
		t.Errorf("another's: got %v", err)
	}
	second := connect(t, s, "ann", "two")
	if second.Sealed != "two" || second.Version == first.Version || !second.Connected.Equal(now) || second.Kind != a2avault.OAuth {
		t.Errorf("got %+v after %+v", second, first)
	}
	if all, err := s.Connections(ctx, "ann"); err != nil || len(all) != 1 || all[0].Agent != "maps" {
		t.Errorf("got %+v, %v", all, err)
	}
	if err := s.ForgetConnection(ctx, "bob", "maps"); !errors.Is(err, a2avault.ErrNone) {
		t.Errorf("forgetting another's: got %v", err)
	}
	if err := s.ForgetConnection(ctx, "ann", "maps"); err != nil {
		t.Error(err)
	}
	if _, err := s.Connection(ctx, "ann", "maps"); !errors.Is(err, a2avault.ErrNone) {
		t.Errorf("forgotten: got %v", err)
	}
}

func oneRenews(t *testing.T, s a2avault.Store) {
	r := connect(t, s, "cat", "old")
	var won atomic.Int32
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			holder := string(rune('a' + i))
			err := s.ClaimRenewal(t.Context(), r, holder, now, time.Minute)
			if errors.Is(err, a2avault.ErrChanged) {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			won.Add(1)
			next := *r
			next.Sealed, next.Updated = "new", now.Add(time.Second)
			if err := s.SaveRenewal(t.Context(), &next, holder); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got := connection(t, s, "cat")
	if won.Load() != 1 || got.Sealed != "new" || got.Version == r.Version || !got.Updated.Equal(now.Add(time.Second)) || !got.Connected.Equal(now) {
		t.Errorf("%d renewed, and left %+v", won.Load(), got)
	}
	if err := s.ClaimRenewal(t.Context(), got, "z", now, time.Minute); err != nil {
		t.Errorf("the next renewal: %v", err)
	}
}

func claimEnds(t *testing.T, s a2avault.Store) {
	r := connect(t, s, "dan", "old")
	if err := s.ClaimRenewal(t.Context(), r, "dead", now, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.ClaimRenewal(t.Context(), r, "next", now, time.Minute); err != nil {
		t.Errorf("after it: %v", err)
	}
	if err := s.ClaimRenewal(t.Context(), r, "other", now.Add(59*time.Second), time.Minute); !errors.Is(err, a2avault.ErrChanged) {
		t.Errorf("while it lasts: got %v", err)
	}
	if err := s.SaveRenewal(t.Context(), r, "dead"); !errors.Is(err, a2avault.ErrChanged) {
		t.Errorf("who lost the claim: got %v", err)
	}
}

func lateRenewal(t *testing.T, s a2avault.Store) {
	r := connect(t, s, "eve", "old")
	if err := s.ClaimRenewal(t.Context(), r, "h", now, time.Minute); err != nil {
		t.Fatal(err)
	}
	connect(t, s, "eve", "connected anew")
	if err := s.SaveRenewal(t.Context(), r, "h"); !errors.Is(err, a2avault.ErrChanged) {
		t.Errorf("got %v", err)
	}
	if got := connection(t, s, "eve"); got.Sealed != "connected anew" {
		t.Errorf("got %+v", got)
	}
	if err := s.ForgetConnection(t.Context(), "eve", "maps"); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveRenewal(t.Context(), r, "h"); !errors.Is(err, a2avault.ErrChanged) {
		t.Errorf("what was forgotten: got %v", err)
	}
}

func bounded(t *testing.T, s a2avault.Store) {
	var err error
	for i := range a2avault.MostAttempts + 1 {
		if err != nil {
			t.Fatalf("attempt %d: %v", i, err)
		}
		err = s.AddAttempt(t.Context(), a2avault.Attempt{State: "many" + strconv.Itoa(i), Owner: "fay", Expires: now.Add(time.Minute)})
	}
	if !errors.Is(err, a2avault.ErrTooMany) {
		t.Errorf("got %v", err)
	}
	if err := s.DropAttempts(t.Context(), now.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if err := s.AddAttempt(t.Context(), a2avault.Attempt{State: "later", Owner: "fay", Expires: now.Add(time.Minute)}); err != nil {
		t.Errorf("when they have ended: %v", err)
	}
}

func takenOnce(t *testing.T, s a2avault.Store) {
	ctx := t.Context()
	a := a2avault.Attempt{State: "s", Browser: "b", Owner: "ann", Agent: "maps", Task: "t", Sealed: "x", Expires: now.Add(time.Minute)}
	late := a
	late.State, late.Expires = "late", now
	for _, one := range []a2avault.Attempt{a, late} {
		if err := s.AddAttempt(ctx, one); err != nil {
			t.Fatal(err)
		}
	}
	var won atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			got, err := s.TakeAttempt(ctx, "s", now)
			switch {
			case err == nil && got.Browser == "b" && got.Owner == "ann" && got.Agent == "maps" && got.Task == "t" && got.Sealed == "x":
				won.Add(1)
			case !errors.Is(err, a2avault.ErrNone):
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("taken %d times", won.Load())
	}
	if _, err := s.TakeAttempt(ctx, "late", now); !errors.Is(err, a2avault.ErrNone) {
		t.Errorf("too late: got %v", err)
	}
	if err := s.DropAttempts(ctx, now.Add(time.Hour)); err != nil {
		t.Error(err)
	}
}

// TestAClockThatIsAheadEndsNoRenewal has a replica whose clock is an hour ahead try to renew what
// another one renews. Both would use one refresh token.
func TestAClockThatIsAheadEndsNoRenewal(t *testing.T) {
	db, err := store.Open(t.Context(), oauthtest.PostgresSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r := connect(t, db.Records, "ann", "old")
	if err := db.Records.ClaimRenewal(t.Context(), r, "one", now, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := db.Records.ClaimRenewal(t.Context(), r, "other", now.Add(time.Hour), time.Minute); !errors.Is(err, a2avault.ErrChanged) {
		t.Errorf("got %v, want ErrChanged", err)
	}
	if err := db.Records.SaveRenewal(t.Context(), r, "one"); err != nil {
		t.Error(err)
	}
}
