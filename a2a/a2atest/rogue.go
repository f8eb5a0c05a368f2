package a2atest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Rogue is a peer that serves what a test wrote down, byte for byte: answers
// that are slow, endless, cut short, malformed or lies.
type Rogue struct {
	// Card is served at the card's well-known place. "" is served as 404.
	Card string

	// Answers are served to calls of the method that is their key, or over
	// HTTP+JSON of the HTTP method and path, in order; the last one again and
	// again. Other methods are answered -32601, other paths 404.
	Answers map[string][]Answer

	mu    sync.Mutex
	calls []Call
}

// Answer is what a Rogue says to a call. In Body, $ID stands for the id of the
// call and $URL for where the Rogue is.
type Answer struct {
	Status int // 0 is 200
	Header http.Header
	Body   string
	Repeat string // written after Body until the client is gone
	Cut    bool   // breaks the connection after Body
	Hold   bool   // says nothing after Body until the client is gone
}

// Call is a call that a Rogue got.
type Call struct {
	Method string
	Params json.RawMessage
	Header http.Header
}

// Serve serves r on a local port until the test ends and returns its URL.
func (r *Rogue) Serve(tb testing.TB) string {
	tb.Helper()
	web := httptest.NewServer(r)
	tb.Cleanup(func() {
		web.CloseClientConnections() // lets what is held go
		web.Close()
	})
	return web.URL
}

// Calls returns the calls so far.
func (r *Rogue) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Call(nil), r.calls...)
}

// ServeHTTP answers as told.
func (r *Rogue) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	here := "http://" + req.Host
	fill := strings.NewReplacer("$URL", here)
	if key := req.Method + " " + req.URL.Path; r.Answers[key] != nil {
		body, err := io.ReadAll(io.LimitReader(req.Body, 1<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.answer(Call{key, body, req.Header}).write(w, req, fill)
		return
	}
	if req.Method == http.MethodGet {
		if r.Card == "" || req.URL.Path != "/.well-known/agent-card.json" {
			http.NotFound(w, req)
			return
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(r.Card, "$URL", here))
		return
	}
	var call struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	if err := json.NewDecoder(req.Body).Decode(&call); err != nil || call.Method == "" {
		http.NotFound(w, req)
		return
	}
	r.answer(Call{call.Method, call.Params, req.Header}).write(w, req, strings.NewReplacer("$ID", string(call.ID), "$URL", here))
}

func (r *Rogue) answer(c Call) Answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	nth := 0
	for _, earlier := range r.calls {
		if earlier.Method == c.Method {
			nth++
		}
	}
	r.calls = append(r.calls, c)
	list := r.Answers[c.Method]
	if len(list) == 0 {
		return Answer{Body: `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"Method not found"}}`}
	}
	return list[min(nth, len(list)-1)]
}

func (a Answer) write(w http.ResponseWriter, req *http.Request, fill *strings.Replacer) {
	for k, vs := range a.Header {
		w.Header()[http.CanonicalHeaderKey(k)] = vs
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	_, err := fill.WriteString(w, a.Body)
	out := http.NewResponseController(w)
	for a.Repeat != "" && err == nil {
		_, err = io.WriteString(w, a.Repeat)
	}
	if a.Cut || a.Hold {
		_ = out.Flush()
	}
	if a.Hold {
		<-req.Context().Done()
	}
	if a.Cut {
		panic(http.ErrAbortHandler) // breaks the connection, and net/http keeps quiet about it
	}
}
