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
	return attempt(ctx, c, wire.ExtendedCard, func(ctx context.Context, r route) (*a2a.Card, error) {
		if r.dialect.Method(wire.ExtendedCard) == "" {
			return nil, a2a.Errorf(a2a.UnsupportedOperation, "an agent of A2A %s has no call for an extended card", r.dialect.Generation)
		}
		params, err := r.dialect.EncodeCardQuery(r.tenant)
		raw := func(b []byte) ([]byte, error) { return b, nil }
		result, err := invoke(ctx, c, r, wire.ExtendedCard, raw, params, err)
		if admit := c.dialer.AdmitExtended; err == nil && admit != nil {
			if result, err = admit(ctx, result); err != nil {
				err = fmt.Errorf("the extended card: %w", err)
			}
		}
		if err != nil {
			return nil, err
		}
		card, err := wire.DecodeCard(result)
		if err != nil {
			return nil, invalidAnswer("%v", err)
		}
		return card, nil
	})
}
