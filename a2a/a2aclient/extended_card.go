package a2aclient

import (
	"context"
	"fmt"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

var _ a2a.Extender = (*Client)(nil)

// ExtendedCard returns the card that the agent shows to those who may call it
// (a2a.Extender). No generation before 0.3 has a call for it.
func (c *Client) ExtendedCard(ctx context.Context) (*a2a.Card, error) {
	return tryRoutes(ctx, c, wire.ExtendedCard, func(ctx context.Context, r route) (*a2a.Card, error) {
		params, err := r.dialect.EncodeCardQuery(r.tenant)
		raw := func(b []byte) ([]byte, error) { return b, nil }
		result, err := invoke(ctx, c, call{r, wire.ExtendedCard, params}, raw, err)
		if err != nil {
			return nil, err
		}
		if c.dialer.Cards != nil {
			result, err = c.dialer.Cards.AdmitExtended(ctx, result)
			if err != nil {
				return nil, fmt.Errorf("the extended card: %w", err)
			}
		}
		card, err := wire.DecodeCard(result)
		if err != nil {
			return nil, invalidAnswer("%v", err)
		}
		return card, nil
	})
}
