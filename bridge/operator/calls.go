package operator

import (
	"context"

	"rialto/internal/usage"
)

// CallFilter chooses calls. Empty fields do not filter; see Service.ResolveFilter.
type CallFilter struct{ usage.Filter }

// Table implements Query.
func (f *CallFilter) Table() *Table { return tables()["calls"] }

// Filters implements Query. The pages have times of their own.
func (f *CallFilter) Filters() []Filter {
	return append([]Filter{
		{To: &f.Agent, Kind: OfAgent, Param: "agent", Field: "agent", Label: "Agent"},
		{To: &f.User, Kind: OfActor, Param: "user", Field: "user", Label: "Account"},
		{To: &f.Clients, Kind: OfApp, Param: "client", Field: "client", Label: "App"},
		{To: &f.Tool, Kind: Search, Param: "tool", Field: "tool", Label: "Tool"},
		{To: &f.UseCase, Param: "usecase", Field: "usecase"},
		{
			To:    (*string)(&f.Outcome),
			Param: "outcome",
			Open:  true,
			Field: "outcome",
			Label: "Outcome",
			Choices: []Choice{
				{string(usage.OK), "Done"},
				{string(usage.Errors), "All errors"},
				{
					string(usage.Failed),
					"Failed",
				},
				{string(usage.Refused), "Refused"},
				{string(usage.Canceled), "Canceled"},
			},
		},
	}, TimeFilters(&f.Since, &f.Until)[:2]...)
}

// Read implements Query.
func (f *CallFilter) Read(ctx context.Context, s *Service, span Span) (*Page[any], error) {
	return untyped(s.LatestCalls(ctx, f.Filter, span))
}
