package server

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/internal/slowconn"
	"rialto/oauth"
)

// A client that reads only when it has sent everything once got a reset connection instead of the
// refusal, because the server closed the connection while it was sending.
func TestARefusalReachesAClientThatIsStillSending(t *testing.T) {
	r := newRigWith(t, func(c *config.Config) {
		c.Calls.Connectors = []directory.Connector{{Name: "sales"}}
	})
	token := r.token("alice", oauth.ScopeTools, oauth.ScopePublish)
	for path, want := range map[string]int{
		"/mcp":                     http.StatusRequestEntityTooLarge,
		"/mcp/tools/call":          http.StatusRequestEntityTooLarge,
		"/mcp/sales":               http.StatusUnauthorized,
		"/message:send":            http.StatusNotFound, // there is no agent
		"/api/v1/agents/any/tasks": http.StatusRequestEntityTooLarge,
		"/token":                   http.StatusBadRequest, // it takes a form
		"/register":                http.StatusRequestEntityTooLarge,
		"/nowhere":                 http.StatusNotFound,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			res, err := sendThenRead(r.cfg.Load().URL+path, token, 8<<20)
			if err != nil || res.StatusCode != want {
				t.Errorf("got %v, %v, want %d", res, err, want)
			}
		})
	}
	t.Run("over TLS", func(t *testing.T) {
		srv := httptest.NewUnstartedServer(&outerHandler{
			observer: observer{log: slog.New(slog.DiscardHandler)}, next: http.HandlerFunc(refuses),
		})
		srv.Listener = slowconn.NewListener(srv.Listener)
		srv.StartTLS()
		defer srv.Close()
		res, err := sendThenRead(srv.URL, "", 8<<20)
		if err != nil || res.StatusCode != http.StatusUnauthorized {
			t.Errorf("got %v, %v, want 401", res, err)
		}
	})
}

// sendThenRead posts a body of a size and reads the answer when it has sent all.
func sendThenRead(address, token string, size int) (*http.Response, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if u.Scheme == "https" {
		conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	}
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(
		conn,
		"POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
			"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
		u.RequestURI(), u.Host, token, size, strings.Repeat(" ", size),
	)
	if err != nil {
		return nil, err
	}
	return http.ReadResponse(bufio.NewReader(conn), nil)
}
