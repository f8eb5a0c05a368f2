package api

import (
	"net/http"

	"rialto/bridge/operator"
	"rialto/internal/audit"
)

func eventFilter(r *http.Request) (f audit.Filter, err error) {
	q := r.URL.Query()
	f = audit.Filter{Kind: audit.Kind(q.Get("kind")), Actor: q.Get("actor"), Target: q.Get("target")}
	if f.Outcome, err = choice(r, "outcome", audit.OK, audit.Failed, audit.Denied); err == nil {
		f.Since, f.Until, err = times(r)
	}
	return f, err
}

func (a operatorAPI) auditLog(r *http.Request) (int, any, error) {
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

// exportAudit writes the audit log.
func (a operatorAPI) exportAudit(w http.ResponseWriter, r *http.Request) {
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
