// Package compression compresses the answers that browsers read: pages, style sheets, scripts and the
// description of the API. Streams and files are left alone, and so is what the protocols answer.
package compression

import (
	"bytes"
	"crypto/sha256"
	"io"
	"net/http"
	"strings"

	"github.com/gorilla/mux"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzhttp/writer"
	"github.com/klauspost/compress/gzhttp/writer/gzkp"

	"rialto/internal/lru"
)

// Compression compresses answers. Make it with New.
type Compression struct {
	Pages  mux.MiddlewareFunc // compresses each answer, if that is safe for pages of a person
	Public mux.MiddlewareFunc // compresses an answer once, and keeps it: for what is the same for everybody
}

// New returns what compresses with gzip, and pages with zstd as well.
func New() (*Compression, error) {
	types := gzhttp.ContentTypes([]string{
		"text/html",
		"text/css",
		"text/javascript",
		"image/svg+xml",
		"application/json",
	})
	pages, err := gzhttp.NewWrapper(types)
	if err != nil {
		return nil, err
	}

	kept := &compressedAnswers{Max: maxCompressed}
	factory := writer.GzipWriterFactory{
		Levels: gzkp.Levels,
		New: func(out io.Writer, level int) writer.GzipWriter {
			return &keptWriter{out: out, level: level, kept: kept}
		},
	}
	public, err := gzhttp.NewWrapper(types, gzhttp.EnableZstd(false), gzhttp.Implementation(factory))
	if err != nil {
		return nil, err
	}

	return &Compression{
		Pages:  forPages(func(next http.Handler) http.Handler { return pages(next) }),
		Public: func(next http.Handler) http.Handler { return public(next) },
	}, nil
}

// maxCompressed is how many compressed answers are kept. The longest takes 25 KB.
const maxCompressed = 100

// compressedAnswers holds compressed answers by the hash of their text.
type compressedAnswers = lru.Cache[[sha256.Size]byte, []byte]

// keptWriter compresses an answer when it is whole, unless the compressed form is kept: compressing
// the description of the API takes 0.8 ms, and looking it up 0.3 ms.
type keptWriter struct {
	out   io.Writer
	level int
	kept  *compressedAnswers
	whole bytes.Buffer
}

// Write implements writer.GzipWriter.
func (k *keptWriter) Write(p []byte) (int, error) { return k.whole.Write(p) }

// Flush implements writer.GzipWriter. These answers are no streams.
func (k *keptWriter) Flush() error { return nil }

// Close implements writer.GzipWriter.
func (k *keptWriter) Close() error {
	key := sha256.Sum256(k.whole.Bytes())
	compressed, ok := k.kept.Get(key)
	if !ok {
		var b bytes.Buffer
		w := gzkp.NewWriter(&b, k.level)
		_, _ = w.Write(k.whole.Bytes()) // a buffer takes all
		_ = w.Close()
		compressed = b.Bytes()
		k.kept.Put(key, compressed)
	}
	_, err := k.out.Write(compressed)
	return err
}

// forPages lets compress only what is safe of pages of a person.
//
// A page that has a secret and something that an attacker chose tells the secret by its size when
// it is compressed (the BREACH attack). So pages with one-time secrets in their forms (/authorize,
// /signin, /connect/) and all answers to forms, which may have a new secret, are not compressed.
// Neither is a page that another site opened, as the browser says (Sec-Fetch-Site).
func forPages(compress mux.MiddlewareFunc) mux.MiddlewareFunc {
	return func(next http.Handler) http.Handler {
		compressed := compress(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && openedHere(r) && !isStream(r.URL.Path) {
				compressed.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// isStream reports whether a path is that of a stream of events or of a file.
func isStream(path string) bool {
	return strings.HasSuffix(path, "/events") || strings.HasSuffix(path, "/export")
}

// openedHere reports whether the person opened a page, or followed a link of ours.
func openedHere(r *http.Request) bool {
	from := r.Header.Get("Sec-Fetch-Site")
	return from == "same-origin" || from == "none"
}
