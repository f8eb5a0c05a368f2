package operator

import (
	"context"

	"rialto/internal/usage"
)

// CallFilter chooses calls. Empty fields do not filter; see Service.ResolveFilter.
type CallFilter struct{ usage.Filter }

// Table implements Query.
func (f *CallFilter) Table() *Table { return tables()["calls"] }

// Read implements Query.
func (f *CallFilter) Read(ctx context.Context, s *Service, span Span) (*Page[any], error) {
	return untyped(s.LatestCalls(ctx, f.Filter, span))
}
