package directory_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"rialto/bridge/directory"
)

// silent is a list of no agents in a database that says nothing when it is asked for
// the first time once the list was read, as one behind a connection that has died.
type silent struct {
	directory.AgentStore
	version, asked, read int
}

func (s *silent) AgentsVersion(ctx context.Context) (int64, error) {
	if s.asked++; s.asked == 1 {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	s.version = 2
	return 2, nil
}

func (s *silent) KeptAgents(ctx context.Context) (*directory.StoredAgents, error) {
	if s.read++; s.read == 2 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &directory.StoredAgents{Version: int64(s.version)}, nil
}

func TestADatabaseThatFellSilentIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &silent{version: 1}
		r := &directory.Registry{Store: s, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
		must(t, r.Load(t.Context()))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go r.Run(ctx)
		time.Sleep(time.Minute)
		synctest.Wait()
		if s.asked < 3 || s.read < 3 {
			t.Errorf("the database was asked for the version %d times, for the list %d times", s.asked, s.read)
		}
	})
}
