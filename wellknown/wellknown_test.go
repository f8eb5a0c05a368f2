package wellknown_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gorilla/mux"

	"rialto/wellknown"
)

const path = "/.well-known/oauth-authorization-server/mcp"

func do(t *testing.T, method, target string, header ...string) *http.Response {
	t.Helper()
	r := mux.NewRouter()
	err := wellknown.Mount(r, map[string]any{
		path:                  map[string]any{"issuer": "https://rialto.example"},
		"/.well-known/second": []string{"b"},
		"/document":           []string{"c"},
		"/.well-known/third": wellknown.ByOrigin{
			Default: "anybody", Origins: map[string]any{"https://app.example": "the app"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	req, err := http.NewRequest(method, server.URL+target, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func expect(t *testing.T, resp *http.Response, status int, headers map[string]string) {
	t.Helper()
	if resp.StatusCode != status {
		t.Errorf("got status %d, want %d", resp.StatusCode, status)
	}
	for name, want := range headers {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestADocumentIsServedToAnybody(t *testing.T) {
	resp := do(t, "GET", path, "Origin", "https://elsewhere.example")
	expect(t, resp, 200, map[string]string{
		"Content-Type":                "application/json",
		"Access-Control-Allow-Origin": "*",
		"Cache-Control":               "public, max-age=300",
		"X-Content-Type-Options":      "nosniff",
	})
	var got map[string]string
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || got["issuer"] != "https://rialto.example" {
		t.Errorf("got %v, %v, want the document", got, err)
	}
}

func TestHeadAnswersWithoutABody(t *testing.T) {
	resp := do(t, "HEAD", path)
	expect(t, resp, 200, map[string]string{"Content-Type": "application/json", "Content-Length": "35"})
	if body, _ := io.ReadAll(resp.Body); len(body) != 0 {
		t.Errorf("got body %q, want none", body)
	}
}

func TestADocumentThatTheClientHasIsNotSentAgain(t *testing.T) {
	etag := do(t, "GET", path).Header.Get("ETag")
	expect(t, do(t, "GET", path, "If-None-Match", etag), http.StatusNotModified, nil)
	if other := do(t, "GET", "/.well-known/second").Header.Get("ETag"); other == etag {
		t.Errorf("two documents share the ETag %s", etag)
	}
}

func TestScriptsMayAskFromAnywhere(t *testing.T) {
	resp := do(t, "OPTIONS", path,
		"Origin", "https://elsewhere.example",
		"Access-Control-Request-Method", "GET",
		"Access-Control-Request-Headers", "mcp-protocol-version")
	expect(t, resp, http.StatusNoContent, map[string]string{
		"Access-Control-Allow-Origin":  "*",
		"Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
		"Access-Control-Allow-Headers": "*, Authorization",
	})
}

func TestOtherMethodsAreRefusedAndToldWhichAreNot(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH"} {
		expect(t, do(t, method, path), http.StatusMethodNotAllowed, map[string]string{"Allow": "GET, HEAD, OPTIONS"})
	}
}

func TestAWellKnownURIMayBeInAnyLetterCase(t *testing.T) {
	for _, asked := range []string{"/.well-known/oauth-authorization-server/MCP", "/.well-known/OAuth-Authorization-Server/Mcp"} {
		if got, want := do(t, "GET", asked).Header.Get("ETag"), do(t, "GET", path).Header.Get("ETag"); got != want {
			t.Errorf("%s: got ETag %q, want that of %s", asked, got, path)
		}
	}
	expect(t, do(t, "GET", "/DOCUMENT"), http.StatusNotFound, nil)
}

func TestOtherPathsAreNotOurs(t *testing.T) {
	expect(t, do(t, "GET", path+"/more"), http.StatusNotFound, nil)
	expect(t, do(t, "GET", "/.well-known/"), http.StatusNotFound, nil)
}

func TestADocumentThatIsNoJSONIsRefusedAtTheStart(t *testing.T) {
	if err := wellknown.Mount(mux.NewRouter(), map[string]any{path: make(chan int)}); err == nil {
		t.Error("got no error, want one that names the path")
	}
}

func TestADocumentMayDependOnTheOrigin(t *testing.T) {
	for origin, want := range map[string]string{
		"": `"anybody"`, "https://elsewhere.example": `"anybody"`, "https://app.example": `"the app"`,
	} {
		resp := do(t, "GET", "/.well-known/third", "Origin", origin)
		expect(t, resp, 200, map[string]string{"Vary": "Origin", "Access-Control-Allow-Origin": "*"})
		if body, err := io.ReadAll(resp.Body); err != nil || string(body) != want {
			t.Errorf("%q: got %s, %v, want %s", origin, body, err, want)
		}
	}
}
