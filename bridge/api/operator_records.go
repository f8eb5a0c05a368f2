package api

import (
	"net/http"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/internal/audit"
	"rialto/internal/usage"
)

// times reads "since" and "until".
func times(r *http.Request) (since, until time.Time, err error) {
	q := r.URL.Query()
	if since, err = operator.ParseTime(q.Get("since"), time.Now()); err == nil {
		until, err = operator.ParseTime(q.Get("until"), time.Now())
	}
	return since, until, err
}

func (a *API) everybodysTasks(r *http.Request) (int, any, error) {
	span, err := span(r)
	if err != nil {
		return 0, nil, err
	}
	since, until, err := times(r)
	if err != nil {
		return 0, nil, err
	}
	q := r.URL.Query()
	p, err := a.Operator.Tasks(r.Context(), operator.TaskFilter{
		Span: span, OwnerID: q.Get("owner_id"), Agent: q.Get("agent"), State: a2a.State(q.Get("state")), Since: since, Until: until,
	})
	return page("tasks", p, err)
}

// OwnedTask is a task whole, with whose it is.
type OwnedTask struct {
	Task
	OwnerID  string          `json:"owner_id"`
	ClientID string          `json:"client_id"`
	Created  time.Time       `json:"created"`
	Failure  *ledger.Failure `json:"failure,omitempty"`
}

func newOwnedTask(e *ledger.Record) *OwnedTask {
	t := e.Task
	if t == nil {
		t = &a2a.Task{}
	}
	out := &OwnedTask{Task: *newTask(t, e.Agent), OwnerID: e.Owner, ClientID: e.Client, Created: e.Created, Failure: e.Failure}
	out.ID, out.State, out.Updated, out.Past = e.Handle, e.State(), e.Updated, newPast(e.Revisions)
	return out
}

func (a *API) anyTask(r *http.Request) (int, any, error) {
	e, err := a.Operator.Task(r.Context(), variable(r, "task"))
	if err != nil {
		return 0, nil, err
	}
	return answered(newOwnedTask(e), nil)
}

func (a *API) cancelAny(r *http.Request) (int, any, error) {
	e, err := a.Operator.CancelTask(r.Context(), a.Actor(r), variable(r, "task"))
	if err != nil {
		return 0, nil, err
	}
	return answered(newOwnedTask(e), nil)
}

func (a *API) keys(r *http.Request) (int, any, error) {
	keys, err := a.Operator.Keys(r.Context())
	return answered(map[string]any{"keys": keys}, err)
}

func (a *API) rotateKeys(r *http.Request) (int, any, error) {
	return answered(a.Operator.RotateKeys(r.Context(), a.Actor(r)))
}

func (a *API) settings(*http.Request) (int, any, error) {
	return answered(map[string]any{"settings": a.Operator.Settings()}, nil)
}

func eventFilter(r *http.Request) (f audit.Filter, err error) {
	q := r.URL.Query()
	f = audit.Filter{Kind: audit.Kind(q.Get("kind")), Actor: q.Get("actor"), Target: q.Get("target")}
	if f.Outcome, err = choice(r, "outcome", audit.OK, audit.Failed, audit.Denied); err == nil {
		f.Since, f.Until, err = times(r)
	}
	return f, err
}

func (a *API) auditLog(r *http.Request) (int, any, error) {
	span, err := span(r)
	if err != nil {
		return 0, nil, err
	}
	f, err := eventFilter(r)
	if err != nil {
		return 0, nil, err
	}
	p, err := a.Operator.Events(r.Context(), operator.EventFilter{Span: span, Filter: f})
	return page("events", p, err)
}

// exportUsage writes calls as they were recorded, or what they add up to.
func (a *API) exportUsage(w http.ResponseWriter, r *http.Request) {
	a.export(w, r, "usage", func(f operator.Format) (func(http.ResponseWriter) error, error) {
		filter, err := usageFilter(r)
		if err == nil {
			filter, err = a.Operator.Asked(r.Context(), filter)
		}
		if err != nil {
			return nil, err
		}
		from, err := exportFrom(r)
		if err != nil {
			return nil, err
		}
		by, err := choice(r, "by", usage.Bys...)
		if err != nil {
			return nil, err
		}
		every, err := choice(r, "every", "hour", "day")
		if err != nil {
			return nil, err
		}
		if by == "" && every == "" {
			return func(w http.ResponseWriter) error {
				return operator.WriteCalls(w, f, a.Operator.Calls(r.Context(), filter, from))
			}, nil
		}
		sums, err := a.Operator.Usage(r.Context(), filter, by, map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour}[every])
		return func(w http.ResponseWriter) error { return operator.WriteSums(w, f, by, sums) }, err
	})
}

func usageFilter(r *http.Request) (f usage.Filter, err error) {
	q := r.URL.Query()
	f = usage.Filter{Agent: q.Get("agent"), Tool: q.Get("tool"), UseCase: q.Get("usecase"), Client: q.Get("client"), User: q.Get("user")}
	f.Since, f.Until, err = times(r)
	return f, err
}

// exportAudit writes the audit log.
func (a *API) exportAudit(w http.ResponseWriter, r *http.Request) {
	a.export(w, r, "audit", func(f operator.Format) (func(http.ResponseWriter) error, error) {
		filter, err := eventFilter(r)
		if err != nil {
			return nil, err
		}
		from, err := exportFrom(r)
		return func(w http.ResponseWriter) error {
			return operator.WriteEvents(w, f, a.Operator.AllEvents(r.Context(), filter, from))
		}, err
	})
}

// exportFrom reads where an export goes on that was cut at its bound.
func exportFrom(r *http.Request) (string, error) {
	from := r.URL.Query().Get("page_token")
	return from, operator.Span{Cursor: from}.Check()
}

// export answers with a file. An error in the request is answered as usual; a later
// error aborts the response, so that the client sees that the file is not whole.
func (a *API) export(w http.ResponseWriter, r *http.Request, name string, prepare func(operator.Format) (func(http.ResponseWriter) error, error)) {
	err := a.Allow(r)
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
	h := w.Header()
	h.Set("Content-Type", format.MediaType())
	h.Set("Content-Disposition", `attachment; filename="`+name+"."+string(format)+`"`)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if err := body(w); err != nil {
		if r.Context().Err() == nil { // or who asked has left
			a.Log.ErrorContext(r.Context(), "api: export cut off", "path", r.URL.Path, "err", err)
		}
		panic(http.ErrAbortHandler)
	}
}

// examine has the doctor look at an MCP server.
func (a *API) examine(r *http.Request, in struct {
	URL string `json:"url"`
}) (int, any, error) {
	return answered(a.Operator.Examine(r.Context(), in.URL))
}
