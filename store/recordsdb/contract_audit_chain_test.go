package recordsdb_test

import (
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"rialto/internal/audit"
	"rialto/oauth/oauthtest"
	"rialto/store"
	"rialto/store/recordsdb"
	"rialto/store/storetest"
)

// TestTheAuditLogShowsWhatWasTamperedWith changes rows as an intruder would, beside the program.
func TestTheAuditLogShowsWhatWasTamperedWith(t *testing.T) {
	for name, test := range map[string]struct {
		statement string
		broken    int64 // 0 for none
	}{
		"nothing":                    {`SELECT 1`, 0},
		"a changed field":            {`UPDATE audit SET actor = 'nobody' WHERE seq = 5`, 5},
		"a changed hash":             {`UPDATE audit SET hash = 'x' WHERE seq = 5`, 5},
		"a deleted row":              {`DELETE FROM audit WHERE seq = 5`, 5},
		"the deleted first":          {`DELETE FROM audit WHERE seq = 1`, 1},
		"the deleted last":           {`DELETE FROM audit WHERE seq = 9`, 9},
		"all deleted":                {`DELETE FROM audit`, 1},
		"a deleted and closed place": {`DELETE FROM audit WHERE seq = 5; UPDATE audit SET seq = -seq WHERE seq > 5; UPDATE audit SET seq = -seq - 1 WHERE seq < 0`, 5},
		"two in another order":       {`UPDATE audit SET seq = -4 WHERE seq = 5; UPDATE audit SET seq = 5 WHERE seq = 4; UPDATE audit SET seq = 4 WHERE seq = -4`, 4},
		"an added row":               {`INSERT INTO audit SELECT at, 'new', kind, outcome, actor_id, actor, address, target, detail, 10, hash FROM audit WHERE seq = 9`, 10},
		"a row before the first":     {`INSERT INTO audit SELECT at, 'new', kind, outcome, actor_id, actor, address, target, detail, 0, hash FROM audit WHERE seq = 9`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			eachShared(t, func(t *testing.T, s *recordsdb.Store, direct *sql.DB) {
				write(t, s, 0, 9)
				if _, err := direct.ExecContext(t.Context(), test.statement); err != nil {
					t.Fatal(err)
				}
				c, err := s.VerifyEvents(t.Context())
				var broken *audit.BrokenError
				if test.broken == 0 {
					if err != nil || c.Events != 9 || c.End.Seq != 9 {
						t.Errorf("got %+v, %v", c, err)
					}
				} else if !errors.As(err, &broken) || broken.Seq != test.broken {
					t.Errorf("got %v, want it broken at %d", err, test.broken)
				}
			})
		})
	}
}

// TestAnIntruderCannotComputeTheChain has an intruder who knows the program, but not the key, write the
// chain anew, and cut its end off. Both looked intact.
func TestAnIntruderCannotComputeTheChain(t *testing.T) {
	eachShared(t, func(t *testing.T, s *recordsdb.Store, direct *sql.DB) {
		write(t, s, 0, 3) // by a version without a key
		s.AuditKey = audit.Key("a key of the server")
		write(t, s, 3, 6)
		c, err := s.VerifyEvents(t.Context())
		if err != nil || c.Events != 9 || c.Unkeyed != 3 {
			t.Fatalf("got %+v, %v, want 9 events, 3 of them without a key", c, err)
		}
		end, err := s.EndOfEvents(t.Context())
		if err != nil || end != c.End {
			t.Errorf("got the end %+v, %v, want %+v", end, err, c.End)
		}
		if _, err := s.VerifyEvents(t.Context(), end); err != nil {
			t.Errorf("got %v with the anchor of the end", err)
		}
		if _, err := s.VerifyEvents(t.Context(), audit.ChainEnd{Seq: 5, Hash: "x"}); !brokenAt(err, 5) {
			t.Errorf("got %v, want that event 5 is not the one that was anchored", err)
		}

		cut := `DELETE FROM audit WHERE seq > 7; UPDATE audit_chain SET seq = 7, hash = (SELECT hash FROM audit WHERE seq = 7)`
		if _, err := direct.ExecContext(t.Context(), cut); err != nil {
			t.Fatal(err)
		}
		if _, err := s.VerifyEvents(t.Context()); err != nil {
			t.Errorf("got %v without an anchor", err)
		}
		if _, err := s.VerifyEvents(t.Context(), end); !brokenAt(err, 8) {
			t.Errorf("got %v, want that the events from 8 on are missing", err)
		}

		s.AuditKey = nil // as the intruder, who has the program
		write(t, s, 9, 1)
		s.AuditKey = audit.Key("a key of the server")
		if _, err := s.VerifyEvents(t.Context()); !brokenAt(err, 8) {
			t.Errorf("got %v, want that event 8 has no key", err)
		}
	})
}

