package authserver_test

import (
	"context"
	"sync/atomic"
	"time"

	"rialto/oauth"
	"rialto/oauth/token"
)

// countedKeys counts how often the keys are asked for.
type countedKeys struct {
	token.KeyStore
	asked atomic.Int64
}

func (c *countedKeys) Keys(ctx context.Context, now time.Time) ([]oauth.SealedKey, error) {
	c.asked.Add(1)
	return c.KeyStore.Keys(ctx, now)
}
