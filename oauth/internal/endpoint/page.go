package endpoint

import (
	"errors"
	"net/http"

	"rialto/oauth"
)

// BadLink refuses a link or form that cannot be used.
func BadLink(code string, status int, detail string) *oauth.Problem {
	return &oauth.Problem{
		Code:   code,
		Status: status,
		Title:  "This link does not work",
		Detail: detail,
		Remedy: "Go back to the app and start again. If it happens again, remove the connection there and add it anew.",
	}
}

// Description returns what an *oauth.Error says.
func Description(err error) string {
	if e, ok := errors.AsType[*oauth.Error](err); ok {
		return e.Description
	}
	return "The request is not well formed."
}

// PageForm reads the form of one of our pages, posted from that page.
func (env *Env) PageForm(w http.ResponseWriter, r *http.Request, several ...string) (Form, error) {
	if err := env.CheckOrigin(r); err != nil {
		return nil, err
	}
	return ReadForm(w, r, several...)
}

// CrossSite refuses a request that another site may have sent.
func CrossSite() *oauth.Problem {
	return &oauth.Problem{
		Code:   "cross_site",
		Status: http.StatusForbidden,
		Title:  "This request did not come from our page",
		Detail: "Another site may have sent it, or your browser keeps no cookies.",
		Remedy: "Go back to the app and start again.",
	}
}

// CheckOrigin refuses a request that another site sent.
func (env *Env) CheckOrigin(r *http.Request) error {
	if env.csrf.Check(r) != nil {
		return CrossSite()
	}
	return nil
}
