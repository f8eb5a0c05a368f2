package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/mcp/internal/subscription"
	"rialto/mcp/internal/wire"
)

// feed sends what it follows until the context ends. The params are members without braces.
type feed func(ctx context.Context, send func(method string, params []byte))

// listen answers subscriptions/listen: it acknowledges which of the notifications the
// client will get, sends them, and keeps the stream open. It keeps the stream open even
// if there is nothing to send, because some clients reopen an ended stream at once.
func (r *request) listen() (json.RawMessage, error) {
	if !r.TakesStream() {
		return nil, wire.Refuse(
			http.StatusNotAcceptable, "subscriptions/listen is answered with a text/event-stream",
		)
	}

	agreed, feeds, err := r.feeds()
	if err != nil {
		return nil, err
	}
	if err := r.Listen(); err != nil {
		return nil, err
	}

	meta := `"_meta":{"` + gomcp.MetaKeySubscriptionID + `":` + string(r.Message.ID)
	send := func(method string, params []byte) {
		if len(params) > 0 {
			params = append(slices.Clip(params), ',')
		}
		r.Notify(wire.Notification(method, append(params, meta+"}"...)))
	}
	wanted := &r.Params.Other().Notifications
	changes := r.s.built.changes.Subscribe(r.HTTP.Context(), r.Principal, subscription.Filter{
		Tools:     wanted.Tools,
		Resources: wanted.Resources,
		URIs:      wanted.URIs,
	}) // none is missed from now on
	defer changes.Close()
	send(
		string(gomcp.MethodNotificationSubscriptionsAcknowledged),
		fmt.Appendf(nil, `"notifications":{%s}`, agreed),
	)
	r.KeepAlive()
	ctx, cancel := context.WithTimeout(r.HTTP.Context(), r.s.built.endpoint.Limits.ListenFor)
	defer cancel()
	var all sync.WaitGroup
	for _, f := range feeds {
		all.Go(func() { f(ctx, send) })
	}

	changes.Serve(ctx, func(c Change) { send(c.Method, c.Params()) })
	all.Wait()
	return json.RawMessage(
		`{"resultType":"complete",` + meta + `,"` + gomcp.MetaKeyServerInfo + `":` +
			string(r.identity.info) + `}}`,
	), nil
}

// feeds returns the feeds that the client asked for and may see, and the members
// that acknowledge it.
func (r *request) feeds() (agreed string, feeds []feed, err error) {
	wanted := &r.Params.Other().Notifications
	if len(wanted.TaskIDs) > subscription.MaxURIs || len(wanted.URIs) > subscription.MaxURIs {
		return "", nil, wire.InvalidParams(
			"one stream can follow %d tasks and as many resources", subscription.MaxURIs,
		)
	}
	if len(wanted.TaskIDs) > 0 && r.s.Tasks != nil && !r.takesTask() {
		return "", nil, errTasksUndeclared()
	}

	var members []string
	if r.s.Tasks != nil {
		var ids []string
		ids, feeds = r.taskFeeds(wanted.TaskIDs)
		members = appendMember(members, "taskIds", ids)
	}
	if r.s.Changing && wanted.Tools {
		members = append(members, `"toolsListChanged":true`)
	}
	if r.s.Changing && r.s.MoreResources != nil && wanted.Resources {
		members = append(members, `"resourcesListChanged":true`)
	}
	if r.s.Changing && r.s.built.resources != nil {
		members = appendMember(members, "resourceSubscriptions", wanted.URIs)
	}

	return strings.Join(members, ","), feeds, nil
}

// appendMember appends a member with the values, if there are any.
func appendMember(members []string, name string, values []string) []string {
	if len(values) == 0 {
		return members
	}
	b, _ := json.Marshal(values) // strings always have a JSON form
	return append(members, `"`+name+`":`+string(b))
}

// taskFeeds returns a feed for each task that exists, and their ids.
func (r *request) taskFeeds(wanted []string) (ids []string, feeds []feed) {
	for _, id := range wanted {
		t, err := r.s.Tasks.Task(r.HTTP.Context(), r.Principal, id)
		if err != nil {
			continue // it is not acknowledged
		}
		ids = append(ids, id)
		feeds = append(
			feeds,
			func(ctx context.Context, send func(string, []byte)) { r.followTask(ctx, t, send) },
		)
	}
	return ids, feeds
}
