package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"
)

// listen answers subscriptions/listen: it acknowledges that the client will be
// told of none of the changes it asked for, since nothing here changes, and
// then keeps the stream open. Ending it at once would be as right, but there
// are clients that open it again as soon as it ends.
func (x *exchange) listen() (json.RawMessage, error) {
	if !x.answer.takes.stream {
		return nil, faultf(http.StatusNotAcceptable, codeServer, "subscriptions/listen is answered with a text/event-stream")
	}
	if !x.s.listens.enter(x.principal, or(x.s.MaxListens, 16)) {
		x.answer.w.Header().Set("Retry-After", "60")
		return nil, faultf(http.StatusTooManyRequests, codeServer, "too many open subscriptions")
	}
	x.place.leave(x.principal)
	x.place = &x.s.listens

	id := string(x.req.ID)
	x.answer.notify([]byte(`{"jsonrpc":"2.0","method":"` + string(gomcp.MethodNotificationSubscriptionsAcknowledged) +
		`","params":{"notifications":{},"_meta":{"` + gomcp.MetaKeySubscriptionID + `":` + id + `}}}`))
	x.answer.keepAlive()
	ctx, cancel := context.WithTimeout(x.r.Context(), or(x.s.ListenFor, time.Hour))
	defer cancel()
	<-ctx.Done()
	return json.RawMessage(`{"resultType":"complete","_meta":{"` + gomcp.MetaKeySubscriptionID + `":` + id +
		`,"` + gomcp.MetaKeyServerInfo + `":` + string(x.s.ready.info) + `}}`), nil
}
