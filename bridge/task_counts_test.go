package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/bridge/directory"
)

// TestRunningTasksAreBounded fills a limit with one task. The next one is refused with the name of the
// setting, through MCP and through A2A, and is not sent. A task that does not fall under the limit
// starts, and when the first one has ended there is room again.
func TestRunningTasksAreBounded(t *testing.T) {
	for setting, c := range map[string]struct {
		limit  func(*bridge.Bridge)
		other  string // user, client and agent of a task that starts nevertheless
		status int
	}{
		"limits.tasks, half for one app":   {func(b *bridge.Bridge) { b.Runner.Limits.TasksPerClient = 1 }, "alice app2 one", http.StatusTooManyRequests},
		"limits.tasks, half for one agent": {func(b *bridge.Bridge) { b.Runner.Limits.TasksPerAgent = 1 }, "alice app1 two", http.StatusTooManyRequests},
		"limits.tasks":                     {func(b *bridge.Bridge) { b.Runner.Limits.Tasks = 1 }, "", http.StatusServiceUnavailable},
	} {
		t.Run(setting, func(t *testing.T) {
			sent, release := make(chan struct{}, 9), make(chan struct{})
			agent := bigAgent(t, 16, sent, release)
			r := newRigWith(t, "", map[string]peer{"one": agent, "two": agent}, func(b *bridge.Bridge) {
				c.limit(b)
				b.Directory.Caller = func(ctx context.Context) directory.Caller {
					user, client, _ := strings.Cut(fmt.Sprint(ctx.Value(userKey{})), " ")
					return directory.Caller{User: user, Client: client}
				}
			})
			send := func(user, agent, message string) *answer {
				return r.callAs(user, "send_task", fmt.Sprintf(`{"agent":%q,"message":%q,"wait":0}`, agent, message), func(string) {})
			}
			first := send("alice app1", "one", "go")
			<-sent
			send("bob app1", "one", "go").refused(t, setting+")")
			_, err := r.Proxy.Agent("one").Send(as(t.Context(), "bob app1"), say("go"))
			var e *a2a.Error
			if !errors.As(err, &e) || e.Code != a2a.RateLimited || e.HTTPStatus != c.status || !strings.Contains(e.Message, setting+")") {
				t.Errorf("got %v, want %s with status %d", err, a2a.RateLimited, c.status)
			}
			if len(sent) != 0 {
				t.Error("a message was sent though its task was refused")
			}
			if c.other != "" {
				user, agent := c.other[:strings.LastIndex(c.other, " ")], c.other[strings.LastIndex(c.other, " ")+1:]
				if got := send(user, agent, "go"); got.IsError || got.TaskID == "" {
					t.Errorf("a task that does not fall under the limit: got %s", got.Text)
				}
			}
			close(release)
			r.callAs("alice app1", "get_task", fmt.Sprintf(`{"task_id":%q,"wait":20}`, first.TaskID), func(string) {}).want(t, a2a.Completed, false)
			r.callAs("alice app1", "send_task", `{"agent":"one","message":"go on"}`, func(string) {}).want(t, a2a.Completed, false)
		})
	}
}
