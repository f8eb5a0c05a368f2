package web_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/runner"
	"rialto/bridge/web"
	"rialto/mcp"
	"rialto/store"
	"rialto/store/storetest"
)

// newDownloads returns the handler, and the path of a file that an agent made, in an artifact with a name.
func newDownloads(t *testing.T, file a2a.Part, name ...string) (http.Handler, string) {
	db, err := store.Open(t.Context(), storetest.File(t, store.Open))
	if err != nil {
		t.Fatal(err)
	}
	maker := agent{&a2aexec.Executor{Run: func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Artifact(a2a.Artifact{Name: strings.Join(name, ""), Parts: []a2a.Part{file}})
		return nil
	}}}
	log := slog.New(slog.DiscardHandler)
	b := bridge.New(&runner.Runner{
		Ledger: db.Ledger, Lists: db.Ledger, Leases: db.Ledger, Replica: "r", Now: time.Now, Log: log,
		Directory: &directory.Directory{
			Initial: []directory.AgentConfig{{Name: "maker"}}, URL: "https://rialto.test", Now: time.Now, Log: log,
			Caller: func(context.Context) directory.Caller { return directory.Caller{User: "alice"} },
			Dialer: dialFunc(func(context.Context, directory.AgentConfig) (directory.Conn, error) { return maker, nil }),
		},
	}, &documents.Service{Downloads: &documents.Downloads{Key: make([]byte, 32), TTL: time.Hour}}, nil)
	b.Start()
	t.Cleanup(func() { b.Close(); maker.Close(); db.Close() })
	for _, tool := range b.Tools.List() {
		if tool.Name == "send_task" {
			res, err := tool.Call(t.Context(), &mcp.Call{Arguments: json.RawMessage(`{"message":"go"}`), Progress: func(string) {}})
			if err != nil {
				t.Fatal(err)
			}
			link := res.Structured.(*documents.TaskInfo).Artifacts[0].Parts[0].URL
			return &web.Downloads{Site: web.Site{Product: "Rialto", Bridge: b, Log: log}}, strings.TrimPrefix(link, b.Directory.URL)
		}
	}
	t.Fatal("there is no send_task")
	return nil, ""
}

func TestAFileIsSavedAndNeverShown(t *testing.T) {
	h, path := newDownloads(t, a2a.Part{
		Content: a2a.Raw("<script>alert(1)</script>" + strings.Repeat(" ", 50_000)), MediaType: "text/html; charset=utf-8", Filename: "../\"evil\"\r\nSet-Cookie: a=b.html",
	})
	w := get(h, "GET", path)
	header := w.Header()
	if w.Code != http.StatusOK || w.Body.Len() != 50_025 {
		t.Fatalf("got %d with %d bytes", w.Code, w.Body.Len())
	}
	for name, want := range map[string]string{
		"Content-Type":            "text/html; charset=utf-8",
		"X-Content-Type-Options":  "nosniff",
		"Content-Security-Policy": "default-src 'none'; sandbox",
		"Cache-Control":           "private, no-store",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment; filename=") || strings.ContainsAny(got, "/\r\n") {
		t.Errorf("got the disposition %q", got)
	}
	if w := get(h, "HEAD", path); w.Code != http.StatusOK || w.Body.Len() != 0 {
		t.Errorf("HEAD: got %d with %d bytes", w.Code, w.Body.Len())
	}
	if w := get(h, "POST", path); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: got %d", w.Code)
	}
	if w := get(h, "GET", path+"x"); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "can&#39;t be downloaded") {
		t.Errorf("another link: got %d", w.Code)
	}
}

// TestAPDFAloneIsShown asks to see files, as the link of a page does.
func TestAPDFAloneIsShown(t *testing.T) {
	for mediaType, want := range map[string]string{
		"application/pdf": "inline", "text/html": "attachment", "image/svg+xml": "attachment", "application/pdf; charset=x": "attachment", "": "attachment",
	} {
		h, path := newDownloads(t, a2a.Part{Content: a2a.Raw("%PDF-1.7"), MediaType: mediaType, Filename: "a.pdf"})
		seen, saved := get(h, "GET", path+"?view").Header(), get(h, "GET", path).Header()
		if got := seen.Get("Content-Disposition"); got != want+"; filename=a.pdf" {
			t.Errorf("%q: got %s, want %s", mediaType, got, want)
		}
		if strings.Contains(seen.Get("Content-Security-Policy"), "sandbox") != (want == "attachment") || seen.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%q: got %v", mediaType, seen)
		}
		if got := saved.Get("Content-Disposition"); got != "attachment; filename=a.pdf" {
			t.Errorf("%q without view: got %s", mediaType, got)
		}
	}
}

// TestAReaderThatLeavesIsNoError cancels a download. It was logged as an error.
func TestAReaderThatLeavesIsNoError(t *testing.T) {
	h, path := newDownloads(t, a2a.Part{Content: a2a.Raw("x")})
	var logged strings.Builder
	h.(*web.Downloads).Log = slog.New(slog.NewTextHandler(&logged, nil))
	ctx, leave := context.WithCancel(t.Context())
	leave()
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", path, nil))
	if logged.Len() > 0 {
		t.Errorf("got %s in the log", &logged)
	}
}

// TestAFileIsSavedUnderTheNameThatIsRead gives a program a name that reads as that of
// a picture.
func TestAFileIsSavedUnderTheNameThatIsRead(t *testing.T) {
	h, path := newDownloads(t, a2a.Part{Content: a2a.Raw("x"), Filename: "a\u202egnp.exe"})
	if got := get(h, "GET", path).Header().Get("Content-Disposition"); got != "attachment; filename=agnp.exe" {
		t.Errorf("got %s", got)
	}
}

func TestAFileOfNoKnownTypeIsBytes(t *testing.T) {
	h, path := newDownloads(t, a2a.Part{Content: a2a.Raw("x"), MediaType: "text/html\r\nX: y", Filename: ".."})
	w := get(h, "GET", path)
	if got := w.Header(); got.Get("Content-Type") != "application/octet-stream" || got.Get("Content-Disposition") != "attachment; filename=file" {
		t.Errorf("got %v", got)
	}
}

// TestAFileWithoutANameGetsOne checks that a browser does not name a file after the end
// of its address, which is the secret of the link.
func TestAFileWithoutANameGetsOne(t *testing.T) {
	for mediaType, want := range map[string]string{"text/csv; charset=utf-8": "file.csv", "IMAGE/PNG": "file.png", "": "file", "application/x-odd": "file"} {
		for _, name := range []string{"", "...", " ", "\u202e"} {
			h, path := newDownloads(t, a2a.Part{Content: a2a.Raw("x"), MediaType: mediaType, Filename: name})
			want := want
			if name == "" { // it is called after the request
				want = strings.Replace(want, "file", "go", 1)
			}
			if got := get(h, "GET", path).Header().Get("Content-Disposition"); got != "attachment; filename="+want {
				t.Errorf("%q of type %q: got %s, want %s", name, mediaType, got, want)
			}
		}
	}
}

// TestADownloadIsCalledAsItsArtifact downloads a text of an artifact that has a name.
func TestADownloadIsCalledAsItsArtifact(t *testing.T) {
	for name, want := range map[string]string{
		"Claims by cause": `attachment; filename="Claims by cause.txt"`,
		"claims 1.2":      `attachment; filename="claims 1.2.txt"`,
		"claims.md":       "attachment; filename=claims.md",
	} {
		h, path := newDownloads(t, a2a.Part{Content: a2a.Raw("Three."), MediaType: "text/plain"}, name)
		if got := get(h, "GET", path).Header().Get("Content-Disposition"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
