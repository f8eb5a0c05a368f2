package authserver_test

import (
	"context"
	"sync/atomic"
	"time"

	"rialto/oauth"
	"rialto/oauth/oauthtest"
)

// countedKeys is a store that counts how often its keys are asked for.
type countedKeys struct {
	oauthtest.Store
	asked atomic.Int64
}

func (c *countedKeys) Keys(ctx context.Context, now time.Time) ([]oauth.SealedKey, error) {
	c.asked.Add(1)
	return c.Store.Keys(ctx, now)
}
