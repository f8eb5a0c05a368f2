package authserver_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gorilla/mux"

	"rialto/oauth/oauthtest"
)

// TestK11OfTwoCallbacksAtOnceOneGetsOn brings the same answer of the provider
// back several times at once, as a browser does that loads the page again.
func TestK11OfTwoCallbacksAtOnceOneGetsOn(t *testing.T) {
	r, p := newProviderRig(t)
	c := r.newClient("none")
	t.Run("at one process", func(t *testing.T) {
		b := r.browser()
		back := r.visit(b, r.leave(b, c, nil)).String()
		pages := make(chan *oauthtest.Page, 8)
		for range cap(pages) {
			go func() { pages <- b.Get(back) }()
		}
		went := 0
		for range cap(pages) {
			if page := <-pages; page.Has("#continue") {
				went++
				r.ok(r.form("/token", codeForm(c, page.Continue().Query().Get("code"))))
			}
		}
		if went != 1 {
			t.Errorf("got %d that went on, want one", went)
		}
	})
	t.Run("at two", func(t *testing.T) {
		b := r.browser()
		back := r.visit(b, r.leave(b, c, nil))
		cookies := b.Cookies(r.url)
		other := mux.NewRouter()
		r.replica(func(s *setup) { s.Providers = r.s.Pages.Providers.List }).Routes(other)
		// The other one comes while the first is at the provider, with a code
		// that is used by then.
		p.Instead("/token", func(w http.ResponseWriter, req *http.Request) {
			p.Instead("/token", answering(400, `{"error":"invalid_grant"}`))
			late := httptest.NewRequest("GET", back.String(), nil)
			for _, cookie := range cookies {
				late.AddCookie(cookie)
			}
			lost := httptest.NewRecorder()
			other.ServeHTTP(lost, late)
			if lost.Code != 403 {
				t.Errorf("the other one got %d, want 403", lost.Code)
			}
			p.Instead("/token", nil)
			p.ServeHTTP(w, req)
		})
		got := b.Get(back.String()).Continue().Query().Get("code")
		r.ok(r.form("/token", codeForm(c, got)))
	})
}
