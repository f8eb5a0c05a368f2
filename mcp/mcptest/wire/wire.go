// Package wire checks the messages between an MCP server and its clients against the JSON Schema of
// their revision, and those of extensions (tasks, skills and events) against the extension's text. Tests put it in
// front of a server; it changes nothing and refuses nothing.
package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"rialto/internal/sse"
	"rialto/mcp"
)

// mostKept bounds what is kept of a request and of a response. Longer ones are not checked.
const mostKept = 1 << 20

// Observer checks what passes through its Handler. The zero value needs only Report.
type Observer struct {
	// Report is called for each invalid message. A request
	// that no schema has is reported if it was answered as if it were one.
	Report func(problem string)
	// Tolerated tells whether a request that violates the schema may be answered; nil means no.
	Tolerated func(*http.Request, []byte) bool

	sessions sync.Map // the revision that was agreed on, by session id
}

// Handler returns next, observed.
func (o *Observer) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request bounded
		if r.Body != nil {
			r.Body = struct {
				io.Reader
				io.Closer
			}{io.TeeReader(r.Body, &request), r.Body}
		}
		header := r.Header.Clone() // before it can be changed
		answer := &recorder{ResponseWriter: w, status: http.StatusOK}
		defer func() { // also of a handler that panics
			challenged := answer.Header().Get("WWW-Authenticate") != "" // which is OAuth, and no message
			if !request.over && !answer.body.over && !challenged {
				o.observe(r, header, request.Bytes(), answer)
			}
		}()
		next.ServeHTTP(answer, r)
	})
}

// bounded keeps what is written, until it is too much.
type bounded struct {
	bytes.Buffer
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.over = b.over || b.Len()+len(p) > mostKept; !b.over {
		b.Buffer.Write(p)
	}
	return len(p), nil
}

// recorder passes an answer on and keeps a copy.
type recorder struct {
	http.ResponseWriter
	status int
	body   bounded
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	r.body.Write(p)
	return r.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (o *Observer) observe(r *http.Request, header http.Header, request []byte, a *recorder) {
	var asked message
	malformed := json.Unmarshal(request, &asked)
	messages := Messages(a.Header().Get("Content-Type"), a.body.Bytes())
	revision := o.revision(header, &asked)
	if asked.Method == "initialize" && len(messages) == 1 {
		revision = o.agreed(a.Header().Get("Mcp-Session-Id"), messages[0], revision)
	}
	said := func(m []byte) string { return fmt.Sprintf("%s\n(%s, in answer to %s)", m, revision, request) }
	refused := a.status >= 400
	for _, m := range messages {
		var got message
		_ = json.Unmarshal(m, &got) // Check reports invalid JSON
		refused = refused || got.Error != nil
		if err := Check(revision, m, request); err != nil {
			o.Report(fmt.Sprintf("the server said what it must not: %v\n%s", err, said(m)))
		}
	}
	if refused || r.Method != http.MethodPost {
		return
	}
	err := malformed
	if err == nil {
		err = Check(revision, request, nil)
	}
	if err != nil && (o.Tolerated == nil || !o.Tolerated(r, request)) {
		o.Report(fmt.Sprintf("the server took what no client must say: %v\n%s (%s)", err, request, revision))
	}
}

// revision returns the revision of a message: the one that it names, else that of its
// session, else that of its header.
func (o *Observer) revision(h http.Header, m *message) string {
	if m.Params.Meta.Revision == mcp.Revision20260728 || m.Method == "server/discover" {
		return mcp.Revision20260728
	}
	if agreed, ok := o.sessions.Load(h.Get("Mcp-Session-Id")); ok {
		return agreed.(string)
	}
	said, _, _ := strings.Cut(h.Get("Mcp-Protocol-Version"), ",")
	if _, err := bookOf(said); err == nil && said != mcp.Revision20260728 || m.Method != "initialize" && said == mcp.Revision20260728 {
		return said
	}
	return mcp.Revision20251125
}

// agreed notes the revision that an answer to initialize agrees to.
func (o *Observer) agreed(session string, answer []byte, otherwise string) string {
	var m struct {
		Result struct{ ProtocolVersion string }
	}
	if json.Unmarshal(answer, &m) != nil || m.Result.ProtocolVersion == "" {
		return otherwise
	}
	if session != "" {
		o.sessions.Store(session, m.Result.ProtocolVersion)
	}
	return m.Result.ProtocolVersion
}

// Messages returns the JSON-RPC messages in the body of an answer.
func Messages(contentType string, body []byte) (all [][]byte) {
	switch {
	case strings.HasPrefix(contentType, "application/json") && len(body) > 0:
		return [][]byte{body}
	case !strings.HasPrefix(contentType, sse.ContentType):
		return nil
	}
	for events := sse.NewReader(bytes.NewReader(body)); ; {
		e, err := events.Next()
		if err != nil { // the end, or half an event of a client that disconnected
			return all
		}
		if len(e.Data) > 0 {
			all = append(all, e.Data)
		}
	}
}
