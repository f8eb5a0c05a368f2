package operator

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"rialto/internal/usage"
	"rialto/oauth"
)

// MostExported bounds how many calls or events one export has.
const MostExported = 1_000_000

// exportPage is how many of them one query reads.
const exportPage = 1000

// largestSeries bounds the number of sums: a year of hours.
const largestSeries = 10_000

// Usage sums the calls that a filter chooses: all in one if by is "", or one sum for
// each agent, tool …, the most frequent first. A step of an hour or a day makes a
// series, sorted by time. Sums take whole hours. It returns f.Limit sums, or all of
// them if it is 0, and fails with an Error if these are more than largestSeries.
func (s *Service) Usage(
	ctx context.Context,
	f usage.Filter,
	by usage.By,
	step time.Duration,
) ([]usage.Sum, error) {
	if by != "" && !slices.Contains(usage.Bys, by) {
		return nil, errBy.with(groupNames())
	}
	if step != 0 && step != time.Hour && step != 24*time.Hour {
		return nil, errStep
	}

	f, err := s.ResolveFilter(ctx, f)
	if err != nil {
		return nil, err
	}

	whole := f.Limit <= 0 || f.Limit > largestSeries
	if whole {
		f.Limit = largestSeries + 1
	}

	tallies, err := s.UsageStore.Tallies(ctx, f, by, step)
	if err != nil {
		return nil, err
	}
	if whole && len(tallies) > largestSeries {
		return nil, errTooManySums.with(strconv.Itoa(largestSeries))
	}

	var spent map[string]usage.Costs
	if step == 0 {
		spent, err = costs(ctx, s, f, by)
		if err != nil {
			return nil, err
		}
	}

	sums := []usage.Sum{}
	names := map[string]string{}
	for _, t := range tallies {
		sum := t.Sum()
		sum.Costs = spent[sum.Key]
		sum.Name, err = displayName(ctx, s, by, sum.Key, names)
		if err != nil {
			return nil, err
		}
		sums = append(sums, sum)
	}

	return sums, nil
}

// ResolveFilter returns a filter for the store. In f, the user may be the name of an account
// instead of its ID, and a single client the name of several apps. It fails with an Error if the
// time ends before it begins, or if more than MostNamed apps have the name.
func (s *Service) ResolveFilter(ctx context.Context, f usage.Filter) (usage.Filter, error) {
	if !f.Until.IsZero() && f.Until.Before(f.Since) {
		return f, errTimeOrder
	}
	if f.Outcome != "" && !slices.Contains(usage.Outcomes, f.Outcome) {
		return f, errOutcome
	}

	var err error
	if len(f.Clients) == 1 {
		f.Clients, err = s.ClientIDs(ctx, f.Clients[0])
		if err != nil {
			return f, err
		}
	}

	f.User, err = s.AccountID(ctx, f.User)
	return f, err
}

func groupNames() string {
	var all []string
	for _, by := range usage.Bys {
		all = append(all, string(by))
	}
	return strings.Join(all, ", ")
}

// displayName returns the name of the client or account that a sum is about. names has those that are
// known.
func displayName(
	ctx context.Context,
	s *Service,
	by usage.By,
	key string,
	names map[string]string,
) (name string, err error) {
	if name, ok := names[key]; ok || key == "" {
		return name, nil
	}

	switch by {
	case usage.ByClient:
		name, err = s.OAuth.Clients.NameOf(ctx, key)
	case usage.ByUser:
		a, failure := s.OAuth.Accounts.FindID(ctx, key)
		if failure == nil {
			name = a.Name
		} else if !errors.Is(failure, oauth.ErrNotFound) {
			err = failure
		}
	}

	names[key] = name
	return name, err
}

// Calls iterates over the calls that a filter chooses, the earliest first, from a
// cursor on; "" is the first. It ends with ErrTooMany after MostExported.
func (s *Service) Calls(
	ctx context.Context, f usage.Filter, from string,
) iter.Seq2[usage.Record, error] {
	return exported(from, func(after Mark) ([]usage.Record, error) {
		return s.calls(ctx, f, Rows{After: after, Limit: exportPage})
	}, func(c usage.Record) Mark { return Mark{At: c.At, ID: c.ID} })
}

// calls reads calls, and names their apps.
func (s *Service) calls(ctx context.Context, f usage.Filter, r Rows) ([]usage.Record, error) {
	f.After = usage.Mark{At: r.After.At, ID: r.After.ID}
	f.Limit = r.Limit
	calls, err := s.UsageStore.Calls(ctx, f)
	names := map[string]string{}
	for i := range calls {
		if err == nil {
			calls[i].App, err = displayName(ctx, s, usage.ByClient, calls[i].Client, names)
		}
	}

	return calls, err
}

// LatestCalls returns a page of the calls that a filter chooses, the latest first.
func (s *Service) LatestCalls(
	ctx context.Context, f usage.Filter, span Span,
) (*Page[usage.Record], error) {
	f, err := s.ResolveFilter(ctx, f)
	if err != nil {
		return nil, err
	}

	span.Count = false // the sums have it
	return list(ctx, s, span, func(ctx context.Context, _ Span, r Rows) ([]usage.Record, error) {
		f.Latest = !r.Reverse
		return s.calls(ctx, f, r)
	}, nil, func(c *usage.Record) Mark { return Mark{At: c.At, ID: c.ID} })
}

// ErrTooMany ends an export that has reached its bound: the rest starts at Cursor.
type ErrTooMany struct{ Cursor string }

// Error says so.
func (m ErrTooMany) Error() string { return fmt.Sprintf("there are more than %d", MostExported) }

// exported iterates over the rows that read returns in pages, and ends with ErrTooMany if
// there are more than MostExported.
func exported[T any](
	from string, read func(after Mark) ([]T, error), mark func(T) Mark,
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		after, err := Span{Cursor: from}.mark()
		if err != nil {
			yield(none, err)
			return
		}
		for n := 0; ; {
			rows, err := read(after)
			if n == MostExported && len(rows) > 0 {
				yield(none, ErrTooMany{after.cursor()})
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
				after = mark(row)
			}
			if err != nil {
				yield(none, err)
				return
			}
			n += len(rows)
			if len(rows) < exportPage {
				return
			}
		}
	}
}
