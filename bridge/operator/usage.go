package operator

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"rialto/internal/usage"
	"rialto/oauth"
)

// MostExported bounds how many calls or events one export has.
const MostExported = 1_000_000

// exportPage is how many of them are read at once.
const exportPage = 1000

// largestSeries is how many sums there are at most: a year of hours.
const largestSeries = 10_000

// Usage adds up the calls that a filter chooses, by something or, if by is "", in
// one: the most frequent first. With a step of an hour or a day it is a series,
// sorted by time. Sums take whole hours. There are as many as the filter says, or
// all of them: it fails with Invalid, also where those are more than largestSeries.
func (s *Service) Usage(ctx context.Context, f usage.Filter, by usage.By, step time.Duration) ([]usage.Sum, error) {
	if by != "" && !slices.Contains(usage.Bys, by) {
		return nil, Invalid{"Usage is added up by " + bys() + "."}
	}
	if step != 0 && step != time.Hour && step != 24*time.Hour {
		return nil, Invalid{"A series goes by the hour or the day."}
	}
	f, err := s.Asked(ctx, f)
	if err != nil {
		return nil, err
	}
	whole := f.Limit <= 0 || f.Limit > largestSeries
	if whole {
		f.Limit = largestSeries + 1
	}
	tallies, err := s.Store.Tallies(ctx, f, by, step)
	if err != nil {
		return nil, err
	}
	if whole && len(tallies) > largestSeries {
		return nil, Invalid{fmt.Sprintf("There are more than %d sums. Choose a shorter time, or longer steps.", largestSeries)}
	}
	sums, names := []usage.Sum{}, map[string]string{}
	for _, t := range tallies {
		sum := t.Sum()
		if sum.Name, err = s.nameOf(ctx, by, sum.Key, names); err != nil {
			return nil, err
		}
		sums = append(sums, sum)
	}
	return sums, nil
}

// Asked returns a filter as the store takes it, of one as people write it: they may
// name an account instead of its ID. It fails with Invalid where the time ends before
// it begins.
func (s *Service) Asked(ctx context.Context, f usage.Filter) (usage.Filter, error) {
	if !f.Until.IsZero() && f.Until.Before(f.Since) {
		return f, Invalid{"The time ends before it begins."}
	}
	if f.User == "" {
		return f, nil
	}
	_, err := s.OAuth.Accounts.Store.AccountOf(ctx, f.User)
	if found(err) == ErrNotFound {
		var named *oauth.Account
		if named, err = s.OAuth.Accounts.Store.Account(ctx, f.User); err == nil {
			f.User = named.ID
		}
	}
	if found(err) == ErrNotFound { // it is one that there was
		err = nil
	}
	return f, err
}

func bys() string {
	all := make([]string, len(usage.Bys))
	for i, by := range usage.Bys {
		all[i] = string(by)
	}
	return strings.Join(all, ", ")
}

// nameOf returns what people call what a sum is of, where that is another word.
func (s *Service) nameOf(ctx context.Context, by usage.By, key string, names map[string]string) (name string, err error) {
	if name, ok := names[key]; ok || key == "" {
		return name, nil
	}
	switch by {
	case usage.ByClient:
		name, err = s.OAuth.Clients.NameOf(ctx, key)
	case usage.ByUser:
		a, missing := s.OAuth.Accounts.Store.AccountOf(ctx, key)
		if err = missing; err == nil {
			name = a.Name
		}
		if found(err) == ErrNotFound {
			err = nil
		}
	}
	names[key] = name
	return name, err
}

// Calls goes through the calls that a filter chooses, the earliest first, from a
// cursor on; "" is the first. It ends with More after MostExported.
func (s *Service) Calls(ctx context.Context, f usage.Filter, from string) iter.Seq2[usage.Record, error] {
	return exported(from, func(after Mark) ([]usage.Record, error) {
		f.After, f.Limit = usage.Mark{At: after.At, ID: after.ID}, exportPage
		return s.Store.Calls(ctx, f)
	}, func(c usage.Record) Mark { return Mark{At: c.At, ID: c.ID} })
}

// More ends an export that has a bound: the rest begins at Cursor.
type More struct{ Cursor string }

// Error says so.
func (m More) Error() string { return fmt.Sprintf("there are more than %d", MostExported) }

// exported goes through rows in pages that read returns, and ends with More when
// there are more than MostExported.
func exported[T any](from string, read func(after Mark) ([]T, error), mark func(T) Mark) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		after, err := Span{Cursor: from}.mark()
		for n := 0; err == nil; {
			var rows []T
			rows, err = read(after)
			if n == MostExported && len(rows) > 0 {
				err = More{after.cursor()}
				break
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
				after = mark(row)
			}
			if n += len(rows); err == nil && len(rows) < exportPage {
				return
			}
		}
		yield(none, err)
	}
}
