// Package loopback receives the answer of an authorization server at an address of this computer
// (RFC 8252, section 7.3).
package loopback

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Path is that of the redirect URI.
const Path = "/callback"

// Answer calls open, which sends the browser to the authorization server, and returns the
// parameters of the first answer at l that is ours; a nil ours takes every answer. The browser then
// shows done. Answer closes l. It fails with the error of open, when l is closed, or when ctx ends.
func Answer(
	ctx context.Context,
	l net.Listener,
	done string,
	ours func(url.Values) bool,
	open func() error,
) (url.Values, error) {
	came := make(chan url.Values, 1)
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			q := r.URL.Query()
			answers := q.Has("code") || q.Has("error")
			foreign := ours != nil && !ours(q)
			if r.URL.Path != Path || !answers || foreign {
				http.NotFound(w, r)
				return
			}
			select {
			case came <- q:
			default: // one answer is enough
			}
			fmt.Fprintln(w, done)
		}),
	}
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(l) }()
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		server.Shutdown(ctx) // lets the browser read the last line
	}()
	if err := open(); err != nil {
		return nil, err
	}

	select {
	case q := <-came:
		return q, nil
	case err := <-stopped:
		return nil, err
	case <-ctx.Done():
		return nil, errors.New("the browser did not come back")
	}
}
