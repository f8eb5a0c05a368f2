package console

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"rialto/templates"
)

// formAction handles a form. It returns the address to redirect to, or a page to show
// instead, such as the form with an error.
type formAction func(w http.ResponseWriter, r *http.Request, f url.Values) (to string, again *templates.Console, err error)

func (c *Console) do(a area, d formAction) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), pageTimeout)
		defer cancel()
		c.answer(w, r.WithContext(ctx), a, d)
	}
}

func (c *Console) answer(w http.ResponseWriter, r *http.Request, a area, d formAction) {
	f, err := readForm(w, r)
	if err != nil {
		c.writeError(w, r, err)
		return
	}
	to, again, err := d(w, r, f)
	switch {
	case err != nil:
		c.writeError(w, r, err)
	case again != nil:
		status := http.StatusOK
		if again.Failed != nil || wrong(again) {
			status = http.StatusUnprocessableEntity
		}
		c.write(w, r, status, a, *again)
	default:
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}

// wrong reports whether a form of the page has an error.
func wrong(p *templates.Console) bool {
	return slices.ContainsFunc(p.Sections, func(s templates.Section) bool { return s.Form != nil && s.Form.Error != nil })
}

// errForm says that a request has no valid form.
var errForm = errors.New("not a valid form")

// readForm reads the form in the body, and ignores the address, which another site may
// have chosen. It normalizes line breaks and refuses other control characters.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		return nil, errForm
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return nil, errForm
	}
	for name, values := range r.PostForm {
		for i, v := range values {
			values[i] = strings.ReplaceAll(v, "\r\n", "\n")
			if !clean(values[i]) || !clean(name) {
				return nil, errForm
			}
		}
	}
	return r.PostForm, nil
}

func clean(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f })
}