// TestAnIntruderCannotGoBackBeforeTheKey has an intruder write the log anew as a version without a key
// would have: after events that were deleted for their age, and from the first event on.
func TestAnIntruderCannotGoBackBeforeTheKey(t *testing.T) {
	eachShared(t, func(t *testing.T, s *recordsdb.Store, direct *sql.DB) {
		s.AuditKey = audit.Key("a key of the server")
		write(t, s, 0, 6)
		end, err := s.EndOfEvents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		forge := func(begin string) {
			t.Helper()
			if _, err := direct.ExecContext(t.Context(), `DELETE FROM audit; UPDATE audit_chain SET `+begin); err != nil {
				t.Fatal(err)
			}
			s.AuditKey = nil
			write(t, s, 20, 9)
			s.AuditKey = audit.Key("a key of the server")
			write(t, s, 30, 1)
		}
		forge(`dropped_seq = seq, dropped_hash = hash`)
		if _, err := s.VerifyEvents(t.Context()); !brokenAt(err, 7) {
			t.Errorf("got %v, want that event 7 has no key", err)
		}
		forge(`seq = 0, hash = '', dropped_seq = 0, dropped_hash = ''`)
		if _, err := s.VerifyEvents(t.Context(), end); !brokenAt(err, 6) {
			t.Errorf("got %v with an anchor, want that event 6 has no key", err)
		}
		forge(`seq = 9, hash = '', dropped_seq = 9, dropped_hash = ''`)
		if _, err := s.VerifyEvents(t.Context(), end); !brokenAt(err, 10) {
			t.Errorf("got %v with an anchor of a deleted event, want that event 10 has no key", err)
		}
	})
}

func brokenAt(err error, seq int64) bool {
	broken, ok := errors.AsType[*audit.BrokenError](err)
	return ok && broken.Seq == seq
}

// TestTheChainOutlivesPruning deletes old events, more and more of them, and writes others.
func TestTheChainOutlivesPruning(t *testing.T) {
	eachShared(t, func(t *testing.T, s *recordsdb.Store, _ *sql.DB) {
		write(t, s, 0, 9)
		for _, step := range []struct{ before, limit, dropped, left int }{{3, 10, 3, 6}, {7, 2, 2, 4}, {100, 10, 4, 0}} {
			n, err := s.DropEvents(t.Context(), now.Add(time.Duration(step.before)*time.Second), step.limit)
			if err != nil || n != step.dropped {
				t.Fatalf("got %d, %v, want %d dropped", n, err, step.dropped)
			}
			if c, err := s.VerifyEvents(t.Context()); err != nil || c.Events != step.left || c.End.Seq != 9 {
				t.Errorf("got %+v, %v, want %d events", c, err, step.left)
			}
		}
		write(t, s, 9, 3)
		if c, err := s.VerifyEvents(t.Context()); err != nil || c.Events != 3 || c.End.Seq != 12 {
			t.Errorf("got %+v, %v, want 3 events up to 12", c, err)
		}
	})
}

// TestReplicasWriteOneChain has eight write at the same time, some of them what was written before.
func TestReplicasWriteOneChain(t *testing.T) {
	eachShared(t, func(t *testing.T, s *recordsdb.Store, _ *sql.DB) {
		var all sync.WaitGroup
		for replica := range 8 {
			all.Go(func() {
				for i := range 10 {
					write(t, s, replica*100+i*4, 5) // one more than the next begins at
				}
			})
		}
		all.Wait()
		if c, err := s.VerifyEvents(t.Context()); err != nil || c.Events != 8*41 || c.End.Seq != 8*41 {
			t.Errorf("got %+v, %v, want %d events", c, err, 8*41)
		}
	})
}

// write writes n events.
func write(t *testing.T, s *recordsdb.Store, first, n int) {
	t.Helper()
	var events []audit.Event
	for i := first; i < first+n; i++ {
		events = append(events, audit.Event{ID: fmt.Sprintf("e%04d", i), At: now.Add(time.Duration(i) * time.Second), Kind: audit.SignIn, Outcome: audit.OK, Actor: "alice"})
	}
	if err := s.AddEvents(t.Context(), events); err != nil {
		t.Error(err)
	}
}

// eachShared runs a test with an empty database of each engine that others can open.
func eachShared(t *testing.T, test func(*testing.T, *recordsdb.Store, *sql.DB)) {
	run := func(driver string, dsn string) {
		db, err := store.Open(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		direct, err := sql.Open(driver, dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer direct.Close()
		test(t, db.Records, direct)
	}
	run("sqlite", storetest.File(t, store.Open))
	t.Run("PostgreSQL", func(t *testing.T) {
		dsn := oauthtest.PostgresSchema(t) + "&default_query_exec_mode=simple_protocol"
		run("pgx", dsn)
	})
}
