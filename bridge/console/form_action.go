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

	"rialto/bridge/operator"
	"rialto/templates"
)

// form is a form that a user has sent.
type form struct {
	*http.Request
	url.Values
	w  http.ResponseWriter
	by operator.Actor

	to   string             // where the browser goes next
	page *templates.Console // shown instead, such as the form with an error
}

// done sends the browser to an address, with a message of doneTexts, unless err says otherwise.
func (f *form) done(to, message string, err error) error {
	f.to = with(to, "done", message)
	return err
}

// show answers with a page.
func (f *form) show(p *templates.Console) error {
	f.page = p
	return nil
}

// formAction handles a form. It calls done or show.
type formAction func(*form) error

func (c *Console) do(w http.ResponseWriter, r *http.Request, a area, o route) {
	limit := pageTimeout
	if o.slow {
		limit = examination
	}

	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	r = r.WithContext(ctx)
	values, err := readForm(w, r)
	f := &form{
		Request: r,
		Values:  values,
		w:       w,
		by:      c.actor(r),
	}
	switch {
	case err != nil:
	case o.ask != nil && f.Get("confirm") != "yes":
		err = f.askFirst(o.ask)
	case o.fresh:
		err = c.inFreshSession(f, o.form)
	default:
		err = o.form(f)
	}

	switch {
	case err != nil:
		c.writeError(w, r, err)
	case f.page != nil:
		status := http.StatusOK
		switch {
		case w.Header().Get("Retry-After") != "": // the form is refused for now
			status = http.StatusTooManyRequests
		case wrong(f.page):
			status = http.StatusUnprocessableEntity
		}
		c.write(w, r, status, a, f.page)
	default:
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, f.to, http.StatusSeeOther)
	}
}

// wrong reports whether a form of the page has an error.
func wrong(p *templates.Console) bool {
	return slices.ContainsFunc(
		p.Sections, func(s templates.Section) bool { return s.Form != nil && s.Form.Error != nil },
	)
}

// errForm says that a request has no valid form.
var errForm = errors.New("not a valid form")

// readForm reads the form in the body, and ignores the address, which another site may
// have chosen. It normalizes line breaks and refuses other control characters.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if kind, _, _ := mime.ParseMediaType(
		r.Header.Get("Content-Type"),
	); kind != "application/x-www-form-urlencoded" {
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
	return utf8.ValidString(s) &&
		!strings.ContainsFunc(
			s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f },
		)
}
