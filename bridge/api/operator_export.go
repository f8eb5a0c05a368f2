package api

import (
	"net/http"

	"rialto/bridge/operator"
)

// exportFrom reads where an export goes on that was cut at its bound.
func exportFrom(r *http.Request) (string, error) {
	from := r.URL.Query().Get("page_token")
	return from, operator.Span{Cursor: from}.Check()
}

// export answers with a file. An error in the request is answered as usual; a later
// error aborts the response, so that the client sees that the file is not whole.
func (a operatorAPI) export(
	w http.ResponseWriter,
	r *http.Request,
	name string,
	prepare func(operator.Format) (func(http.ResponseWriter) error, error),
) {
	err := a.Callers.Allow(w.Header(), r)
	var format operator.Format
	var body func(http.ResponseWriter) error
	if err == nil {
		format, err = choice(r, "format", operator.CSV, operator.JSON)
	}
	if format == "" {
		format = operator.JSON
	}
	if err == nil {
		body, err = prepare(format)
	}
	if err != nil {
		a.writeError(w, r, err)
		return
	}

	format.SetHeader(w.Header(), name)
	if err := body(w); err != nil {
		if r.Context().Err() == nil { // or who asked has left
			a.Log.ErrorContext(r.Context(), "api: export cut off", "path", r.URL.Path, "err", err)
		}
		panic(http.ErrAbortHandler)
	}
}
