package e2e

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
)

// TestALongTaskReachesAnImpatientClient has an agent work five times as long as
// its client waits for an answer, while something breaks. The result arrives
// each time, and the message is sent once. RIALTO_LONG_TASK says how long the
// agent works; with 5m the client has the 60 seconds of the chat apps.
func TestALongTaskReachesAnImpatientClient(t *testing.T) {
	t.Parallel()
	long, err := time.ParseDuration(os.Getenv("RIALTO_LONG_TASK"))
	if err != nil {
		long = 5 * time.Second
	}
	for _, c := range []struct {
		name     string
		replicas int // more than one need PostgreSQL
		happens  func(*testing.T, *world)
	}{
		{"nothing breaks", 1, func(*testing.T, *world) {}},
		{"the server is killed and comes back", 1, func(t *testing.T, w *world) {
			w.servers[0].kill()
			w.servers[0] = w.servers[0].again(t)
		}},
		{"the agent goes away and comes back", 1, func(t *testing.T, w *world) {
			address := w.agent.server.Listener.Addr().String()
			w.agent.vanish()
			w.agent.appear(t, address)
		}},
		{"the one of two servers is killed that follows the task", 2, func(_ *testing.T, w *world) {
			w.servers[0].kill()
			w.servers = w.servers[1:]
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			database := filepath.Join(t.TempDir(), "rialto.db")
			if c.replicas > 1 {
				database = oauthtest.PostgresSchema(t)
			}
			w := &world{agent: newCountingAgent(t), handles: map[string]given{}}
			w.serve(t, database, c.replicas)
			client := impatient{w, long / 5}
			const message = "long work"
			first := client.call(t, "send_task", map[string]any{"message": message, "message_id": message})
			if first.State != "working" {
				t.Fatalf("the agent is at work: got %+v", first)
			}
			finish := time.AfterFunc(long, w.agent.finish) // from when it is at work: that ends what has begun
			defer finish.Stop()
			c.happens(t, w)
			got := first
			for deadline := time.Now().Add(long + 2*time.Minute); got.State == "working" && time.Now().Before(deadline); {
				got = client.call(t, "get_task", map[string]any{"task_id": first.ID})
			}
			if n := w.agent.count(message); got.ID != first.ID || got.State != "completed" || got.Message != "the answer to "+message || n != 1 {
				t.Errorf("got %+v after the agent heard %d times of it, want the answer after once", got, n)
			}
		})
	}
}

// impatient is a client that gives a call up after its limit, and makes it
// again. It asks the server to answer before that.
type impatient struct {
	*world
	limit time.Duration
}

func (c impatient) call(t *testing.T, tool string, args map[string]any) task {
	t.Helper()
	args["wait"] = (c.limit * 3 / 4).Seconds()
	for {
		ctx, cancel := context.WithTimeout(t.Context(), c.limit)
		got, err := attempt(ctx, c.servers[0].URL, c.token, tool, args)
		cancel()
		if err == nil {
			return got
		}
		if !errors.Is(err, context.DeadlineExceeded) || t.Context().Err() != nil {
			t.Fatalf("%s: %v", tool, err)
		}
	}
}
