package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

// mostFollowed bounds how much one stream follows.
const mostFollowed = 64

// notifications is what a client wants to be told of.
type notifications struct {
	TaskIDs []string `json:"taskIds"`
}

// feed sends what it follows until the context ends. The params are members
// without braces.
type feed func(ctx context.Context, send func(method string, params []byte))

// listen answers subscriptions/listen: it acknowledges what of it the client
// will be told, tells it, and keeps the stream open. It does so when there is
// nothing to tell as well: ending the stream would be as right, but there are
// clients that open it again as soon as it ends.
func (x *exchange) listen() (json.RawMessage, error) {
	if !x.answer.takes.stream {
		return nil, faultf(http.StatusNotAcceptable, codeServer, "subscriptions/listen is answered with a text/event-stream")
	}
	agreed, feeds, err := x.feeds()
	if err != nil {
		return nil, err
	}
	if !x.s.listens.enter(x.principal, or(x.s.MaxListens, 16)) {
		x.answer.w.Header().Set("Retry-After", "60")
		return nil, faultf(http.StatusTooManyRequests, codeServer, "too many open subscriptions")
	}
	x.place.leave(x.principal)
	x.place = &x.s.listens

	meta := `"_meta":{"` + gomcp.MetaKeySubscriptionID + `":` + string(x.req.ID)
	send := func(method string, params []byte) {
		b := []byte(`{"jsonrpc":"2.0","method":"` + method + `","params":{`)
		x.answer.notify(append(append(append(b, params...), ','), meta+"}}}"...))
	}
	send(string(gomcp.MethodNotificationSubscriptionsAcknowledged), append(append([]byte(`"notifications":{`), agreed...), '}'))
	x.answer.keepAlive()
	ctx, cancel := context.WithTimeout(x.r.Context(), or(x.s.ListenFor, time.Hour))
	defer cancel()
	var all sync.WaitGroup
	for _, f := range feeds {
		all.Go(func() { f(ctx, send) })
	}
	<-ctx.Done()
	all.Wait()
	return json.RawMessage(`{"resultType":"complete",` + meta + `,"` + gomcp.MetaKeyServerInfo + `":` + string(x.s.ready.info) + `}}`), nil
}

// feeds returns what follows what the client asked for and may see, and the
// members by which that is acknowledged.
func (x *exchange) feeds() (agreed []byte, feeds []feed, err error) {
	ids := x.params.Notifications.TaskIDs
	if len(ids) > mostFollowed {
		return nil, nil, invalidParams("one stream can follow %d tasks", mostFollowed)
	}
	if len(ids) > 0 && x.s.Tasks != nil && !x.takesTask() {
		return nil, nil, errTasksUndeclared()
	}
	if x.s.Tasks == nil {
		return nil, nil, nil
	}
	for _, id := range ids {
		t, err := x.s.Tasks.Task(x.r.Context(), x.principal, id)
		if err != nil {
			continue // it is not acknowledged
		}
		if agreed != nil {
			agreed = append(agreed, ',')
		}
		agreed = jsonrpc.AppendString(agreed, id)
		feeds = append(feeds, func(ctx context.Context, send func(string, []byte)) { x.followTask(ctx, t, send) })
	}
	if agreed != nil {
		agreed = append(append([]byte(`"taskIds":[`), agreed...), ']')
	}
	return agreed, feeds, nil
}
