package server

import (
	"net/http"
	"net/url"

	"github.com/gorilla/mux"
)

// direct serves r, and POST requests to some paths without asking it again which
// route is theirs. The router tries the pattern of one route after the other, and
// copies the request to note what it found. That is dear for paths that nearly all
// requests are for. Their routes have no variables, and for POST no conditions.
func direct(r *mux.Router, paths ...string) http.Handler {
	found := make(map[string]http.Handler, len(paths))
	for _, path := range paths {
		var m mux.RouteMatch
		if r.Match(&http.Request{Method: http.MethodPost, URL: &url.URL{Path: path}}, &m) && m.MatchErr == nil {
			found[path] = m.Handler
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodPost && req.URL.RawPath == "" { // written as it is
			if h := found[req.URL.Path]; h != nil {
				h.ServeHTTP(w, req)
				return
			}
		}
		r.ServeHTTP(w, req)
	})
}
