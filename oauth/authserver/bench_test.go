package authserver_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/mux"
)

// post calls the token endpoint without a network between.
func post(b *testing.B, h http.Handler, form params) map[string]string {
	req := httptest.NewRequest("POST", "/token", strings.NewReader(form.encode()))
	req.Header.Set("Content-Type", formType)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	if w.Code != 200 {
		b.Fatalf("got %d %s", w.Code, w.Body)
	}
	var answer struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		b.Fatal(err)
	}
	return map[string]string{"access": answer.Access, "refresh": answer.Refresh}
}

func BenchmarkRefresh(b *testing.B) {
	r := newRig(b)
	c := r.newClient("none")
	m := mux.NewRouter()
	r.s.Routes(m)
	token := r.tokens(c, nil).str("refresh_token")
	for b.Loop() {
		token = post(b, m, refreshForm(c, token))["refresh"]
	}
}

func BenchmarkGuard(b *testing.B) {
	r := newRig(b)
	token := r.tokens(r.newClient("none"), nil).str("access_token")
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	guard := func(b *testing.B, h http.Handler) {
		req := httptest.NewRequest("POST", "/mcp", nil)
		req.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, req); w.Code != 200 {
			b.Fatalf("got %d %s", w.Code, w.Body)
		}
	}
	b.Run("token seen before", func(b *testing.B) {
		h := r.s.Guard.Require(next, "mcp:tools")
		for b.Loop() {
			guard(b, h)
		}
	})
	b.Run("token seen first", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			s := r.replica()
			if err := s.Ready(b.Context()); err != nil {
				b.Fatal(err)
			}
			h := s.Guard.Require(next, "mcp:tools")
			b.StartTimer()
			guard(b, h)
		}
	})
}
