// Package templates renders the pages that people see: one struct, one page, in English and
// Spanish. It decides how a page looks and which headers protect it, never what happened: callers
// bring cleaned values, and every value is escaped as the data it is.
package templates

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"rialto/static"
)

// Page is what Write can render: one of the structs of this package.
type Page interface {
	// file is the name of the page's template, without its extension.
	file() string
}

//go:embed html
var sources embed.FS

// parsedTemplates parses a page when it is first shown: all of them take 30 ms and 3 MiB.
var parsedTemplates sync.Map // func() *template.Template by sheetKey

// templateKey is the key of a parsed page.
type templateKey struct {
	language language
	file     string
}

// parsed returns the template of a page.
func parsed(l language, file string) *template.Template {
	parse, _ := parsedTemplates.LoadOrStore(
		templateKey{l, file},
		sync.OnceValue(func() *template.Template {
			files := []string{"html/layout.html", "html/" + file + ".html"}
			if file == "task" { // it stands in the frame of the console
				files = []string{"html/layout.html", "html/console.html", "html/task.html"}
			}
			return template.Must(template.New("").Funcs(functions(l)).ParseFS(sources, files...))
		}),
	)
	return parse.(func() *template.Template)()
}

func functions(l language) template.FuncMap {
	return template.FuncMap{
		"lang":   func() string { return string(l) },
		"static": static.URL,
		// The files that an operator may set have fixed addresses.
		"brandLogo":  func() string { return static.BrandLogo },
		"brandStyle": func() string { return static.BrandStyle },
		"t":          l.text,
		"say":        l.say,
		"known":      l.known,
		"tile":       Tile,
		"minute":     Minute,
		"millis":     Millis,
		"percent":    Percent,
		"text":       func(x Text) template.HTML { return x.in(l) },
	}
}

// layoutData is what the layout shows: a page, and the languages that it can be read in.
type layoutData struct {
	Page      Page
	Languages []languageLink
}

// Write renders page in the language that the request asks for (languageOf) and
// sends it with the headers that protect it. The page is rendered before the first byte
// is sent, so that a half page never leaves the house.
func Write(w http.ResponseWriter, r *http.Request, status int, page Page) {
	if rememberLanguage(w, r) {
		return
	}

	l := languageOf(r)
	var body bytes.Buffer
	if err := parsed(l, page.file()).ExecuteTemplate(&body, "layout", layoutData{page, languageLinks(r, l, page)}); err != nil {
		// Only a mistake in our own templates ends here, and a test renders them all.
		http.Error(w, "The page could not be shown.", http.StatusInternalServerError)
		return
	}

	protect(w.Header(), r, page)
	w.Header().Set("Content-Language", string(l))
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	w.Write(body.Bytes()) // an error here means that the client is gone
}

// policy forbids everything that the pages do not need. Forms go to ourselves only: an injected
// form could otherwise carry a password or a pasted token away. That is why an approval is answered
// by a page (Return) and not by a redirect, which form-action would block.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
	"manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// protect sets the headers that every page carries (RFC 9700 section 4.16, OAuth 2.1 section 7.13).
func protect(h http.Header, r *http.Request, page Page) {
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policyOf(page))
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if isolated(page) {
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
	}

	h.Add("Vary", "Accept-Language, Cookie")
	// RFC 6797 section 7.2: never over plain HTTP. A caller who forges the
	// forwarded header only pins what it itself sees.
	if overTLS(r) {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// policyOf lets pages that search as one types, or follow what happens, ask ourselves for it.
func policyOf(page Page) string {
	switch page.(type) {
	case Console, Docs, Task, Upload:
		return policy + "; connect-src 'self'"
	}
	return policy
}

// overTLS tells whether the browser came over TLS, to us or to a proxy before.
func overTLS(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// isolated reports whether page may be cut off from the window that opened it. Apps that authorize
// in a popup wait for their callback to report through window.opener, and a single page on the way
// with an opener policy ends that for good: the app takes the popup for closed. So the pages on
// that way do without; frame-ancestors and the pause of consent.js stand against the attacks that a
// window handle would help.
func isolated(page Page) bool {
	switch page.(type) {
	case Authorize, Return, Leave, Problem:
		return false
	}
	return true
}
