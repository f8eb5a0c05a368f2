package web

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/sanitize"
	"rialto/templates"
)

// Downloads serves documents.DownloadPath: the files of tasks, to everybody with the link. Browsers
// save them: content of agents is never a page of this server. A PDF can be shown, too, at the same
// address with the parameter view.
type Downloads struct{ Site }

// ServeHTTP sends the file whose link follows the path.
func (d *Downloads) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !reads(r) {
		notAllowed(w, "GET, HEAD")
		return
	}

	part, err := d.Bridge.Documents.Download(
		r.Context(), strings.TrimPrefix(r.URL.Path, documents.DownloadPath),
	)
	if err != nil {
		d.writeError(w, r, err)
		return
	}

	sendPart(w, r, part)
}

func sendPart(w http.ResponseWriter, r *http.Request, part *a2a.Part) {
	sendFile(w, r, part.Filename, part.MediaType, bytes.NewReader(part.Content.(a2a.Raw)))
}

func sendFile(w http.ResponseWriter, r *http.Request, name, is string, content io.ReadSeeker) {
	h := w.Header()
	is = mediaType(is)
	how := "attachment"
	policy := "default-src 'none'; sandbox"
	if is == "application/pdf" && r.URL.Query().Has("view") {
		// The viewers of browsers run a PDF apart from our pages: what it sends has no cookies and
		// comes from another site. Safari has none in a sandbox, and Chromium's has styles of its own.
		how = "inline"
		policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
	}
	h.Set("Content-Type", is)
	h.Set("Content-Disposition", disposition(how, name, is))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "private, no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	http.ServeContent(w, r, "", time.Time{}, content)
}

// mediaType returns s if it is a media type, and application/octet-stream otherwise.
func mediaType(s string) string {
	if t, params, err := mime.ParseMediaType(s); err == nil && strings.Contains(t, "/") {
		return mime.FormatMediaType(t, params)
	}
	return "application/octet-stream"
}

// disposition returns a Content-Disposition of a type with a file name (RFC 6266). Without a name
// the browser would take the end of the address, which is the secret of the link.
func disposition(how, name, mediaType string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\`, r) || r < ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, sanitize.Text(name))
	if strings.Trim(name, ". ") == "" {
		name = "file"
	}
	if !extension.MatchString(name) {
		t, _, _ := mime.ParseMediaType(mediaType)
		name += suffixes[t]
	}
	if s := mime.FormatMediaType(how, map[string]string{"filename": name}); s != "" {
		return s
	}

	return how + "; filename=file"
}

// extension is the end of a file's name that says its type. A title may end with a number.
var extension = regexp.MustCompile(`\.[A-Za-z]\w{0,7}$`)

// suffixes are file name extensions.
var suffixes = map[string]string{
	"text/plain":       ".txt",
	"text/csv":         ".csv",
	"text/markdown":    ".md",
	"text/html":        ".html",
	"application/json": ".json",
	"application/pdf":  ".pdf",
	"application/zip":  ".zip",
	"image/png":        ".png",
	"image/jpeg":       ".jpg",
	"image/gif":        ".gif",
	"image/webp":       ".webp",
	"image/svg+xml":    ".svg",
	"audio/mpeg":       ".mp3",
	"audio/wav":        ".wav",
}

func (d *Downloads) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the reader has left
	}
	if d.writeUnavailable(w, r, err) {
		return
	}

	status := http.StatusNotFound
	if !errors.Is(err, documents.ErrNoDownload) {
		status = http.StatusServiceUnavailable
		d.Log.ErrorContext(r.Context(), "a download", "err", err)
	}

	templates.Write(w, r, status, templates.Problem{
		Product: d.Product,
		Title:   "This file can't be downloaded",
		Detail:  "Its link has expired, or its task was deleted.",
		Remedy:  "Ask in the chat that gave you the link to get the task again: the result has a new link.",
	})
}
