package api

import (
	"net/http"

	"rialto/bridge/operator"
)

// exportAudit writes the audit log.
func (a operatorAPI) exportAudit(w http.ResponseWriter, r *http.Request) {
	a.export(w, r, "audit", func(f operator.Format) (func(http.ResponseWriter) error, error) {
		var query operator.EventFilter
		if err := setFilters(r, operator.Filters(&query)); err != nil {
			return nil, err
		}
		from, err := exportFrom(r)
		return func(w http.ResponseWriter) error {
			return operator.WriteEvents(w, f, a.Operator.AllEvents(r.Context(), query.Filter, from))
		}, err
	})
}
