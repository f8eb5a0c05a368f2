package static_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rialto/static"
)

func get(t *testing.T, method, target string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	static.Brand{}.Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestFilesAreServedWithTheirTypeAndNotSniffed(t *testing.T) {
	for name, want := range map[string]string{
		"style.css":   "text/css; charset=utf-8",
		"docs.css":    "text/css; charset=utf-8",
		"console.css": "text/css; charset=utf-8",
		"live.js":     "text/javascript; charset=utf-8",
		"consent.js":  "text/javascript; charset=utf-8",
		"continue.js": "text/javascript; charset=utf-8",
		"upload.js":   "text/javascript; charset=utf-8",
		"copy.js":     "text/javascript; charset=utf-8",
		"task.js":     "text/javascript; charset=utf-8",
		"logo.svg":    "image/svg+xml",
	} {
		resp := get(t, "GET", static.URL(name))
		if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != want {
			t.Errorf("%s: got %d %q, want 200 %q", name, resp.StatusCode, resp.Header.Get("Content-Type"), want)
		}
		if got := resp.Header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s: X-Content-Type-Options: got %q, want nosniff", name, got)
		}
	}
}

func TestOnlyTheAddressWithTodaysHashIsKeptForEver(t *testing.T) {
	for target, immutable := range map[string]bool{
		static.URL("style.css"):            true,
		"/static/style.css":                false,
		"/static/style.css?v=anolderhash0": false,
	} {
		resp := get(t, "GET", target)
		got := resp.Header.Get("Cache-Control")
		if resp.StatusCode != 200 || strings.Contains(got, "immutable") != immutable {
			t.Errorf("%s: got %d %q, want 200 and immutable %v", target, resp.StatusCode, got, immutable)
		}
	}
}

func TestAFileThatTheBrowserHasIsNotSentAgain(t *testing.T) {
	etag := get(t, "GET", "/static/style.css").Header.Get("ETag")
	if resp := get(t, "GET", "/static/style.css", "If-None-Match", etag); resp.StatusCode != http.StatusNotModified {
		t.Errorf("got %d, want 304", resp.StatusCode)
	}
}

func TestWhatIsNotAFileIsRefused(t *testing.T) {
	for _, c := range []struct {
		name, method, target string
		want                 int
	}{
		{"an unknown file", "GET", "/static/nothing.css", 404},
		{"the folder itself", "GET", "/static/", 404},
		{"a way out of the folder", "GET", "/static/../static.go", 404},
		{"a method that writes", "POST", "/static/style.css", 405},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := get(t, c.method, c.target).StatusCode; got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestURLOfAMissingFilePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("got an address, want a panic")
		}
	}()
	static.URL("nothing.css")
}
