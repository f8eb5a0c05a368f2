package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	gomcp "github.com/mark3labs/mcp-go/mcp"
)

// mostFollowed bounds how much one stream follows.
const mostFollowed = 64

// notifications is what a client wants to be told of.
type notifications struct {
	Tools     bool     `json:"toolsListChanged"`
	Lists     bool     `json:"resourcesListChanged"`
	Resources []string `json:"resourceSubscriptions"`
	TaskIDs   []string `json:"taskIds"`
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
		if len(params) > 0 {
			b = append(append(b, params...), ',')
		}
		x.answer.notify(append(b, meta+"}}}"...))
	}
	changes, remove := x.s.listeners.add(x.s.owner(x.principal), x.wantsChange, x.s.mayFollow(x.r.Context())) // none is missed from now on
	defer remove()
	send(string(gomcp.MethodNotificationSubscriptionsAcknowledged), append(append([]byte(`"notifications":{`), agreed...), '}'))
	x.answer.keepAlive()
	ctx, cancel := context.WithTimeout(x.r.Context(), x.s.listenFor())
	defer cancel()
	var all sync.WaitGroup
	for _, f := range feeds {
		all.Go(func() { f(ctx, send) })
	}
	x.s.listeners.serve(ctx, changes, send)
	all.Wait()
	return json.RawMessage(`{"resultType":"complete",` + meta + `,"` + gomcp.MetaKeyServerInfo + `":` + string(x.s.ready.info) + `}}`), nil
}

// feeds returns what follows what the client asked for and may see, and the
// members by which that is acknowledged.
func (x *exchange) feeds() (agreed []byte, feeds []feed, err error) {
	asked := x.params.other().Notifications
	if len(asked.TaskIDs) > mostFollowed || len(asked.Resources) > mostFollowed {
		return nil, nil, invalidParams("one stream can follow %d tasks and as many resources", mostFollowed)
	}
	if len(asked.TaskIDs) > 0 && x.s.Tasks != nil && !x.takesTask() {
		return nil, nil, errTasksUndeclared()
	}
	var members []string
	if x.s.Tasks != nil {
		var ids []string
		ids, feeds = x.taskFeeds(asked.TaskIDs)
		members = appendMember(members, "taskIds", ids)
	}
	if x.s.Changing && asked.Tools {
		members = append(members, `"toolsListChanged":true`)
	}
	if x.s.Changing && x.s.ListResources != nil && asked.Lists {
		members = append(members, `"resourcesListChanged":true`)
	}
	if x.s.Changing && x.s.ready.resources != nil {
		members = appendMember(members, "resourceSubscriptions", asked.Resources)
	}
	return []byte(strings.Join(members, ",")), feeds, nil
}

// appendMember appends a member with the values, if there are any.
func appendMember(members []string, name string, values []string) []string {
	if len(values) == 0 {
		return members
	}
	b, _ := json.Marshal(values) // strings always have a JSON form
	return append(members, `"`+name+`":`+string(b))
}

// wantsChange returns what of a change the client asked to be told.
func (x *exchange) wantsChange(c Change) []Change {
	asked := &x.params.other().Notifications
	switch {
	case c.uri != "":
		return c.among(asked.Resources)
	case c == ToolsChanged() && asked.Tools, c == ResourcesChanged() && asked.Lists:
		return []Change{c}
	}
	return nil
}

// taskFeeds returns what follows those of the tasks that there are, and their
// ids.
func (x *exchange) taskFeeds(asked []string) (ids []string, feeds []feed) {
	for _, id := range asked {
		t, err := x.s.Tasks.Task(x.r.Context(), x.principal, id)
		if err != nil {
			continue // it is not acknowledged
		}
		ids = append(ids, id)
		feeds = append(feeds, func(ctx context.Context, send func(string, []byte)) { x.followTask(ctx, t, send) })
	}
	return ids, feeds
}
