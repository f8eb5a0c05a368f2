package operator

import (
	"context"
	"math/big"
	"strconv"
	"time"

	"rialto/internal/money"
	"rialto/internal/usage"
)

// maxCosts bounds the rows of which costs are summed.
const maxCosts = 1_000_000

// readCosts returns what a filter chooses, in parts of one group and one currency.
func readCosts(
	ctx context.Context, s *Service, f usage.Filter, by usage.By,
) (parts [][]usage.Cost, err error) {
	f.Limit = maxCosts + 1
	costs, err := s.UsageStore.Costs(ctx, f, by)
	if err != nil {
		return nil, err
	}
	if len(costs) > maxCosts {
		return nil, errTooManySums.with(strconv.Itoa(maxCosts))
	}

	begin := 0
	for i, c := range costs {
		last := i+1 == len(costs)
		if last || costs[i+1].Key != c.Key || costs[i+1].Currency != c.Currency {
			parts = append(parts, costs[begin:i+1])
			begin = i + 1
		}
	}

	return parts, nil
}

// costs returns the costs of each group by currency, each rounded once. Charges know neither tools nor
// outcomes, so a filter by a tool or an outcome has no costs.
func costs(
	ctx context.Context, s *Service, f usage.Filter, by usage.By,
) (map[string]usage.Costs, error) {
	if f.Tool != "" || f.Outcome != "" || by == usage.ByTool {
		return nil, nil
	}

	parts, err := readCosts(ctx, s, f, by)
	all := map[string]usage.Costs{}
	for _, part := range parts {
		sum := new(big.Rat)
		for _, c := range part {
			sum.Add(sum, money.Cost(c.Price, c.Quantity))
		}
		of := part[0]
		if all[of.Key] == nil {
			all[of.Key] = usage.Costs{}
		}
		all[of.Key][of.Currency] = money.Format(sum, of.Currency)
	}

	return all, err
}

// BillLine is what an account owes for an item of an agent at one price, or the total of the
// account in a currency, whose item is "total".
type BillLine struct {
	UserID   string `json:"user_id"`
	User     string `json:"user"`
	Agent    string `json:"agent,omitempty"`
	Item     string `json:"item"`
	Quantity int64  `json:"quantity,omitempty"`
	Price    string `json:"price,omitempty"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// Bill returns the statements of a month (2026-11, in UTC) for an account by its ID or name, or for
// all of them. Each line is rounded to the smallest unit of its currency, and a total is the sum
// of the rounded lines before it.
func Bill(ctx context.Context, s *Service, month, user string) ([]BillLine, error) {
	since, err := time.Parse("2006-01", month)
	if err != nil {
		return nil, errMonth.with(month)
	}

	f := usage.Filter{Since: since, Until: since.AddDate(0, 1, 0), User: user}
	f, err = s.ResolveFilter(ctx, f)
	if err != nil {
		return nil, err
	}

	parts, err := readCosts(ctx, s, f, usage.ByUser)
	lines := []BillLine{}
	names := map[string]string{}
	for _, part := range parts {
		name, err := displayName(ctx, s, usage.ByUser, part[0].Key, names)
		if err != nil {
			return nil, err
		}
		lines = append(lines, statement(name, part)...)
	}

	return lines, err
}

// statement returns the lines of an account in one currency, and their total.
func statement(user string, costs []usage.Cost) (lines []BillLine) {
	total := new(big.Rat)
	for _, c := range costs {
		amount := money.Format(money.Cost(c.Price, c.Quantity), c.Currency)
		total.Add(total, money.Parse(amount))
		lines = append(lines, BillLine{
			UserID:   c.Key,
			User:     user,
			Agent:    c.Agent,
			Item:     c.Item,
			Quantity: c.Quantity,
			Price:    c.Price,
			Amount:   amount,
			Currency: c.Currency,
		})
	}

	first := lines[0]
	return append(lines, BillLine{
		UserID:   first.UserID,
		User:     user,
		Item:     "total",
		Amount:   money.Format(total, first.Currency),
		Currency: first.Currency,
	})
}
