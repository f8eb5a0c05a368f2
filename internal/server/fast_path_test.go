package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gorilla/mux"
)

func TestTheRouterIsAskedForAllButPostsToPathsThatItHasFound(t *testing.T) {
	asked := 0
	r := mux.NewRouter().SkipClean(true).UseEncodedPath()
	r.Path("/mcp").MatcherFunc(func(*http.Request, *mux.RouteMatch) bool { asked++; return true }).
		HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	h := direct(r, "/mcp", "/nothing")
	for _, c := range []struct {
		method, path string
		status       int
		asks         bool
	}{
		{"POST", "/mcp", http.StatusAccepted, false},
		{"POST", "/mcp?a=b", http.StatusAccepted, false},
		{"GET", "/mcp", http.StatusAccepted, true},
		{"POST", "/%6dcp", http.StatusNotFound, false}, // to the router another path
		{"POST", "/mcp/", http.StatusNotFound, false},
		{"POST", "/nothing", http.StatusNotFound, false},
	} {
		asked = 0
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.status || asked > 0 != c.asks {
			t.Errorf("%s %s: got %d, asked %d times", c.method, c.path, w.Code, asked)
		}
	}
}
