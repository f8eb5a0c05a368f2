package oauthbench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strconv"
	"sync"
)

// names are those of the servers, in the order of the table.
var names = []string{"rialto", "fosite"}

const (
	clientScope = "mcp:tools"
	callback    = "http://127.0.0.1:1/callback"

	// The vector of RFC 7636 appendix B.
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// peer is a server under measurement.
type peer interface {
	// client returns the ID of a public client.
	client() string
	// code returns a code that waits to be redeemed. It is not measured.
	code(ctx context.Context) (string, error)
	// token serves the token endpoint.
	token() http.Handler
	// first serves a resource for tokens that the server has not seen.
	first() http.Handler
	// again serves the resource for tokens that it has seen.
	again() http.Handler
	// forget makes the server forget which tokens it has seen.
	forget(ctx context.Context) error
}

// serve runs one peer until the process is killed.
func serve(ctx context.Context, name, dsn, addr string) error {
	open := map[string]func(context.Context, string, string) (peer, error){"rialto": openRialto, "fosite": openFosite}[name]
	if open == nil {
		return fmt.Errorf("there is no server %q", name)
	}
	p, err := open(ctx, "http://"+addr, dsn)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("POST /token", p.token())
	mux.Handle("POST /first", p.first())
	mux.Handle("POST /again", p.again())
	mux.HandleFunc("GET /codes", func(w http.ResponseWriter, r *http.Request) { prepare(w, r, p) })
	mux.HandleFunc("POST /forget", func(w http.ResponseWriter, r *http.Request) {
		if err := p.forget(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		resource(w, r)
	})
	return http.ListenAndServe(addr, mux)
}

// prepared is what the load needs.
type prepared struct {
	Client string
	Codes  []string
}

// prepare makes as many codes as it is asked for.
func prepare(w http.ResponseWriter, r *http.Request, p peer) {
	n, err := strconv.Atoi(r.URL.Query().Get("n"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	made := prepared{Client: p.client(), Codes: make([]string, n)}
	errs := make([]error, 8)
	var all sync.WaitGroup
	for worker := range errs {
		all.Go(func() {
			for i := worker; i < n && errs[worker] == nil; i += len(errs) {
				made.Codes[i], errs[worker] = p.code(r.Context())
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	if err := p.forget(r.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	debug.FreeOSMemory() // what this took is not the server's
	json.NewEncoder(w).Encode(made)
}

// answer calls a handler without a network between.
func answer(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// resource is what a token opens.
var resource = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("{}")) })
