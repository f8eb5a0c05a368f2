package api

import (
	"net/http"
	"time"

	"rialto/bridge/operator"
	"rialto/internal/usage"
)

// exportUsage writes calls as they were recorded, what they add up to, or what they cost in a month.
func (a operatorAPI) exportUsage(w http.ResponseWriter, r *http.Request) {
	a.export(w, r, "usage", func(f operator.Format) (func(http.ResponseWriter) error, error) {
		var query operator.CallFilter
		if err := setFilters(r, operator.Filters(&query)); err != nil {
			return nil, err
		}
		if month := r.URL.Query().Get("bill"); month != "" {
			lines, err := operator.Bill(r.Context(), a.Operator, month, query.User)
			return func(w http.ResponseWriter) error { return operator.WriteBill(w, f, lines) }, err
		}
		filter, err := a.Operator.ResolveFilter(r.Context(), query.Filter)
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
		sums, err := a.Operator.Usage(
			r.Context(),
			filter,
			by,
			map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour}[every],
		)
		return func(w http.ResponseWriter) error { return operator.WriteSums(w, f, by, sums) }, err
	})
}
